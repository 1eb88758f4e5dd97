import Synchronization

/// Raised once, from any thread, to break off work that blocks a thread and cannot be cancelled as a task is.
public final class StopFlag: Sendable {
    private let flag = Atomic(false)

    public init() {}

    public var isRaised: Bool { flag.load(ordering: .relaxed) }

    public func raise() { flag.store(true, ordering: .relaxed) }

    /// Runs `body` with a flag that is raised when the task is cancelled.
    package static func raisedOnCancel<Value: Sendable>(
        _ body: (StopFlag) async throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        let stop = StopFlag()
        let result = await withTaskCancellationHandler {
            await Result { () async throws(IngestError) in try await body(stop) }
        } onCancel: {
            stop.raise()
        }
        return try result.get()
    }
}

extension BlockingPool {
    /// Runs `body` on a thread that may block; the flag is raised when the task is cancelled, and `body` still ends by
    /// itself.
    package func stoppable<Value: Sendable>(
        _ body: @escaping @Sendable (StopFlag) throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        try await StopFlag.raisedOnCancel { stop async throws(IngestError) in
            try await run { () throws(IngestError) in try body(stop) }
        }
    }
}
