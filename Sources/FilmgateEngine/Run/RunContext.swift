import FileKit
import FilmgateCore

/// What all sources of one run share, as far as their files are for the same event.
struct RunContext: Sendable {
    var plan: Plan, options: RunOptions
    let hub: EventHub
    let reader: any LedgerReader
    /// Nil in a dry run.
    let writer: (any Ledger)?
    let statistics: RunStatistics
    let stopping: CancelToken, cancelled: CancelToken
    var clock: any RunClock { stopping.clock }
    /// Its number in the ledger; 0 in a dry run.
    let run: Int64
    let budget: ByteBudget, reservations: NameReservations
    let staging: StagingPlan
    var scheduler: any DeliverySink
    /// Those of all events of this run.
    let schedulers: RunSchedulers
    let mode: RunMode, readiness: Readiness
    let placing = AsyncMutex(), underWay: InFlightAssets, sessions: OpenSessions
    let places: RunPlaces
    /// What is made for the files of other events.
    let otherEvents: OtherEvents
    /// What ends the whole run: options that contradict each other, a ledger that cannot be written.
    let fatal = CancelToken()

    /// Ends the run for all.
    func fail(_ error: IngestError) {
        fatal.set(error)
        stopping.set()
    }

    /// For files that bring another event with them: nobody named that for this run alone.
    func with(_ plan: Plan, for event: String) -> RunContext {
        var other = self
        (other.plan, other.options.event) = (plan, event)
        (other.options.isEventOrdered, other.options.holdsForEvent) = (false, false)
        return other
    }

    /// How a place fares; where one is taken after the other, its files say that.
    func tell(_ place: SourcePlace, _ state: SourceState) { if mode.isSideBySide { hub.post(.source(place, state)) } }

    /// What is settled from the listing alone and what must be read.
    ///
    /// `known` = what the ledger remembers of the place; `left` as in the rules.
    func listing(
        _ entries: [SourceEntry], known: [KnownFile], left: [AssetID: Set<String>] = [:]
    ) -> IntakeListing {
        var rules = IntakeListing.Rules(
            recognition: Recognition(known, hourShift: plan.hourShift), acceptable: plan.acceptable,
            again: options.again, wanted: WantedCache(plan), refusal: plan.refusal)
        (rules.looksAtShots, rules.left) = (plan.hasRules, left)
        rules.targetNames = Dictionary(plan.targets.map { ($0.identity, $0.name) }) { first, _ in first }
        return IntakeListing(entries, rules: rules)
    }

    /// What the ledger remembers of the place; nothing of a device that cannot be told from others of its kind.
    func known(_ session: any SourceSession) async throws(IngestError) -> [KnownFile] {
        guard session.traits.identifiesDevice, recognises || leavesOtherEvents else { return [] }
        return try await reader.known(volume: session.volume, below: session.traits.home)
    }

    /// What was taken for another event stays with that: nobody ordered it for the one that the run has now.
    var leavesOtherEvents: Bool { mode == .continuous || options.event != nil && !options.isEventOrdered }

    /// What a file of another event ends with; `content` is what its deliveries there are about.
    func left(_ asset: Asset, _ content: ContentKey?, to event: String?) -> AssetResult {
        let taken = event.map { "for the event \($0)" } ?? "without an event"
        let reason =
            event == DeliveryRow.unassigned
            ? "it waits for its event: `filmgate assign EVENT`"
            : "it was taken \(taken) before, and stays there; `filmgate import --event` orders it for this one, too"
        var asset = asset
        asset.flags.insert(AssetFlag.otherEvent)
        // Nothing has it yet: a run that ends says that something is left, one without an end goes on looking at it.
        let ending: Ending = event == DeliveryRow.unassigned && mode.ends ? .pending : .alreadySeen
        var left = AssetResult(asset: asset, ending: ending, reason: reason)
        left.content = content
        return left
    }

    /// Files are told from what is remembered; else that says only which event they are of.
    var recognises: Bool { plan.recognises || options.again }

    /// Known files need no new row; what could not be read is remembered.
    ///
    /// Where a run broke off, the ledger looks anew how the file stands: every target has it, and nobody else would say
    /// so. A long listing waits now and then for what `session`, its source, does with these files, and keeps no other
    /// source waiting.
    func settle(_ settled: some Sequence<AssetResult>, of session: any SourceSession) async {
        var rows: [LedgerChange] = [], isEmpty = true
        for (index, one) in settled.enumerated() {
            isEmpty = false
            if index % 128 == 127 {
                await hub.rest()
                if !stopping.isSet { await conclude(session) }
            }
            statistics.settle(one)
            if one.ending == .alreadySeen || one.isOfOtherEvent { staging.partialFiles.planned(one.asset.origin) }
            if one.ending == .setAside { rows.append(.asset(AssetRow(one, run: run, at: clock.now.wall))) }
            if one.wasUnfinished, let content = one.content {
                let twin = one.asset.origin.absolutePath
                rows.append(.followed(content, twin: twin, run: run, at: clock.now.wall))
            }
        }
        if !isEmpty { await hub.rest() }
        if let writer, !rows.isEmpty {
            let result = await Result { () async throws(IngestError) in try await writer.record(rows) }
            if case .failure(let error) = result { statistics.ledgerFailed(error) }
        }
    }

    /// Waits for what a source does with its settled files, unless the run is stopped: its disk may hang.
    private func conclude(_ session: any SourceSession) async {
        guard let session = session as? any ConcludingSession else { return }
        _ = await stopping.answer { () async throws(IngestError) in await session.concluded() }
    }

    /// Not taken: counted as pending, so that the buckets add up and the exit code says that something is left.
    ///
    /// What an earlier run left waiting is told of with what it waits for.
    @Sendable func leave(_ work: ShotWork, _ error: IngestError?) {
        for member in work.members where !member.settled && !underWay.isLeft(member.entry.origin) {
            leave(member.entry, error?.message)
        }
    }

    func leave(_ entry: SourceEntry, _ reason: String?) {
        let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        statistics.settle(AssetResult(asset: asset, ending: .pending, reason: "not taken: " + (reason ?? "stopped")))
    }

    /// Written down beside the asset; a ledger that takes no note is no failure of the transfer.
    @Sendable func note(_ origin: Origin, _ text: String) async {
        try? await writer?.record([.note(asset: origin.id, at: clock.now.wall, text: text)])
    }
}
