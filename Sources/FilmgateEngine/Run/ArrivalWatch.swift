import FilmgateCore

/// Makes works of what an open source tells, shot by shot.
struct ArrivalWatch: Sendable {
    let session: any SourceSession
    let run: RunContext
    let feed: AsyncStream<ShotWork>.Continuation
    /// Woken when the source's condition has changed.
    let condition: WakeSignal
    /// Nil where nobody can look on.
    var upcoming: UpcomingShots? = nil

    /// Returns when the source tells nothing more or the task is cancelled.
    ///
    /// True when that is as it should be: the source has given all it has, and says so or never tells anything.
    func listen() async throws(IngestError) -> Bool {
        guard let arrivals = try await (session as? any WatchingSession)?.arrivals() else { return true }
        // Not cancelled with this task: what has come by then is told all the same.
        let shots = ShotQueue(run.clock), taking = Task { await shots.run { shot in await take(shot) } }
        var isOver = false
        for await news in arrivals {
            switch news {
            case .arrived(let entry): if !run.underWay.isRead(entry.origin) { shots.add(entry) }
            case .lost(let error): run.tell(session.place, .lost(error))
            case .back: run.tell(session.place, .back)
            case .changed: condition.wake()
            case .refused(let what): run.hub.post(.refused(session.place, what: what))
            case .over: isOver = true
            }
        }
        shots.finish()
        await taking.value
        return isOver
    }

    private func take(_ shot: [SourceEntry]) async {
        let listing = run.listing(shot, known: [])
        run.hub.post(.listed(place: session.place, entries: shot.count, bytes: listing.bytes))
        await run.settle(listing.settled, of: session)
        for number in 0..<listing.shotCount {
            let work = listing.work(number)
            upcoming?.arrived(work)
            feed.yield(work)
        }
    }
}
