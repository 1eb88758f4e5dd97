import Synchronization

/// Keeps a camera's events until somebody asks, and rings a bell for those who wait.
///
/// Bounded: when nobody reads, the oldest are dropped and `overflowed` says so, which means "list the card again".
public final class EventMailbox: Sendable {
    private struct State {
        var events: [PTPEvent] = []
        var overflowed = false
        var ended: PTPError?
        var bells: [AsyncStream<Void>.Continuation] = []
    }
    private let state = Mutex(State())
    private let limit: Int

    public init(limit: Int = 4096) { self.limit = limit }

    public func post(_ event: PTPEvent) {
        let bells = state.withLock { state in
            if state.events.count >= limit {
                state.events.removeFirst(limit / 2)
                state.overflowed = true
            }
            state.events.append(event)
            return state.bells
        }
        for bell in bells { bell.yield() }
    }

    /// No more events will come.
    public func end(_ reason: PTPError) {
        let bells = state.withLock { state in
            if state.ended == nil { state.ended = reason }
            return state.bells
        }
        for bell in bells { bell.yield() }
    }

    /// Everything since the last call, in order; `overflowed` when some were lost.
    public func take() -> (events: [PTPEvent], overflowed: Bool) {
        state.withLock { state in
            defer { (state.events, state.overflowed) = ([], false) }
            return (state.events, state.overflowed)
        }
    }

    /// Why no more events come; nil while they may.
    public var ended: PTPError? { state.withLock(\.ended) }

    /// Yields once for any number of news since the last yield.
    public func bell() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.bells.append(continuation)
            if !state.events.isEmpty || state.ended != nil { continuation.yield() }
        }
        return stream
    }

    /// Wakes those who wait, without an event.
    public func ring() { for bell in state.withLock(\.bells) { bell.yield() } }

    /// Ends every bell; waiting loops finish.
    public func silence() {
        let bells = state.withLock { state in
            defer { state.bells = [] }
            return state.bells
        }
        for bell in bells { bell.finish() }
    }
}
