import Synchronization

/// Shut while a run is paused: nothing new is read from any source, and what comes meanwhile stands in line.
public final class PauseGate: Sendable {
    private struct State { var isShut = false, next: UInt64 = 0, waiting: [UInt64: CheckedContinuation<Void, Never>] = [:] }
    private let state = Mutex(State())

    public init() {}

    public var isShut: Bool { state.withLock(\.isShut) }

    /// False when it was so before.
    public func set(shut: Bool) -> Bool {
        let (isNew, waiting) = state.withLock { state in
            defer { state.isShut = shut }
            guard !shut else { return (!state.isShut, [CheckedContinuation<Void, Never>]()) }
            defer { state.waiting = [:] }
            return (state.isShut, Array(state.waiting.values))
        }
        for one in waiting { one.resume() }
        return isNew
    }

    /// Returns once it is open, or when `stopping` is set.
    func pass(or stopping: CancelToken) async {
        while isShut, !stopping.isSet {
            var key: UInt64 = 0
            await withCheckedContinuation { continuation in
                let number = enter(continuation)
                key = stopping.whenSet { self.leave(number) }
            }
            stopping.forget(key)
        }
    }

    /// Nil when it is open already: then nobody waits.
    private func enter(_ continuation: CheckedContinuation<Void, Never>) -> UInt64? {
        let number: UInt64? = state.withLock { state in
            guard state.isShut else { return nil }
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        if number == nil { continuation.resume() }
        return number
    }

    private func leave(_ number: UInt64?) {
        guard let number else { return }
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
}
