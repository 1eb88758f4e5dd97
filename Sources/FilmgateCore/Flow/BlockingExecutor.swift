/// Runs an actor on threads that may block, one piece of work at a time, so that blocking C calls and disk waits never
/// hold one of Swift's few cooperative threads.
public final class BlockingExecutor: SerialExecutor {
    private let queue = SerialQueue()

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.add { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    public func checkIsolated() { precondition(queue.isCurrent, "This work belongs on its actor's own thread.") }
}
