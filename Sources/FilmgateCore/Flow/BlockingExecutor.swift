import Dispatch

/// Runs an actor on a serial queue of its own, so that blocking C calls and disk waits never hold one of Swift's few cooperative threads.
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    public init(_ label: String) { queue = DispatchQueue(label: label) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// A few threads for blocking work that needs no actor: at most `width` pieces at once, the rest waits its turn.
public final class BlockingPool: Sendable {
    private let queue: DispatchQueue
    private let slots: ByteBudget

    public init(_ label: String, width: Int) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
        slots = ByteBudget(limit: UInt64(max(1, width)))
    }

    /// Runs `body` on a thread that may block.
    ///
    /// Work that has begun is finished even when the task is cancelled.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () throws(IngestError) -> Value) async throws(IngestError) -> Value {
        try await slots.take(1)
        defer { slots.give(1) }
        let result: Result<Value, IngestError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { () throws(IngestError) in try body() }) }
        }
        return try result.get()
    }
}
