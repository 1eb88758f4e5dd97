import FileKit
import FilmgateCore

/// What all sources of one run share.
struct RunGround: Sendable {
    let plan: Plan, options: RunOptions, hub: EventHub
    let reader: any LedgerReader
    /// Nil in a dry run.
    let writer: (any Ledger)?
    let tally: Tally
    let stopping: CancelFlag, cancelled: CancelFlag
    let run: Int64
    let budget: ByteBudget, book: NameBook
    let staging: StagingPlan
    let desk: any Delivering
    let placing: PlacingLock, underWay: UnderWay, sessions: SessionBook
    /// Of all sources: they share the spool.
    let reads = ReadsUnderWay()
    /// Of one open source; every place gets its own, through `forPlace`.
    private(set) var leads = ShotLeads(), bodies = BodyBook(), trees = TreeBook(), refused = RefusedFrames()
    /// Noted in `forPlace` alone: a run without an end would gather them without end.
    private(set) var copies: ReadCopies?

    /// The same ground with nothing remembered of any place before: two cards have the same folders and names, and what one says of a shot
    /// must not speak for the other's.
    ///
    /// `copies` takes note of what is found to be delivered already.
    func forPlace(_ trees: TreeBook, copies: ReadCopies? = nil) -> RunGround {
        var local = self
        local.copies = copies
        (local.leads, local.bodies, local.trees, local.refused) = (ShotLeads(), BodyBook(), trees, RefusedFrames())
        return local
    }

    /// What is settled from the listing alone and what must be read.
    ///
    /// `known` = what the ledger remembers of the place.
    func listing(_ entries: [SourceEntry], known: [KnownFile]) -> Listing {
        listing(entries, recognition: Recognition(known, hourShift: plan.hourShift))
    }

    func listing(_ entries: [SourceEntry], recognition: Recognition) -> Listing {
        let memo = WantedMemo(plan)
        var rules = Listing.Rules(
            recognition: recognition, acceptable: plan.acceptable, again: options.again, wanted: { memo.wanted($0, in: $1) },
            refusal: plan.refusal)
        rules.looksAtShots = plan.hasRules
        rules.targetNames = Dictionary(plan.targets.map { ($0.identity, $0.name) }) { first, _ in first }
        return Listing(entries, rules: rules)
    }

    /// Nothing of a device that cannot be told from others of its kind.
    func known(_ session: any SourceSession) async throws(IngestError) -> [KnownFile] {
        guard session.identifiesDevice else { return [] }
        return plan.recognises || options.again ? try await reader.known(volume: session.volume, below: session.home) : []
    }

    /// What the ledger remembers of the place, ready to be asked file by file.
    func recognition(_ session: any SourceSession) async throws(IngestError) -> Recognition {
        Recognition(try await known(session), hourShift: plan.hourShift)
    }

    /// Known files need no new row; what could not be read is remembered.
    func settle(_ settled: some Sequence<Settled>) async {
        var rows: [LedgerChange] = []
        for (index, one) in settled.enumerated() {
            if index % 128 == 127 { await hub.rest() }
            tally.settle(one)
            if one.ending == .alreadySeen { staging.shelf.placed(one.asset.origin) }
            if one.ending == .setAside { rows.append(LedgerChange.asset(AssetRow(one, run: run))) }
        }
        await hub.rest()
        if let writer, !rows.isEmpty {
            let result = await Result { () async throws(IngestError) in try await writer.record(rows) }
            if case .failure(let error) = result { tally.ledgerFailed(error) }
        }
    }

    /// Not taken: counted as pending, so that the buckets add up and the exit code says that something is left.
    func leave(_ work: ShotWork, _ error: IngestError?) {
        for member in work.members where !member.settled { leave(member.entry, error?.message) }
    }

    func leave(_ entry: SourceEntry, _ reason: String?) {
        let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        tally.settle(Settled(asset: asset, ending: .pending, reason: "not taken: " + (reason ?? "stopped")))
    }

    /// Written down beside the asset; a ledger that takes no note is no failure of the transfer.
    private func note(_ origin: Origin, _ text: String) async {
        try? await writer?.record([.note(asset: origin.id, at: WallClock.nanoseconds, text: text)])
    }

    func intake(_ session: any SourceSession) -> Intake {
        let digests = plan.targets.reduce(into: Set<DigestAlgorithm>()) { $0.formUnion($1.traits.digests) }
        let stager = Stager(
            areas: staging.areas, passesOver: plan.targets.count > 1, digests: digests, dryRun: writer == nil, pool: staging.pool,
            hub: hub, cancelled: cancelled, shelf: staging.shelf, tell: note)
        let desk = StampDesk(
            profiles: plan.profiles, event: options.event, photographer: options.photographer, volumeLabel: session.place.label,
            digests: digests, areas: writer == nil ? [] : staging.areas, bodies: bodies, ledger: reader)
        let placer = Placer(
            ledger: reader, targets: plan.targets, profiles: plan.profiles, book: book, event: options.deliveryEvent,
            photographer: options.photographer, again: options.again, volumeLabel: session.place.label, bodies: bodies,
            trees: trees, copies: copies, rules: plan.rules)
        return Intake(
            session: session,
            reader: ShotReader(session: session, stager: stager, line: Line(stages: plan.stages, desk: desk), tally: tally, hub: hub),
            placer: placer, ground: self, wait: options.wait, leaving: leave)
    }
}
