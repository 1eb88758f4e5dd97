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
