import FilmgateCore
import FilmgateLedger

/// The proofs that were asked for, one a card, and what withdraws them.
actor CardProofs {
    private let ledger: LedgerView, mounted: @Sendable () async throws(IngestError) -> [MountedCard]
    /// Called when a proof changed.
    private let changed: @Sendable () -> Void
    private var proofs: [String: ProofState] = [:], digests: [String: Set<String>] = [:]
    private var watching: Task<Void, Never>?
    private let pool = BlockingPool(width: 1)
    /// Looking takes at most a tenth of the time, and happens once a second at most.
    private static let share = 10, pause = Duration.seconds(1)

    init(
        _ ledger: LedgerView, mounted: @escaping @Sendable () async throws(IngestError) -> [MountedCard],
        changed: @escaping @Sendable () -> Void
    ) { (self.ledger, self.mounted, self.changed) = (ledger, mounted, changed) }

    func proof(_ card: String) -> ProofState? { proofs[card] }

    /// Of the card before its proof begins.
    func listing(_ card: MountedCard) async -> [UInt8]? {
        let path = card.path
        return try? await pool.run { () throws(IngestError) in ProofEvidence.listing(path) }
    }

    func began(_ card: MountedCard, job: Job, listing: [UInt8]?) {
        proofs[card.id] = ProofState(card: card.path, job: job.id, listing: listing, at: job.started)
        watch()
        changed()
    }

    func ended(_ card: MountedCard, _ job: Job) async {
        let evidence = await evidence(card.path, job.digests)
        guard proofs[card.id]?.job == job.id else { return }
        digests[card.id] = job.digests
        proofs[card.id]?.end(
            exit: job.state == .ended ? job.exit ?? 1 : 1, isSafe: job.result?["safe"]?.flag == true, evidence,
            at: WallClock.nanoseconds)
        watch()
        changed()
    }

    private func evidence(_ path: String, _ digests: Set<String>) async -> ProofState.Evidence {
        let listing = try? await pool.run { () throws(IngestError) in ProofEvidence.listing(path) }
        var evidence = ProofState.Evidence(card: listing ?? nil)
        if let reader = try? await ledger.reader(), let copies = await ProofEvidence.copies(digests, reader) {
            let found = try? await pool.run { () throws(IngestError) in ProofEvidence.digest(copies) }
            if let found { (evidence.copies, evidence.latestCopy) = found }
        }
        return evidence
    }

    /// Looks again and again while something may have to be withdrawn.
    private func watch() {
        guard watching == nil else { return }
        watching = Task { [weak self] in
            while !Task.isCancelled, let pause = await self?.look() { try? await Task.sleep(for: pause) }
        }
    }

    /// How long to wait before the next look; nil when there is nothing to look at.
    private func look() async -> Duration? {
        let open = proofs.filter { $0.value.verdict == .yes || $0.value.verdict == .checking }
        guard !open.isEmpty else {
            watching = nil
            return nil
        }
        let start = ContinuousClock.now, there = try? await mounted()
        for (id, proof) in open {
            let before = proofs[id]
            if let there, !there.contains(where: { $0.id == id }) {
                if proofs[id]?.job == proof.job { proofs[id]?.leave() }
            } else if proof.verdict == .yes {
                let evidence = await evidence(proof.card, digests[id] ?? [])
                if proofs[id]?.job == proof.job { proofs[id]?.look(evidence, at: WallClock.nanoseconds) }
            }
            if proofs[id] != before { changed() }
        }
        return max(Self.pause, (ContinuousClock.now - start) * (Self.share - 1))
    }

    func end() { watching?.cancel() }
}
