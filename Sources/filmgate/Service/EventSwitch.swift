import FilmgateCore
import Synchronization

/// Gives a run another event while it goes on: whoever runs now makes way for one that begins with it.
final class EventSwitch: Sendable {
    /// `accept` is called when it is certain that the run goes on with the event, before it does, and for one event
    /// after the other; where it throws, the run goes on as it was.
    ///
    /// `invocation`: that of the command that asks for it, and hears how it goes.
    typealias Begin =
        @Sendable (
            _ event: String, _ invocation: Invocation, _ accept: @Sendable () throws(IngestError) -> Void
        ) async throws(IngestError) -> Void
    private struct State {
        var begin: Begin?, event: String?
    }
    private let state = Mutex(State())
    static let tooEarly = IngestError(
        .unavailable, "The run is just beginning or ending.", advice: "Run the command again in a moment.")

    /// What the run goes on with; nil for what it began with.
    var event: String? { state.withLock(\.event) }

    func note(_ event: String) { state.withLock { $0.event = event } }

    /// From now on `begin` does it.
    func take(_ begin: @escaping Begin) { state.withLock { $0.begin = begin } }

    /// The runner is done; the next one is not there yet.
    func letGo() { state.withLock { $0.begin = nil } }

    /// Returns once it is certain that the run goes on with this event; throws where it goes on as it was, and did not
    /// `accept` the event.
    func begin(
        with event: String, _ invocation: Invocation, _ accept: @Sendable () throws(IngestError) -> Void
    ) async throws(IngestError) {
        guard let begin = state.withLock(\.begin) else {
            throw Self.tooEarly
        }
        try await begin(event, invocation, accept)
    }
}
