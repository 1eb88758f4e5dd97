import FTPKit
import FilmgateCore
import Synchronization

/// One port: its server while somebody listens, and what takes the files of each event that logins bring.
///
/// Each event has an inbox of its own inside of that of the port: where a file lies says, also after a restart, what it
/// was pushed for.
final class PushReceiver: Sendable {
    private struct State {
        var intakes: [String?: PushIntake] = [:]
        /// Those that are being left: nobody pushes there before they are.
        var leaving: [String: PushIntake] = [:], visits: [String: Int] = [:]
        /// Events whose files earlier runs left; nil before anybody looked.
        var found: [String]?
        var server: FTPServer?
        var changes: AsyncStream<Void>.Continuation?
    }
    /// Events at once: each has a plan and queues of its own.
    private let most: Int

    let place: SourcePlace
    private let config: FTPSource.Config, room: FTPRoom
    private let state = Mutex(State()), isPrepared = Mutex(false)

    init(_ place: SourcePlace, _ config: FTPSource.Config, most: Int = 256) {
        (self.place, self.config, self.most, room) = (place, config, most, FTPRoom(config.max.bytes))
    }

    /// `visits`: how often it was left.
    private func place(of event: String, _ visits: [String: Int]) -> SourcePlace? {
        guard let path = FTPEventFolder.path(of: event, in: place.address) else { return nil }
        var own = SourcePlace(source: place.source, address: path, label: "\(place.label) (\(event))")
        own.event = event
        own.visit = visits[event].map { String($0) } ?? ""
        return own
    }

    /// The port itself, and the events of which files are here or were pushed since.
    func places() throws(IngestError) -> [SourcePlace] {
        let known = state.withLock(\.found)
        let found = if let known { known } else { try Self.left(in: place.address) }
        let (events, visits) = state.withLock { state in
            if state.found == nil { state.found = found }
            return (Set((state.found ?? []) + state.intakes.keys.compactMap { $0 }), state.visits)
        }
        return [place] + events.sorted().compactMap { place(of: $0, visits) }
    }

    private static func left(in inbox: String) throws(IngestError) -> [String] {
        try FTPEventFolder.events(in: inbox).filter(\.hasFiles).map(\.event)
    }

    /// Tells that `places` has more now.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.changes = continuation }
        return stream
    }

    /// `prepare` need not be called any more.
    var isReady: Bool { isPrepared.withLock(\.self) }

    /// Once, before anything is opened: `arrange` may bring files of events here, or move them; what is empty goes.
    ///
    /// Whoever comes meanwhile waits. Blocks for the disk.
    func prepare(_ arrange: () throws(IngestError) -> Void) throws(IngestError) {
        let isFirst = try isPrepared.withLock { isPrepared throws(IngestError) in
            if isPrepared { return false }
            try arrange()
            let all = try FTPEventFolder.events(in: place.address)
            for (event, hasFiles) in all where !hasFiles {
                if let path = FTPEventFolder.path(of: event, in: place.address) { FTPEventFolder.tidy(path) }
            }
            state.withLock { $0.found = all.filter(\.hasFiles).map(\.event) }
            isPrepared = true
            return true
        }
        if isFirst { state.withLock(\.changes)?.yield() }
    }

    /// False for a place that was left: whoever comes for its event now has another one.
    func isThere(_ place: SourcePlace) -> Bool {
        guard let event = place.event else { return true }
        return state.withLock { self.place(of: event, $0.visits)?.visit == place.visit }
    }

    /// What takes the files of an event, or of none; made when it is asked for first.
    func intake(for event: String?) throws(IngestError) -> PushIntake { try intake(for: event) { $0 } }

    /// Where the files of a login go; as long as it is kept, so is what takes them.
    func destination(for event: String?) throws(IngestError) -> FTPDestination {
        try intake(for: event) { $0.destination() }
    }

    private func intake<Value: Sendable>(
        for event: String?, _ body: (PushIntake) -> Value
    ) throws(IngestError) -> Value {
        let (value, isNew) = try state.withLock { state throws(IngestError) -> (Value, Bool) in
            guard let own = event.map({ place(of: $0, state.visits) }) ?? place else {
                throw IngestError(.unavailable, "the event \(event ?? "") has too long a name")
            }
            if let known = state.intakes[event] { return (body(known), false) }
            if let event, state.leaving[event] != nil {
                throw IngestError(.unavailable, "what there was for the event \(event) is just being left")
            }
            if state.intakes.count > most { try leaveIdle(&state) }
            let made = try PushIntake(own, config, room)
            state.intakes[event] = made
            return (body(made), true)
        }
        if isNew, event != nil { state.withLock(\.changes)?.yield() }
        return value
    }

    /// Leaves the events that no login pushes to and of which nothing is here; throws where there is none, and says what
    /// keeps them.
    private func leaveIdle(_ state: inout State) throws(IngestError) {
        var kept: [String] = []
        for (event, intake) in state.intakes.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            guard let event else { continue }
            if let need = try intake.need() {
                kept.append("\(event) (\(need))")
                continue
            }
            state.intakes[event] = nil
            state.found?.removeAll { $0 == event }
            if intake.isOpen {
                // Whoever comes next for the event finds another place than the one that is being left.
                (state.leaving[event], state.visits[event]) = (intake, state.visits[event, default: 0] + 1)
                intake.retire()
            } else {
                intake.end()
                FTPEventFolder.tidy(intake.place.address)
            }
        }
        guard state.intakes.count > most else { return }
        let named = kept.prefix(5).joined(separator: ", ") + (kept.count > 5 ? ", …" : "")
        throw IngestError(.unavailable, "there are \(most) events at once, each with something to keep: \(named)")
    }

    /// Nobody hands the files of an event on any more.
    func ended(_ intake: PushIntake) {
        state.withLock { state in
            guard let event = intake.place.event, state.leaving[event] === intake else { return }
            state.leaving[event] = nil
            FTPEventFolder.tidy(intake.place.address)
        }
        tidy()
    }

    func listens(_ server: FTPServer) { state.withLock { $0.server = server } }

    /// Nobody is told any more that a file is safe.
    func stop() async { await state.withLock(\.server)?.stop() }

    /// The port is closed.
    func closed() {
        state.withLock { $0.server = nil }
        tidy()
    }

    /// Removes the folders of events in which nothing is left, once nobody can push into them any more.
    private func tidy() {
        let over = state.withLock { state in
            state.server == nil ? state.intakes.values.filter(\.isEnded).map(\.place) : []
        }
        for place in over where place.event != nil { FTPEventFolder.tidy(place.address) }
    }
}
