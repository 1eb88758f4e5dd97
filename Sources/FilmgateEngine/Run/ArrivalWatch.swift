import FilmgateCore

/// Makes works of what an open source tells, shot by shot.
struct ArrivalWatch: Sendable {
    let session: any SourceSession
    let context: RunContext
    let feed: AsyncStream<ShotWork>.Continuation
    let tell: @Sendable (SourceState) -> Void

    /// Returns when the source tells nothing more or the task is cancelled.
    ///
    /// True when that is as it should be: the source never tells anything and has given all it has.
    func run() async throws(IngestError) -> Bool {
        guard let arrivals = try await session.arrivals() else { return true }
        let grouper = ShotGrouper(context.clock) { shot in await take(shot) }
        for await news in arrivals {
            switch news {
            case .arrived(let entry): if !context.underWay.holds(entry.origin) { await grouper.add(entry) }
            case .lost(let error): tell(.lost(error))
            case .back: tell(.back)
            case .refused(let what): context.hub.post(.refused(session.place, what: what))
            }
        }
        await grouper.finish()
        return false
    }

    private func take(_ shot: [SourceEntry]) async {
        let listing = context.listing(shot, known: [])
        context.hub.post(.listed(place: session.place, entries: shot.count, bytes: listing.bytes))
        await context.settle(listing.settled)
        for number in 0..<listing.shotCount { feed.yield(listing.work(number)) }
    }
}
