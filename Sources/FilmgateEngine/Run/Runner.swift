import FileKit
public import FilmgateCore
import Synchronization

/// Runs a plan over its sources: once for a card, and the same way for everything else that is added to it.
public final class Runner: Sendable {
    private let plan: Plan
    private let options: RunOptions
    private let hub: EventHub
    private let reader: any LedgerReader
    /// Nil in a dry run.
    private let writer: (any Ledger)?
    private let statistics: RunStatistics
    private let clock: any RunClock
    private let stopping: CancelToken, isLeaving = CancelToken()
    private let cancelled = CancelToken()
    private let scheduler = Mutex<DeliveryScheduler?>(nil)
    private let signalled = Mutex<ExitStatus?>(nil)
    private let leases: DeliveryLeases
    /// While it runs continuously.
    private let going = Mutex<RunContext?>(nil)

    /// `leases` are those of all runners that work on one state at the same time.
    public convenience init(
        plan: Plan, options: RunOptions, hub: EventHub, reader: any LedgerReader, writer: (any Ledger)?,
        leases: DeliveryLeases = DeliveryLeases()
    ) {
        self.init(plan: plan, options: options, hub: hub, reader: reader, writer: writer, leases: leases, clock: TimerQueue.shared)
    }

    init(
        plan: Plan, options: RunOptions, hub: EventHub, reader: any LedgerReader, writer: (any Ledger)?,
        leases: DeliveryLeases = DeliveryLeases(), clock: any RunClock
    ) {
        (self.plan, self.options, self.hub, self.reader, self.writer) = (plan, options, hub, reader, writer)
        (self.leases, self.clock, stopping) = (leases, clock, CancelToken(clock))
        statistics = RunStatistics(hub: hub)
    }

    /// First Ctrl-C: what is in flight is finished, nothing new is begun.
    ///
    /// The run then ends with `status`.
    public func stop(_ status: ExitStatus = .interrupted) {
        signalled.withLock { $0 = $0 ?? status }
        stopping.set()
        if let scheduler = scheduler.withLock({ $0 }) { Task { await scheduler.windDown() } }
    }

    /// Finishes what is in flight and returns, so that another run of the same process can go on; the outcome tells of no signal.
    ///
    /// What takes longer than a few seconds is broken off, and the next run sends it: no source is listened to meanwhile.
    public func leave() {
        isLeaving.set()
        stopping.set()
    }
    private static let farewell = Duration.seconds(5)

    private func breakOff(after time: Duration) async {
        await clock.sleep(for: time)
        if !Task.isCancelled { await scheduler.withLock { $0 }?.abort() }
    }

    /// Second Ctrl-C: breaks off at once; everything is still crash-safe.
    public func abort() {
        stop()
        cancelled.set()
        if let scheduler = scheduler.withLock({ $0 }) { Task { await scheduler.abort() } }
    }

    /// Takes everything that the sources hold now, delivers it and returns when all is final or nothing moves any more.
    public func runOnce() async throws(IngestError) -> RunOutcome {
        let start = clock.now.instant
        try await checkFolders()
        let readiness = Readiness(options, stopping, hub)
        let found = try await PlaceSearch(sources: plan.sources, stopping: stopping, readiness: readiness).run()
        let places = try allowed(found)
        if places.isEmpty, !plan.sources.isEmpty, !stopping.isSet { throw found.isEmpty ? Absence.of(plan) : Absence.nothingFound }
        let context = try await prepare()
        for (driver, place) in places where !stopping.isSet {
            let isCamera = PlaceSearch.comesAndGoes(driver)
            let result = await visit(place, of: driver, context, isCamera ? readiness : nil)
            if case .failure(let error) = result, error.code != .cancelled || !stopping.isSet { statistics.trouble(error) }
        }
        let outcome = try await end(context.run, seconds: { (clock.now.instant - start).inSeconds })
        context.staging.close()
        return outcome
    }

