import FilmgateCore
import Synchronization

/// Set once, perhaps with an error; read from callbacks on any thread; wakes those who wait for it.
final class CancelToken: Sendable {
    /// What limits and pauses go by.
    let clock: any RunClock
    private struct Waiters {
        var next: UInt64 = 0
        var all: [UInt64: @Sendable () -> Void] = [:]
        var error: IngestError?
    }
    private let flag = Atomic(false)
    private let waiters = Mutex(Waiters())

    init(_ clock: any RunClock = TimerQueue.shared) { self.clock = clock }

    var isSet: Bool { flag.load(ordering: .relaxed) }

    /// The first that it was set with.
    var error: IngestError? { waiters.withLock(\.error) }

    func set(_ error: IngestError? = nil) {
        let waiting = waiters.withLock { waiters in
            waiters.error = waiters.error ?? error
            flag.store(true, ordering: .relaxed)
            defer { waiters.all = [:] }
            return waiters.all.values
        }
        for wake in waiting { wake() }
    }

    /// Runs `body` in a task that is cancelled when the flag is set, or when the caller's own is.
    func during<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await body() }
        let key = whenSet { task.cancel() }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        forget(key)
        return value
    }

    /// Waits that long; false when the flag was set before the time was over.
    func sleep(_ time: Duration) async -> Bool {
        await during { [clock] in await clock.sleep(for: time) }
        return !isSet
    }

    /// Returns once this is set, or `other` is; also in a cancelled task not before.
    func wait(or other: CancelToken) async {
        let (ends, end) = AsyncStream<Never>.makeStream()
        let key = whenSet { end.finish() }
        let otherKey = other.whenSet { end.finish() }
        await Task { for await _ in ends {} }.value
        forget(key)
        other.forget(otherKey)
    }

    /// Calls `wake` once, at once when the flag is set already; the key takes that back.
    func whenSet(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
        let (key, now) = waiters.withLock { waiters in
            waiters.next += 1
            if !isSet { waiters.all[waiters.next] = wake }
            return (waiters.next, isSet)
        }
        if now { wake() }
        return key
    }

    /// How many are called when it is set.
    var count: Int { waiters.withLock(\.all.count) }

    func forget(_ key: UInt64) { waiters.withLock { $0.all[key] = nil } }
}
