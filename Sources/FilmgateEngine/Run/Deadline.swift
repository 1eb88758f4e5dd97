import FilmgateCore

/// Waits for an answer, but not for ever.
enum Deadline {
    /// What `body` came to; nil when that took longer than `limit`: it is cancelled then, and not waited for.
    static func result<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async throws(IngestError) -> Value
    ) async -> Result<Value, IngestError>? {
        let (answers, feed) = AsyncStream<Result<Value, IngestError>?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let work = Task { feed.yield(await Result { () async throws(IngestError) in try await body() }) }
        let alarm = Task {
            try? await Task.sleep(for: limit)
            feed.yield(nil)
        }
        defer {
            work.cancel()
            alarm.cancel()
        }
        for await answer in answers { return answer }
        return nil
    }
}
