import FilmgateCore
import FilmgateLedger

/// The proofs that were asked for, one a card, and what withdraws them.
///
/// Cards are looked at side by side. A disk that does not answer holds up its own card alone, and that card's YES ends
/// whether or not the look at it ever does.
actor CardProofs {
    /// How cards are looked at.
    struct Looks: Sendable {
        /// Between two looks at one card, at least.
        var pause = Duration.seconds(1)
        /// A YES that nobody could look after for longer counts no more; where looks take long it is more.
        var patience = Duration.seconds(10)
        /// The looks before a proof and at its end may take so long.
        var longest = Duration.seconds(120)
        /// Blocks.
        var look: @Sendable (_ card: String, _ files: ProvenFiles, _ reader: SQLiteReader?) -> ProofState.Evidence = {
            ProofEvidence.look($0, $1, $2)
        }
        /// Blocks; gives what tells whether something has happened since it was asked last.
        var hearing: @Sendable (_ card: String, _ copies: NamedCopies) -> @Sendable () -> Bool = {
            let watch = ProofWatch($0, $1)
            return { watch.hasHeard() }
        }
    }
    private struct Watched {
        var proof: ProofState, files = ProvenFiles()
        /// When the last look began that came back, how long it took, and when the next one may begin.
        var seen = ContinuousClock.now, took = Duration.zero, due = ContinuousClock.now
        var isLooking = false
        /// Tells whether something happened; nil where nothing can be heard.
        var hears: (@Sendable () -> Bool)?
        /// Something happened since the last look began.
        var isTold = false
    }

    private let ledger: LedgerView, mounted: @Sendable () async throws(IngestError) -> [MountedCard]
    private let looks: Looks
    /// Called when a proof changed.
    private let changed: @Sendable () -> Void
    private var cards: [String: Watched] = [:]
    private var listings: [String: Task<[UInt8]?, Never>] = [:]
    private var watching: Task<Void, Never>?, isAsking = false
    /// One thread for each card that is looked at; more wait until one is free.
    private let pool = BlockingPool(width: 8)
    /// Looking at all cards takes at most a tenth of the time, and a third while something happens again and again.
    private static let share = 10, shareWhenTold = 3

    init(
        _ ledger: LedgerView, mounted: @escaping @Sendable () async throws(IngestError) -> [MountedCard],
        looks: Looks = Looks(), changed: @escaping @Sendable () -> Void
    ) { (self.ledger, self.mounted, self.looks, self.changed) = (ledger, mounted, looks, changed) }

    /// As it counts at this moment.
    func proof(_ card: String) -> ProofState? {
        age(card)
        return cards[card]?.proof
    }

    func began(_ card: MountedCard, job: Job, listing: [UInt8]?) {
        cards[card.id] = Watched(proof: ProofState(card: card.path, job: job.id, listing: listing, at: job.started))
        watch()
        changed()
    }

    /// `hasPipeline`: targets elsewhere could be asked.
    func ended(_ card: MountedCard, _ job: Job, hasPipeline: Bool) async {
        let exit = job.state == .ended ? job.exit ?? 1 : 1, isSafe = job.result?["safe"]?.flag == true
        let files = ProvenFiles(job), begun = ContinuousClock.now, path = card.path
        let doubt = files.copies.doubt(job.result, hasPipeline: hasPipeline)
        var found: ProofState.Evidence?, hears: (@Sendable () -> Bool)?
        if exit == 0, isSafe, doubt == nil {
            // What happens from here on is heard, what happened before is seen.
            hears = await Self.within(looks.longest) { await self.listening(path, files.copies) }
            found = await Self.within(looks.longest) { await self.evidence(path, files) }
        }
        let evidence = found ?? ProofState.Evidence()
        change(card.id) { watched in
            guard watched.proof.job == job.id else { return }
            (watched.files, watched.hears) = (files, hears)
            watched.proof.end(exit: exit, isSafe: isSafe, doubt: doubt, evidence, at: WallClock.nanoseconds)
            note(&watched, from: begun)
        }
        watch()
    }

    func end() { watching?.cancel() }

    // MARK: Looking

    /// Of the card before its proof begins; nil also where that takes too long.
    func listing(_ card: MountedCard) async -> [UInt8]? {
        // Whoever asks meanwhile waits for the same one: a card that does not answer takes no further thread.
        let task: Task<[UInt8]?, Never>
        if let begun = listings[card.id] { task = begun } else { task = Task { await list(card) } }
        listings[card.id] = task
        return await Self.within(looks.longest) { await task.value }
    }

    private func list(_ card: MountedCard) async -> [UInt8]? {
        let path = card.path
        let listing = try? await pool.run { () throws(IngestError) in ProofEvidence.listing(path) }
        listings[card.id] = nil
        return listing ?? nil
    }

    private nonisolated func evidence(_ card: String, _ files: ProvenFiles) async -> ProofState.Evidence? {
        let reader = try? await ledger.reader(), look = looks.look
        return try? await pool.run { () throws(IngestError) in look(card, files, reader) }
    }

    private nonisolated func listening(_ card: String, _ copies: NamedCopies) async -> (@Sendable () -> Bool)? {
        let hearing = looks.hearing
        return try? await pool.run { () throws(IngestError) in hearing(card, copies) }
    }

    /// Looks again and again while something may have to be withdrawn.
    private func watch() {
        guard watching == nil else { return }
        watching = Task { [weak self, pause = looks.pause] in
            while !Task.isCancelled, await self?.lookAround() == true { try? await Task.sleep(for: pause) }
        }
    }

    /// Begins what is due, and waits for none of it; false when there is nothing to look at.
    private func lookAround() async -> Bool {
        let open = cards.filter { [.yes, .checking].contains($0.value.proof.verdict) }
        guard !open.isEmpty else {
            watching = nil
            return false
        }
        askWhatIsMounted(open.mapValues(\.proof.job))
        for id in open.keys {
            age(id)
            look(id)
        }
        return true
    }

    private func look(_ id: String) {
        guard let card = cards[id], card.proof.verdict == .yes, !card.isLooking, isDue(id) else { return }
        let begun = ContinuousClock.now
        cards[id]?.isLooking = true
        cards[id]?.isTold = false
        Task {
            let found = await evidence(card.proof.card, card.files)
            change(id) { watched in
                // Another proof of this card may have begun.
                guard watched.proof.job == card.proof.job else { return }
                watched.isLooking = false
                guard let found else { return }
                watched.proof.look(found, at: WallClock.nanoseconds)
                note(&watched, from: begun)
            }
        }
    }

    /// What happens to a card or a copy is looked at before it is due.
    private func isDue(_ id: String) -> Bool {
        if cards[id]?.hears?() == true { cards[id]?.isTold = true }
        guard let card = cards[id] else { return false }
        let whenTold = card.seen + pause(after: card.took, share: Self.shareWhenTold)
        return card.due <= .now || card.isTold && whenTold <= .now
    }

    private func askWhatIsMounted(_ jobs: [String: String]) {
        guard !isAsking else { return }
        isAsking = true
        Task {
            let there = try? await mounted()
            isAsking = false
            guard let there else { return }
            for (id, job) in jobs where !there.contains(where: { $0.id == id }) {
                change(id) { if $0.proof.job == job { $0.proof.leave() } }
            }
        }
    }

    // MARK: What comes of it

    private func note(_ watched: inout Watched, from begun: ContinuousClock.Instant) {
        (watched.seen, watched.took) = (begun, ContinuousClock.now - begun)
        watched.due = begun + cadence(watched)
    }

    /// From one look to the next; all cards share a tenth of the time.
    private func cadence(_ watched: Watched) -> Duration {
        pause(after: watched.took, share: Self.share)
    }

    private func pause(after took: Duration, share: Int) -> Duration {
        let count = cards.values.count { $0.proof.verdict == .yes }
        return max(looks.pause, took * (share * max(1, count)))
    }

    /// Ends a YES that is too old, or that nobody looked after for too long.
    private func age(_ card: String) {
        change(card) { watched in
            watched.proof.age(at: WallClock.nanoseconds)
            let unseen = ContinuousClock.now - watched.seen
            let most = cadence(watched) + looks.pause + watched.took * 3
            if unseen > max(looks.patience, most) { watched.proof.goUnseen(for: unseen) }
        }
    }

    private func change(_ card: String, _ body: (inout Watched) -> Void) {
        guard var watched = cards[card] else { return }
        let before = watched.proof
        body(&watched)
        // What is not looked at any more takes no memory.
        if ![.yes, .checking].contains(watched.proof.verdict) {
            (watched.files, watched.hears) = (ProvenFiles(), nil)
        }
        cards[card] = watched
        if watched.proof != before { changed() }
    }

    /// Nil where it takes longer; it goes on then, and nobody hears of it.
    private static func within<Value: Sendable>(
        _ time: Duration, _ body: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        let (answers, answer) = AsyncStream.makeStream(of: Value?.self)
        Task {
            answer.yield(await body())
            answer.finish()
        }
        let clock = Task {
            try? await Task.sleep(for: time)
            answer.finish()
        }
        defer { clock.cancel() }
        for await value in answers { return value }
        return nil
    }
}
