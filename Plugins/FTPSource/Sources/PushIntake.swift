import CardKit
import FTPKit
import FilmgateCore
import Synchronization

/// What takes the files of one event, or those of no event: their inbox, who hands them on, and whose clients wait.
final class PushIntake: Sendable {
    struct Work: Sendable { var tracker: PushTracker, confirmations: PushConfirmations? }
    private struct State { var work: Work, isOpen = false, isEnded = false, uses = 0 }
    /// A login whose files go here, for as long as somebody may use it.
    private final class Use: Sendable {
        let intake: PushIntake
        init(_ intake: PushIntake) {
            self.intake = intake
            intake.state.withLock { $0.uses += 1 }
        }
        deinit { intake.state.withLock { $0.uses -= 1 } }
    }

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
    /// Somebody hands its files on.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Where a server puts the files; what comes while nobody hands files on lies in the inbox until somebody does.
    func destination() -> FTPDestination {
        let use = Use(self)
        return FTPDestination(inbox: inbox) {
            // Whoever is told of a file is asked about it, also where others hand files on by then.
            let work = use.intake.work
            return FTPDestination.Receiver { event in work.tracker.note(event) }
        }
    }

    /// What keeps it, in a few words; nil where nobody would miss it.
    ///
    /// Blocks for the disk.
    func need() throws(IngestError) -> String? {
        if state.withLock({ $0.uses > 0 }) { return "a login" }
        let count = try inbox.files().count
        return count == 0 ? nil : count == 1 ? "1 file" : "\(count) files"
    }

    /// Who hands its files on from now on.
    func begin() -> Work {
        inbox.hold()
        return state.withLock { state in
            if state.isEnded { (state.work, state.isEnded) = (make(), false) }
            state.isOpen = true
            return state.work
        }
    }

    /// Nothing more comes: whoever hands files on may leave.
    func retire() { work.tracker.close(isOver: true) }

    /// Nobody hands them on any more.
    func end() {
        let work = state.withLock { state in
            (state.isOpen, state.isEnded) = (false, true)
            return state.work
        }
        work.confirmations?.close()
        work.tracker.close()
        inbox.release()
    }
}
