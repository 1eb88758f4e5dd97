import Synchronization

/// Keeps a camera's events until somebody asks, and wakes those who wait for them.
///
/// Bounded: when nobody reads, the oldest are dropped and `overflowed` says so, which means "list the card again".
public final class EventQueue: Sendable {
    /// What comes from a camera that nobody asked for.
    public enum Arrival: Sendable, Hashable {
        case event(PTPEvent)
        /// It wants to know whether we are there; the link has answered.
        case ping
    }
    private struct State {
        var observers: [@Sendable (Arrival) -> Void] = []
        var events: [PTPEvent] = []
        var overflowed = false
        var ended: PTPError?
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var next: UInt64 = 0
    }
    private let state = Mutex(State())
    private let limit: Int

    public init(limit: Int = 4096) { self.limit = limit }

    public func post(_ event: PTPEvent) {
        tell(.event(event))
        wake { state in
            if state.events.count >= limit {
                state.events.removeFirst(limit / 2)
                state.overflowed = true
            }
            state.events.append(event)
        }
    }

    /// A ping has come, and was answered.
    func notePing() { tell(.ping) }

    private func tell(_ arrival: Arrival) { for observer in state.withLock(\.observers) { observer(arrival) } }

    /// Tells `body` of everything that arrives from now on, before anybody takes it, and of the events that are waiting
    /// now.
    ///
    /// Called on the thread that hears the camera; several observers may listen.
    public func observe(_ body: @escaping @Sendable (Arrival) -> Void) {
        let waiting = state.withLock { state in
            state.observers.append(body)
            return state.events
        }
        for event in waiting { body(.event(event)) }
    }

    /// No more events will come.
    public func end(_ reason: PTPError) { wake { $0.ended = $0.ended ?? reason } }

    /// Everything since the last call, in order; `overflowed` when some were lost.
    public func take() -> (events: [PTPEvent], overflowed: Bool) {
        state.withLock { state in
            defer { (state.events, state.overflowed) = ([], false) }
            return (state.events, state.overflowed)
        }
    }

    /// Why no more events come; nil while they may.
    public var ended: PTPError? { state.withLock(\.ended) }

    /// Returns when there is an event, when no more can come, after `limit`, or when the task is cancelled.
    public func wait(upTo limit: Duration) async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state in
                    if !state.events.isEmpty || state.ended != nil || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if now { return continuation.resume() }
                CameraClock.after(limit) { [weak self] in self?.release(id) }
            }
        } onCancel: {
            release(id)
        }
    }

    private func release(_ id: UInt64) { state.withLock { $0.waiters.removeValue(forKey: id) }?.resume() }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}