    /// Keeps all sources going at once until `stop`, begun with what earlier runs left waiting; lost sources are come back to.
    ///
    /// With `once`, takes what each source holds now, all at once, and ends when that is final or nothing moves any more. Throws only
    /// what makes any run impossible.
    public func runContinuously(once: Bool = false) async throws(IngestError) -> RunOutcome {
        let start = clock.now.instant
        try await checkFolders()
        let context = try await prepare()
        let trimmer = HeapTrimmer(context.staging.pool, clock)
        hub.watch(trimmer.note)
        // Nothing is delivered any more without a ledger: a run that only looked alive would go on taking frames from cameras.
        if !once { statistics.whenLedgerFails { [stopping] in stopping.set() } }
        try await resume(context)
        let run = ContinuousRun(context: context, once: once)
        going.withLock { $0 = context }
        let result = await Result { () async throws(IngestError) in try await run.run() }
        going.withLock { $0 = nil }
        if stopping.isSet, let scheduler = scheduler.withLock({ $0 }) { await scheduler.windDown() }
        let limit = isLeaving.isSet ? Task { await breakOff(after: Self.farewell) } : nil
        defer { limit?.cancel() }
        let outcome = try await end(context.run, seconds: { (clock.now.instant - start).inSeconds })
        context.staging.close()
        try result.get()
        return outcome
    }

    /// Takes over what another job on this state left waiting for this plan's targets; does nothing unless it runs continuously.
    public func takeUp() async {
        guard let context = going.withLock({ $0 }), !stopping.isSet else { return }
        await context.placing.take()
        let result = await Result { () async throws(IngestError) in try await resume(context) }
        await context.placing.give()
        if case .failure(let error) = result { statistics.trouble(error) }
    }

    /// Throws what would keep any run of this plan from beginning, as far as can be told before.
    public func check() async throws(IngestError) { try await checkFolders() }

    /// A folder without room is left to the run, which holds it as one that fills up later; unless no target is left without it.
    private func checkFolders() async throws(IngestError) {
        var full: [IngestError] = []
        for target in plan.targets where target.isLocal {
            do throws(IngestError) { try await target.target.check() } catch {
                guard error.code == .storageFull else { throw error }
                full.append(error)
            }
        }
        if let first = full.first, full.count == plan.targets.count { throw first }
        for target in plan.targets { try await disks.check(target) }
    }

    private var disks: TargetDisks {
        TargetDisks(reader: reader, writer: writer, again: options.again, offersAgain: ["import", "watch"].contains(options.verb))
    }

    private func prepare() async throws(IngestError) -> RunContext {
        for target in plan.targets { try await disks.note(target) }
        let run = try await writer?.beginRun(verb: options.verb, event: options.event, at: clock.now.wall) ?? 0
        let budget = ByteBudget(limit: plan.spool), reservations = makeBook()
        let staging = try StagingPlan.prepare(plan: plan, options: options)
        let underWay = InFlightAssets(), sessions = OpenSessions()
        HeapMemory.forgetBeginning()
        hub.watch { runEvent in
            if case .companion(let made) = runEvent { underWay.end(made.asset.id) }
            guard case .settled(let settled) = runEvent else { return }
            underWay.end(settled.asset.id)
            sessions.tell(settled)
        }
        return RunContext(
            plan: plan, options: options, hub: hub, reader: reader, writer: writer, statistics: statistics, stopping: stopping,
            cancelled: cancelled,
            run: run, budget: budget, reservations: reservations, staging: staging,
            scheduler: makeScheduler(run: run, budget: budget, reservations: reservations),
            placing: AsyncMutex(), underWay: underWay, sessions: sessions)
    }

