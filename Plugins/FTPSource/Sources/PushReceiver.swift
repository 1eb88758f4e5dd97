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
        /// Events whose files earlier runs left; nil before anybody looked.
        var found: [String]?
        var isPrepared = false
        var server: FTPServer?
        var changes: AsyncStream<Void>.Continuation?
    }
    /// Events at once: each has a plan and queues of its own.
    static let most = 256

    let place: SourcePlace
    private let config: FTPSource.Config, room: FTPRoom
    private let state = Mutex(State())

    init(_ place: SourcePlace, _ config: FTPSource.Config) {
        (self.place, self.config, room) = (place, config, FTPRoom(config.max.bytes))
    }

    private func place(of event: String) -> SourcePlace? {
        guard let path = FTPEventFolder.path(of: event, in: place.address) else { return nil }
        var own = SourcePlace(source: place.source, address: path, label: "\(place.label) (\(event))")
        own.event = event
        return own
    }

    /// The port itself, and the events of which files are here or were pushed since.
    func places() throws(IngestError) -> [SourcePlace] {
        let known = state.withLock(\.found)
        let found = if let known { known } else { try Self.left(in: place.address) }
        let events = state.withLock { state in
            if state.found == nil { state.found = found }
            return Set((state.found ?? []) + state.intakes.keys.compactMap { $0 })
        }
        return [place] + events.sorted().compactMap { place(of: $0) }
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

    /// Once, before anything is opened: `takeOver` may bring files of events here; what is empty goes.
    func prepare(_ takeOver: () throws(IngestError) -> Void) throws(IngestError) {
        guard state.withLock({ !$0.isPrepared }) else { return }
        try takeOver()
        let all = try FTPEventFolder.events(in: place.address)
        for (event, hasFiles) in all where !hasFiles {
            if let path = FTPEventFolder.path(of: event, in: place.address) { FTPEventFolder.tidy(path) }
        }
        state.withLock { ($0.isPrepared, $0.found) = (true, all.filter(\.hasFiles).map(\.event)) }
        state.withLock(\.changes)?.yield()
    }

    /// What takes the files of an event, or of none; made when it is asked for first.
    func intake(for event: String?) throws(IngestError) -> PushIntake {
        guard let own = event.map({ place(of: $0) }) ?? place else {
            throw IngestError(.unavailable, "the event \(event ?? "") has too long a name")
        }
        let (intake, isNew) = try state.withLock { state throws(IngestError) -> (PushIntake, Bool) in
            if let known = state.intakes[event] { return (known, false) }
            guard state.intakes.count <= Self.most else {
                throw IngestError(.unavailable, "there are more than \(Self.most) events at once")
            }
            let made = try PushIntake(own, config, room)
            state.intakes[event] = made
            return (made, true)
        }
        if isNew, event != nil { state.withLock(\.changes)?.yield() }
        return intake
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
    func tidy() {
        let over = state.withLock { state in
            state.server == nil ? state.intakes.values.filter(\.isEnded).map(\.place) : []
        }
        for place in over where place.event != nil { FTPEventFolder.tidy(place.address) }
    }
}
