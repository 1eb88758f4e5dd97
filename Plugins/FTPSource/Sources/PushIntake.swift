import CardKit
import FTPKit
import FilmgateCore
import Synchronization

/// What takes the files of one event, or those of no event: their inbox, who hands them on, and whose clients wait.
final class PushIntake: Sendable {
    struct Work: Sendable { var tracker: PushTracker, confirmations: PushConfirmations? }
    private struct State { var work: Work, isEnded = false }

    let place: SourcePlace, inbox: FTPInbox
    private let make: @Sendable () -> Work
    private let state: Mutex<State>

    init(_ place: SourcePlace, _ config: FTPSource.Config, _ room: FTPRoom) throws(IngestError) {
        let inbox = try FTPInbox(place.address, room) { Wholeness.hasEnd(path: $0, name: $1) }
        (self.place, self.inbox) = (place, inbox)
        let make = { @Sendable () -> Work in
            let confirmations = config.confirm.target.map { PushConfirmations($0, within: config.confirmWithin) }
            let tracker = PushTracker(inbox, PushRules(config, place: place), confirmations)
            return Work(tracker: tracker, confirmations: confirmations)
        }
        self.make = make
        state = Mutex(State(work: make()))
    }

    private var work: Work { state.withLock(\.work) }
    var isEnded: Bool { state.withLock(\.isEnded) }

    /// Where a server puts the files; what comes while nobody hands files on lies in the inbox until somebody does.
    var destination: FTPDestination {
        FTPDestination(inbox: inbox, confirm: { [self] place in await work.confirmations?.outcome(place) }) {
            [self] event in work.tracker.note(event)
        }
    }

    /// Who hands its files on from now on.
    func begin() -> Work {
        inbox.hold()
        return state.withLock { state in
            if state.isEnded { state = State(work: make()) }
            return state.work
        }
    }

    /// Nobody hands them on any more.
    func end() {
        let work = state.withLock { state in
            state.isEnded = true
            return state.work
        }
        work.confirmations?.close()
        work.tracker.close()
        inbox.release()
    }
}
