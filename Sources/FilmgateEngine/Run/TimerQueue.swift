import FilmgateCore
import Synchronization

/// The machine's clock: calls back when a time is over, unless it is told that nobody waits any more.
///
/// One sleep stands for all: a sleeping task keeps its timer and its memory until it would have woken, also when it is
/// cancelled long before, and each of thousands of files waits for an answer with a limit of seconds.
final class TimerQueue: RunClock {
    static let shared = TimerQueue()

    private struct Timer { var due: ContinuousClock.Instant, ring: @Sendable () -> Void }
    private struct State {
        var last: UInt64 = 0
        var alarms: [UInt64: Timer] = [:]
        /// When the sleeping tasks wake up; each was begun for an earlier time than those before it.
        var wakes: [ContinuousClock.Instant] = []
    }
    private let state = Mutex(State())

    /// How many are set.
    var count: Int { state.withLock(\.alarms.count) }
    /// How many tasks sleep for them.
    var sleepers: Int { state.withLock(\.wakes.count) }

    var now: Moment { Moment(instant: .now, wall: WallClock.nanoseconds) }

    func set(after time: Duration, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        let due = ContinuousClock.now + time
        let (key, isEarlier) = state.withLock { state in
            state.last += 1
            state.alarms[state.last] = Timer(due: due, ring: ring)
            return (state.last, Self.sleeps(until: due, &state))
        }
        if isEarlier { Task { await self.sleep(until: due) } }
        return key
    }

    func forget(_ key: UInt64) { state.withLock { $0.alarms[key] = nil } }

    /// False where another task wakes up by then.
    private static func sleeps(until due: ContinuousClock.Instant, _ state: inout State) -> Bool {
        if let first = state.wakes.last, first <= due { return false }
        state.wakes.append(due)
        return true
    }

    private func sleep(until first: ContinuousClock.Instant) async {
        var wake = first
        while true {
            try? await Task.sleep(until: wake, clock: .continuous)
            guard let next = ring(at: wake) else { return }
            wake = next
        }
    }

    /// When to wake up next; nil when there is nothing to wake up for, or another task does.
    private func ring(at wake: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let (due, next) = state.withLock { state in
            state.wakes.removeAll { $0 == wake }
            let due = state.alarms.filter { $0.value.due <= wake }
            for key in due.keys { state.alarms[key] = nil }
            let next = state.alarms.values.map(\.due).min()
            return (due.values.map(\.ring), next.flatMap { Self.sleeps(until: $0, &state) ? $0 : nil })
        }
        for ring in due { ring() }
        return next
    }
}
