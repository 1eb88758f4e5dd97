import FilmgateCore
import Synchronization

@testable import FilmgateEngine

/// A clock that stands still until a test says otherwise.
///
/// Only a pause that gathers what comes at once passes by itself: nothing would ever be written down otherwise.
final class ManualClock: RunClock {
    private struct Alarm { var due: ContinuousClock.Instant, length: Duration, ring: @Sendable () -> Void }
    private struct State {
        var now = Moment(instant: .now, wall: 1_800_000_000_000_000_000)
        var last: UInt64 = 0
        var alarms: [UInt64: Alarm] = [:]
        var waiting: [(length: Duration, end: AsyncStream<Never>.Continuation)] = []
    }
    /// What is shorter passes by itself.
    private static let gathering = Duration.milliseconds(50)
    private let state = Mutex(State())

    var now: Moment { state.withLock(\.now) }
    /// How long those wait who wait now, the shortest first.
    var waits: [Duration] { state.withLock { $0.alarms.values.map(\.length).sorted() } }

    func set(after time: Duration, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        let (key, waiting) = state.withLock { state in
            state.last += 1
            state.alarms[state.last] = Alarm(due: state.now.instant + time, length: time, ring: ring)
            let waiting = state.waiting.filter { $0.length == time }.map(\.end)
            state.waiting.removeAll { $0.length == time }
            return (state.last, waiting)
        }
        for one in waiting { one.finish() }
        if time < Self.gathering { pass(time) }
        return key
    }

    func forget(_ key: UInt64) { state.withLock { $0.alarms[key] = nil } }

    /// Lets time pass, and calls what falls due, the earliest first.
    func pass(_ time: Duration) {
        let due = state.withLock { state in
            state.now.instant += time
            state.now.wall += time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
            let due = state.alarms.filter { $0.value.due <= state.now.instant }
            for key in due.keys { state.alarms[key] = nil }
            return due.values.sorted { $0.due < $1.due }
        }
        for alarm in due { alarm.ring() }
    }

    /// Returns once somebody waits for a time of just that length, or the task is cancelled.
    func awaits(_ length: Duration) async {
        let (ends, end) = AsyncStream<Never>.makeStream()
        let isThere = state.withLock { state in
            if state.alarms.values.contains(where: { $0.length == length }) { return true }
            state.waiting.append((length, end))
            return false
        }
        if isThere { return }
        for await _ in ends {}
    }

    /// Lets times of that length pass as they come, while `body` lasts.
    func passing<Value: Sendable>(_ length: Duration, _ body: () async throws -> Value) async rethrows -> Value {
        let passing = Task { while !Task.isCancelled { await passNext(length) } }
        defer { passing.cancel() }
        return try await body()
    }

    /// Lets a time of that length pass, as soon as somebody waits for it.
    func passNext(_ length: Duration) async {
        await awaits(length)
        pass(length)
    }
}
