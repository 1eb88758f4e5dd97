import Synchronization

/// Calls back when a time is over, unless it is told that nobody waits any more.
///
/// One sleep stands for all: a sleeping task keeps its timer and its memory until it would have woken, also when it is cancelled long
/// before, and each of thousands of files waits for an answer with a limit of seconds.
final class TimerQueue: Sendable {
    static let shared = TimerQueue()

    private struct Timer { var due: ContinuousClock.Instant, ring: @Sendable () -> Void }
    private struct State {
        var last: UInt64 = 0
        var alarms: [UInt64: Timer] = [:]
        /// When the next sleep ends.
        var wakes: ContinuousClock.Instant?
    }
    private let state = Mutex(State())

    /// How many are set.
    var count: Int { state.withLock(\.alarms.count) }

    /// Calls `ring` once, after `time`; the key takes that back.
    func set(after time: Duration, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        let due = ContinuousClock.now + time
        let (key, isEarlier) = state.withLock { state in
            state.last += 1
            state.alarms[state.last] = Timer(due: due, ring: ring)
            let isEarlier = state.wakes.map { due < $0 } ?? true
            if isEarlier { state.wakes = due }
            return (state.last, isEarlier)
        }
        if isEarlier { Task { await self.sleep(until: due) } }
        return key
    }

    func forget(_ key: UInt64) { state.withLock { $0.alarms[key] = nil } }

    private func sleep(until first: ContinuousClock.Instant) async {
        var wake = first
        while true {
            try? await Task.sleep(until: wake, clock: .continuous)
            guard let next = ring(at: wake) else { return }
            wake = next
        }
    }

    /// When to wake up next; nil when there is nothing to wake up for, or somebody else does.
    private func ring(at wake: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let (due, next) = state.withLock { state in
            let due = state.alarms.filter { $0.value.due <= wake }
            for key in due.keys { state.alarms[key] = nil }
            guard state.wakes == wake else { return (due.values.map(\.ring), nil as ContinuousClock.Instant?) }
            state.wakes = state.alarms.values.map(\.due).min()
            return (due.values.map(\.ring), state.wakes)
        }
        for ring in due { ring() }
        return next
    }
}
