public import FilmgateCore

/// Whether the catalogue can be asked now, as the keeper of the session said last, and who waits to hear that.
struct CatalogPresence {
    private(set) var session: Int64?
    /// An answer was late: nobody asks again before the catalogue is heard.
    private(set) var isSilent = false
    private var isHeard = false, waiting: [AsyncStream<Never>.Continuation] = []

    /// Nil: it is away.
    mutating func note(_ session: Int64?) {
        (self.session, isHeard, isSilent) = (session, true, false)
        for one in waiting { one.finish() }
        waiting = []
    }

    mutating func noteSilence() { isSilent = true }

    /// Ends with the first word; nil where that was heard.
    mutating func firstWord() -> AsyncStream<Never>? {
        if isHeard { return nil }
        let (ends, end) = AsyncStream<Never>.makeStream()
        waiting.append(end)
        return ends
    }
}

extension StationClaims {
    /// What a run does with its cards and cameras is told to people at other stations.
    public nonisolated func follow(_ hub: EventHub) { hub.watch(activity.note) }

    /// The same, with how far the cards are read that are taken just now, and what else is within reach.
    public nonisolated func complete(_ status: StationStatus) -> StationStatus {
        var status = status
        for index in status.cards.indices {
            status.cards[index].percent = activity.percent(of: status.cards[index].volume)
        }
        status.sources = activity.sources
        return status
    }

    /// Files in one question, which stands before no claim for longer than as many claims would.
    static let mostFiles = 256

    /// What other stations told of these files of a card, `mostFiles` at most; nil where nobody can say: the catalogue
    /// is away, does not answer within a moment, or refuses.
    ///
    /// Waits for its first word as long as nothing was heard of it, or until the task is cancelled. The question itself
    /// is never broken off: that would end the connection that claims are made over.
    func card(_ files: [AssetID], of volume: String) async -> [CardAtStation]? {
        guard let catalog else { return nil }
        if let word = presence.firstWord() { for await _ in word {} }
        guard let session = presence.session, !presence.isSilent, !Task.isCancelled else { return nil }
        let answer = await answer { () async throws(IngestError) in try await catalog.card(volume, files, session) }
        if answer == nil, !Task.isCancelled { presence.noteSilence() }
        guard case .success(let told)? = answer else { return nil }
        return told.filter { $0.files > 0 && $0.files <= files.count }
    }

    /// What comes of a question within a moment; nil after that, and in a cancelled task.
    private func answer<Value: Sendable>(
        _ question: @escaping @Sendable () async throws(IngestError) -> Value
    ) async -> Result<Value, IngestError>? {
        let (answers, out) = AsyncStream.makeStream(of: Result<Value, IngestError>?.self)
        Task { out.yield(await Result { () async throws(IngestError) in try await question() }) }
        let limit = clock.set(after: Self.patience) { out.yield(nil) }
        defer { clock.forget(limit) }
        for await answer in answers { return answer }
        return nil
    }
}