    /// What earlier runs left waiting and whose bytes are at hand goes first; the rest is read from its source again.
    private func resume(_ context: RunContext) async throws(IngestError) {
        guard writer != nil else { return }
        let leftovers = PendingDeliveries(ledger: reader, targets: plan.targets, event: options.event)
        for var planned in try await leftovers.planned([.pending, .held], only: nil) {
            if leases.isTaken(planned.assetDeliveries.content) || context.underWay.holds(planned.assetDeliveries.asset.id) { continue }
            let bytes = planned.assetDeliveries.bytes
            let isThere = try FileFacts.of(bytes.path)?.size == bytes.size
            if !isThere { planned.deliveries.removeAll { $0.rendition == nil } }
            if planned.deliveries.isEmpty { continue }
            if isThere, bytes.ownership == .staged {
                context.budget.occupy(bytes.size)
                planned.assetDeliveries.budget = bytes.size
            }
            context.underWay.begin(planned.assetDeliveries.asset.id)
            await context.scheduler.submit(planned.assetDeliveries, deliveries: planned.deliveries)
        }
    }

    /// Sends again what earlier runs left waiting at this plan's targets.
    ///
    /// `states`: pending and held, perhaps failed too. With `assigning`, sends what waits for an event, to the options' event.
    public func retry(_ states: Set<Receipt.State>, target: String?, assigning: Bool = false) async throws(IngestError) -> RunOutcome {
        let start = clock.now.instant, reservations = makeBook()
        let leftovers = PendingDeliveries(
            ledger: reader, targets: plan.targets, event: options.event, assigning: assigning, reservations: reservations)
        // Only the folders that something waits for: what a gallery is still to get needs no other target. Before any name is given, which
        // nothing would be sent under.
        let waiting = try await leftovers.awaited(states, only: target)
        for target in plan.targets where waiting.contains(target.identity) { try await disks.check(target) }
        let all = try await leftovers.planned(states, only: target)
        let run = try await writer?.beginRun(verb: options.verb, event: options.event, at: clock.now.wall) ?? 0
        let scheduler = makeScheduler(run: run, budget: ByteBudget(limit: plan.spool), reservations: reservations)
        await leases.tryNow(target)
        for left in try await leftovers.untouched(all, only: target) { statistics.settle(left) }
        if states.contains(.failed) { try await takeUpAgain(all) }
        for planned in all where !stopping.isSet {
            await (scheduler as? DeliveryScheduler)?.note(planned.elsewhere)
            await scheduler.submit(planned.assetDeliveries, deliveries: planned.deliveries)
        }
        return try await end(run, seconds: { (clock.now.instant - start).inSeconds })
    }

    /// Services that put uploads off go on with them by themselves: what they have need not be sent again.
    ///
    /// What keeps a service from it the deliveries meet, too, and are held for it. A service that was sent something which was taken back
    /// since is not asked: it would publish that, too.
    private func takeUpAgain(_ all: [NamePlanner.PlannedAsset]) async throws(IngestError) {
        guard let writer else { return }
        let takenBack = Set(try await writer.queue([.excluded]).map(\.delivery).filter(\.isCancelled).map(\.target))
        let wanted = Set(all.flatMap { $0.deliveries.map(\.id.target) }).subtracting(takenBack)
        for target in plan.targets where wanted.contains(target.identity) && !stopping.isSet {
            guard let service = target.target as? any PutOffTarget else { continue }
            _ = await Result { () async throws(IngestError) in
                try await target.health?.pass()
                return try await service.takeUpAgain()
            }
        }
    }

    /// Waits for the deliveries, closes the run in the ledger and counts.
    ///
    /// What was delivered counts also where the ledger cannot be told.
    private func end(_ run: Int64, seconds: () -> Double) async throws(IngestError) -> RunOutcome {
        try await finish(run)
        let outcome = statistics.outcome(seconds: seconds(), signal: signalled.withLock { $0 })
        let closed = await Result { () async throws(IngestError) in
            try await writer?.record([
                .endRun(run, at: clock.now.wall, exit: Int(outcome.exitCode.rawValue), summary: outcome.summary)
            ])
            try await writer?.sync()
        }
        guard case .failure(let error) = closed else { return outcome }
        statistics.ledgerFailed(error)
        return statistics.outcome(seconds: outcome.summary.seconds, signal: outcome.signal)
    }

