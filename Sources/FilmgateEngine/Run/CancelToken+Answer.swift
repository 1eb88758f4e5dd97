import FilmgateCore

extension CancelToken {
    /// How long somebody who was told to stop is waited for: with the closing of what is open, a run ends within four
    /// seconds.
    static let grace = Duration.seconds(1)

    /// What `body` comes to; `limit` = how long it may take.
    ///
    /// When the flag is set `body` is cancelled, and not waited for any longer than a moment: nil then, and when the
    /// limit has passed. It goes on alone in that case, and must mind that it was cancelled.
    func answer<Value: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable () async throws(IngestError) -> Value
    ) async -> Result<Value, IngestError>? {
        let (answers, feed) = AsyncStream<Result<Value, IngestError>?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let clock = clock
        let work = Task { feed.yield(await Result { () async throws(IngestError) in try await body() }) }
        let late = limit.map { clock.set(after: $0) { feed.yield(nil) } }
        let key = whenSet {
            work.cancel()
            _ = clock.set(after: Self.grace) { feed.yield(nil) }
        }
        defer {
            work.cancel()
            if let late { clock.forget(late) }
            forget(key)
        }
        for await answer in answers { return answer }
        return nil
    }
}
