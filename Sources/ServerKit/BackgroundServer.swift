public import FilmgateCore
import Synchronization

/// Runs a server beside its caller, between `start` and `stop`.
public final class BackgroundServer: Sendable {
    private let running = Mutex<Task<Void, Never>?>(nil)

    public init() {}

    /// Starts `run` and returns the port that it tells once it can be reached; its error when it never can.
    public func start(
        _ run: @escaping @Sendable (@escaping @Sendable (Int) -> Void) async throws(IngestError) -> Void
    ) async throws(IngestError) -> Int {
        let (ports, source) = AsyncStream.makeStream(of: Result<Int, IngestError>.self)
        let task = Task {
            let result = await Result { () async throws(IngestError) in try await run { source.yield(.success($0)) } }
            if case .failure(let error) = result { source.yield(.failure(error)) }
            source.finish()
        }
        running.withLock { $0 = task }
        for await port in ports { return try port.get() }
        throw IngestError(.unexpected, "The server stopped while it was starting.")
    }

    /// Ends what `start` began, and waits for it.
    public func stop() async {
        let task = running.withLock { $0.take() }
        task?.cancel()
        await task?.value
    }
}
