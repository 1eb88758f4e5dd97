import FilmgateCore

/// Asks a catalogue who says to have files, for a few seconds in all; once it has failed, nobody asks it again.
struct StationLookup: Sendable {
    struct Answer: Sendable {
        /// By the file's digest; also for those of which nobody knows anything.
        var copies: [String: [CatalogCopy]] = [:]
        /// Why there is no answer for the others.
        var failure: String?
    }

    /// Files in one question, and lines after which a catalogue says no more.
    static let most = 256, lines = 10_000

    let catalog: any Catalog
    var patience = Duration.seconds(5)

    /// Returns within `patience`, whatever the catalogue does.
    func copies(of sha256: [String]) async -> Answer {
        let unique = Array(Set(sha256)).sorted(), end = ContinuousClock.now + patience
        var batches = stride(from: 0, to: unique.count, by: Self.most).map { Array(unique[$0...].prefix(Self.most)) }
        var answer = Answer()
        while let batch = batches.popLast() {
            switch await ask(batch, within: end - .now) {
            // It may have more to say of these.
            case .success(let copies) where copies.count >= Self.lines && batch.count > 1:
                batches += [Array(batch.prefix(batch.count / 2)), Array(batch.dropFirst(batch.count / 2))]
            case .success(let copies):
                let found = Dictionary(grouping: copies, by: \.sha256)
                for sha256 in batch { answer.copies[sha256] = found[sha256] ?? [] }
            case .failure(let error):
                answer.failure = error.message
                return answer
            }
        }
        return answer
    }

    private func ask(_ batch: [String], within time: Duration) async -> Result<[CatalogCopy], IngestError> {
        let answer = await Self.outcome(within: time) { [catalog] in
            await Result { () async throws(IngestError) in try await catalog.copies(of: batch) }
        }
        let slow = "\(catalog.place): no answer within \(patience.components.seconds) seconds"
        return answer ?? .failure(IngestError(.unavailable, slow))
    }

    /// Closes the catalogue's connections, as far as that takes no longer than a second.
    func close() async { await Self.outcome(within: .seconds(1)) { [catalog] in await catalog.close() } }

    /// What becomes of something that may never end; nil after `time`: it is broken off, and nobody waits for that.
    @discardableResult
    private static func outcome<Value: Sendable>(
        within time: Duration, of body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        guard time > .zero else { return nil }
        let (values, out) = AsyncStream.makeStream(of: Value?.self)
        let asking = Task { out.yield(await body()) }
        let timer = Task { if (try? await Task.sleep(for: time)) != nil { out.yield(nil) } }
        defer {
            asking.cancel()
            timer.cancel()
        }
        for await value in values { return value }
        return nil
    }
}
