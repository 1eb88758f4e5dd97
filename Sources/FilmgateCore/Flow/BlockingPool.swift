/// A few threads for blocking work that needs no actor: at most `width` pieces at once, the rest waits its turn.
public final class BlockingPool: Sendable {
    private let slots: ByteBudget

    public init(width: Int) { slots = ByteBudget(limit: UInt64(max(1, width))) }

    /// Runs `body` on a thread that may block.
    ///
    /// Work that has begun is finished even when the task is cancelled.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        try await slots.take(1)
        defer { slots.give(1) }
        let progressSignal = ProgressSignal.current
        let result: Result<Value, IngestError> = await withCheckedContinuation { continuation in
            BlockingThread.run {
                continuation.resume(
                    returning: ProgressSignal.$current.withValue(progressSignal) {
                        Result { () throws(IngestError) in try body() }
                    })
            }
        }
        return try result.get()
    }
}
