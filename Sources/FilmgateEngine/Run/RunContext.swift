import FileKit
import FilmgateCore

/// What all sources of one run share.
struct RunContext: Sendable {
    let plan: Plan, options: RunOptions, hub: EventHub
    let reader: any LedgerReader
    /// Nil in a dry run.
    let writer: (any Ledger)?
    let statistics: RunStatistics
    let stopping: CancelToken, cancelled: CancelToken
    var clock: any RunClock { stopping.clock }
    let run: Int64
    let budget: ByteBudget, reservations: NameReservations
    let staging: StagingPlan
    let scheduler: any DeliverySink
    let placing: AsyncMutex, underWay: InFlightAssets, sessions: OpenSessions
    /// Of all sources: they share the spool.
    let reads = InFlightReads()
    /// Of one open source; every place gets its own, through `forPlace`.
    private(set) var primaries = ShotPrimaries(), bodies = BodySerials(), trees = ClipTreeNames(), refused = RefusedFrames()
    /// Noted in `forPlace` alone: a run without an end would gather them without end.
    private(set) var copies: ReadCopies?

    /// The same ground with nothing remembered of any place before: two cards have the same folders and names, and what one says of a shot
    /// must not speak for the other's.
    ///
    /// `copies` takes note of what is found to be delivered already.
    func forPlace(_ trees: ClipTreeNames, copies: ReadCopies? = nil) -> RunContext {
        var local = self
        local.copies = copies
        (local.primaries, local.bodies, local.trees, local.refused) = (ShotPrimaries(), BodySerials(), trees, RefusedFrames())
        return local
    }

    /// What is settled from the listing alone and what must be read.
    ///
    /// `known` = what the ledger remembers of the place.
    func listing(_ entries: [SourceEntry], known: [KnownFile]) -> IntakeListing {
        listing(entries, recognition: Recognition(known, hourShift: plan.hourShift))
    }

    func listing(_ entries: [SourceEntry], recognition: Recognition) -> IntakeListing {
        let memo = WantedCache(plan)
        var rules = IntakeListing.Rules(
            recognition: recognition, acceptable: plan.acceptable, again: options.again, wanted: { memo.wanted($0, in: $1) },
            refusal: plan.refusal)
        rules.looksAtShots = plan.hasRules
        rules.targetNames = Dictionary(plan.targets.map { ($0.identity, $0.name) }) { first, _ in first }
        return IntakeListing(entries, rules: rules)
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
    func settle(_ settled: some Sequence<AssetResult>) async {
        var rows: [LedgerChange] = []
        for (index, one) in settled.enumerated() {
            if index % 128 == 127 { await hub.rest() }
            statistics.settle(one)
            if one.ending == .alreadySeen { staging.partialFiles.planned(one.asset.origin) }
            if one.ending == .setAside { rows.append(LedgerChange.asset(AssetRow(one, run: run, at: clock.now.wall))) }
        }
        await hub.rest()
        if let writer, !rows.isEmpty {
            let result = await Result { () async throws(IngestError) in try await writer.record(rows) }
            if case .failure(let error) = result { statistics.ledgerFailed(error) }
        }
    }

    /// Not taken: counted as pending, so that the buckets add up and the exit code says that something is left.
    func leave(_ work: ShotWork, _ error: IngestError?) {
        for member in work.members where !member.settled { leave(member.entry, error?.message) }
    }

    func leave(_ entry: SourceEntry, _ reason: String?) {
        let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        statistics.settle(AssetResult(asset: asset, ending: .pending, reason: "not taken: " + (reason ?? "stopped")))
    }

    /// Written down beside the asset; a ledger that takes no note is no failure of the transfer.
    private func note(_ origin: Origin, _ text: String) async {
        try? await writer?.record([.note(asset: origin.id, at: clock.now.wall, text: text)])
    }

    func intake(_ session: any SourceSession) -> Intake {
        let digests = plan.targets.reduce(into: Set<DigestAlgorithm>()) { $0.formUnion($1.traits.digests) }
        let stager = Stager(
            areas: staging.areas, passesOver: plan.targets.count > 1, digests: digests, dryRun: writer == nil, pool: staging.pool,
            hub: hub, cancelled: cancelled, partialFiles: staging.partialFiles, tell: note)
        let stampValues = StampValues(
            profiles: plan.profiles, event: options.event, photographer: options.photographer, volumeLabel: session.place.label,
            digests: digests, areas: writer == nil ? [] : staging.areas, bodies: bodies, ledger: reader)
        let planner = NamePlanner(
            ledger: reader, targets: plan.targets, profiles: plan.profiles, reservations: reservations, event: options.deliveryEvent,
            photographer: options.photographer, again: options.again, volumeLabel: session.place.label, bodies: bodies,
            trees: trees, copies: copies, rules: plan.rules)
        return Intake(
            session: session,
            reader: ShotReader(
                session: session, stager: stager, line: Line(stages: plan.stages, stampValues: stampValues), statistics: statistics,
                hub: hub),
            planner: planner, context: self, wait: options.wait, leaving: leave)
    }
}
