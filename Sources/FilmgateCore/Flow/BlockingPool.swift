import Dispatch
import Synchronization

/// A few threads for blocking work that needs no actor: at most `width` pieces at once, the rest waits its turn.
public final class BlockingPool: Sendable {
    private let label: String
    private let slots: ByteBudget
    // Serial queues, one for each piece under way: on Linux a concurrent queue takes its threads from the pool that Swift's tasks run on,
    // and two pieces that block would stop every task of the process.
    private let idle = Mutex<[DispatchQueue]>([])

    public init(_ label: String, width: Int) {
        self.label = label
        slots = ByteBudget(limit: UInt64(max(1, width)))
    }

    /// Runs `body` on a thread that may block.
    ///
    /// Work that has begun is finished even when the task is cancelled.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () throws(IngestError) -> Value) async throws(IngestError) -> Value {
        try await slots.take(1)
        defer { slots.give(1) }
        let queue = idle.withLock { $0.popLast() } ?? DispatchQueue(label: label)
        defer { idle.withLock { $0.append(queue) } }
        let progressMark = ProgressMark.current
        let result: Result<Value, IngestError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: ProgressMark.$current.withValue(progressMark) { Result { () throws(IngestError) in try body() } })
            }
        }
        return try result.get()
    }
}