    /// A dry run keeps its names to itself.
    private func makeBook() -> NameReservations { writer == nil ? NameReservations() : NameReservations(leases.names) }

    private func makeScheduler(run: Int64, budget: ByteBudget, reservations: NameReservations) -> any DeliverySink {
        let held = options.deliveryEvent == DeliveryRow.unassigned ? DeliveryScheduler.noEvent : nil
        guard let writer else { return DryRunScheduler(statistics: statistics, held: held) }
        let setup = DeliverySchedulerSetup(
            targets: plan.targets, ledger: writer, hub: hub, statistics: statistics, reservations: reservations, budget: budget, run: run,
            event: options.deliveryEvent, backoff: plan.backoff, leases: leases, clock: clock)
        let made = DeliveryScheduler(setup)
        made.introduce()
        scheduler.withLock { $0 = made }
        if stopping.isSet { Task { await made.windDown() } }
        return made
    }

    /// Without the disks that only turned up among the cards, and that a target is on.
    private func allowed(_ found: [PlaceSearch.Found]) throws(IngestError) -> [PlaceSearch.Found] {
        var taken: [PlaceSearch.Found] = []
        for one in found {
            if let left = try Overlap.remark(on: one.place, targets: plan.targets) { hub.post(.trouble(left)) } else { taken.append(one) }
        }
        return taken
    }

    /// Takes what a place holds; with `readiness`, comes again to one that could not be listed and may be later.
    private func visit(
        _ place: SourcePlace, of driver: any SourceDriver, _ context: RunContext, _ readiness: Readiness?
    ) async -> Result<Void, IngestError> {
        while true {
            let isListed = CancelToken()
            let result = await Result { () async throws(IngestError) in
                try await context.visit(place, of: driver, patience: options.wait) { session throws(IngestError) in
                    try await take(session, context, readiness, listed: isListed.set)
                }
            }
            guard case .failure(let error) = result, !isListed.isSet, let readiness, await readiness.mayPass(error) else { return result }
        }
    }

    /// `listed` is called once everything that the place holds is known.
    private func take(
        _ session: any SourceSession, _ context: RunContext, _ readiness: Readiness?, listed: () -> Void
    ) async throws(IngestError) {
        // The ledger is asked while the place is listed: for a full card each takes its time, and neither needs the other.
        async let asked = Result { () async throws(IngestError) in try await context.recognition(session) }
        async let search = context.searchCopies(of: session)
        let entries = try await context.entries(of: session, readiness: readiness)
        listed()
        if let lost = try await context.lostCard(session, entries) { statistics.trouble(lost) }
        let listing = context.listing(entries, recognition: try await asked.get())
        hub.post(.listed(place: session.place, entries: entries.count, bytes: listing.bytes))
        await context.settle(listing.settled)
        let copies = ReadCopies()
        if await !context.tellOnly(listing, of: session) {
            try await context.forPlace(ClipTreeNames(listing), copies: copies).intake(session).take(listing)
        }
        // Last: the folder of a target that hangs must not keep the card from being read.
        let found = await search
        found.look(afterDelivery: copies.take())
        statistics.note(removed: found.found)
    }

    private func finish(_ run: Int64) async throws(IngestError) {
        guard let scheduler = scheduler.withLock({ $0 }) else { return }
        await scheduler.drain(wait: options.wait)
        await scheduler.closeOut()
        for target in plan.targets {
            // A history is also closed after a run that had nothing for it: the one before may have been killed.
            if target.isLocal { _ = await Result { () async throws(IngestError) in try await disks.note(target) } }
            let none: [DeliveredFile]? = target.traits.listsDeliveries ? [] : nil
            guard let files = await scheduler.delivered[target.identity] ?? none else { continue }
            let result = await Result { () async throws(IngestError) in try await target.target.finishRun(files) }
            if case .failure(let error) = result { statistics.trouble(error) }
        }
    }
}
