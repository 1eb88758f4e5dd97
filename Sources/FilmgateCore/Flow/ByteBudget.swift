import Synchronization

extension UInt64 {
    /// The sum, or the largest number there is: sizes are what sources say.
    public func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// A semaphore counted in bytes, first come first served: taken before a fetch, given back when the bytes leave
/// staging.
///
/// A claim larger than the whole budget is granted when nothing else is out, so one huge file always gets through.
public final class ByteBudget: Sendable {
    private struct Waiter { var id: UInt64, bytes: UInt64, resume: CheckedContinuation<Bool, Never> }
    private struct State { var used: UInt64 = 0, next: UInt64 = 0, waiters: [Waiter] = [], cancelled: Set<UInt64> = [] }

    public let limit: UInt64
    private let state = Mutex(State())

    public init(limit: UInt64) { self.limit = max(1, limit) }

    /// Waits for room.
    ///
    /// Throws `cancelled` when the task is cancelled meanwhile.
    public func take(_ bytes: UInt64) async throws(IngestError) {
        let claim = min(bytes, limit)
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let granted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return false }
                    if state.waiters.isEmpty, claim <= limit - min(limit, state.used) {
                        state.used += claim
                        return true
                    }
                    state.waiters.append(Waiter(id: id, bytes: claim, resume: continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            cancel(id)
        }
        // A cancel that came when the room was already granted found no one waiting.
        state.withLock { _ = $0.cancelled.remove(id) }
        if !granted { throw IngestError(.cancelled, "Stopped before its turn came.") }
    }

    /// True where so much is free now; claims that came before may still go first.
    public func hasRoom(for bytes: UInt64) -> Bool { min(bytes, limit) <= limit - min(limit, used) }

    /// Takes what is in use already, room or not: bytes that an earlier run left behind.
    public func occupy(_ bytes: UInt64) { state.withLock { $0.used += min(bytes, limit) } }

    /// Gives back what `take` or `occupy` took; `bytes` as it was given there.
    public func give(_ bytes: UInt64) {
        let ready = state.withLock { state in
            state.used -= min(state.used, min(bytes, limit))
            return grant(&state)
        }
        for waiter in ready { waiter.resume.resume(returning: true) }
    }

    public var used: UInt64 { state.withLock(\.used) }
    /// Claims that wait, and cancelled ones that have not been told yet.
    var waiting: Int { state.withLock(\.waiters.count) }
    var remembered: Int { state.withLock(\.cancelled.count) }

    private func grant(_ state: inout State) -> [Waiter] {
        var ready: [Waiter] = []
        while let first = state.waiters.first, first.bytes <= limit - min(limit, state.used) {
            state.used += first.bytes
            ready.append(state.waiters.removeFirst())
        }
        return ready
    }

    private func cancel(_ id: UInt64) {
        let (found, ready): (Waiter?, [Waiter]) = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return (nil, [])
            }
            let waiter = state.waiters.remove(at: index)
            return (waiter, grant(&state))
        }
        found?.resume.resume(returning: false)
        for waiter in ready { waiter.resume.resume(returning: true) }
    }
}
