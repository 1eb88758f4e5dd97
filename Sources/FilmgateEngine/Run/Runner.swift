import FileKit
public import FilmgateCore
import Synchronization

/// Runs a plan: one run, in one of four modes.
public final class Runner: Sendable {
    private let plan: Plan, options: RunOptions
    private let hub: EventHub
    private let reader: any LedgerReader
    /// Nil in a dry run.
    private let writer: (any Ledger)?
    private let statistics: RunStatistics
    private let clock: any RunClock
    /// Also for tests, which count who waits for it.
    let stopping: CancelToken
    private let isLeaving = CancelToken(), cancelled = CancelToken()
    private let leases: DeliveryLeases
    private let schedulers = RunSchedulers(), queueCounts: QueueCounts
    private let buildPlan: BuildPlan?
    private struct State {
        /// Why it was stopped.
        var signal: ExitStatus?
        /// While its sources are taken side by side.
        var context: RunContext?
        /// Somebody left deliveries, or marked pictures, before that began.
        var isAskedEarly = false
    }
    private let state = Mutex(State())

    /// Makes the plan for files that bring another event with them than the run has; its sources are not used.
    public typealias BuildPlan = @Sendable (_ event: String) async throws(IngestError) -> Plan

    /// `leases` are those of all runners that work on one state at the same time.
    public convenience init(
        plan: Plan, options: RunOptions, hub: EventHub, reader: any LedgerReader, writer: (any Ledger)?,
        leases: DeliveryLeases = DeliveryLeases(), buildPlan: BuildPlan? = nil
    ) {
        self.init(
            plan: plan, options: options, hub: hub, reader: reader, writer: writer, leases: leases,
            clock: TimerQueue.shared, buildPlan: buildPlan)
    }

    init(
        plan: Plan, options: RunOptions, hub: EventHub, reader: any LedgerReader, writer: (any Ledger)?,
        leases: DeliveryLeases = DeliveryLeases(), clock: any RunClock, buildPlan: BuildPlan? = nil
    ) {
        (self.plan, self.options, self.hub, self.reader, self.writer) = (plan, options, hub, reader, writer)
        (self.leases, self.clock, stopping) = (leases, clock, CancelToken(clock))
        (self.buildPlan, queueCounts) = (buildPlan, QueueCounts(hub))
        statistics = RunStatistics(hub: hub)
        leases.claims?.add(plan.shared)
    }

    /// First Ctrl-C: what is in flight is finished, nothing new is begun.
    ///
    /// The run then ends with `status`.
    public func stop(_ status: ExitStatus = .interrupted) {
        state.withLock { $0.signal = $0.signal ?? status }
        stopping.set()
        Task { await schedulers.windDown() }
    }

    /// Finishes what is in flight and returns, so that another run of the same process can go on; the outcome tells of
    /// no signal.
    ///
    /// What takes longer than a few seconds is broken off, and the next run sends it: no source is listened to
    /// meanwhile.
    public func leave() {
        isLeaving.set()
        stopping.set()
    }
    private static let farewell = Duration.seconds(5)

    private func breakOff(after time: Duration) async {
        await clock.sleep(for: time)
        if !Task.isCancelled { await schedulers.abort() }
    }

    /// Second Ctrl-C: breaks off at once; everything is still crash-safe.
    public func abort() {
        stop()
        cancelled.set()
        Task { await schedulers.abort() }
    }

    /// Takes what `mode` says and delivers it; returns when all is final, when nothing moves any more, or when it is
    /// stopped.
    ///
    /// Throws what makes any run impossible.
    public func run(_ mode: RunMode) async throws(IngestError) -> RunOutcome {
        let start = clock.now.instant
        if case .resume(let order) = mode { return try await end(try await resume(order), since: start) }
        try await check()
        let readiness = Readiness(options, stopping, hub), places = mode == .once ? try await search(readiness) : []
        let context = try await prepare(mode, readiness)
        defer { context.otherEvents.forget() }
        // Nothing is delivered any more without a ledger: a run that only looked alive would go on reading frames.
        statistics.whenLedgerFails { [stopping] in stopping.set() }
        if mode.isSideBySide {
            try await takeLeftovers(context)
            await open(to: context)
        }
        await take(places, context)
        await closeToOthers(context)
        if stopping.isSet { await schedulers.windDown() }
        let limit = isLeaving.isSet ? Task { await breakOff(after: Self.farewell) } : nil
        defer { limit?.cancel() }
        let outcome = try await end(context.run, since: start)
        await context.sessions.concluded(orStopped: stopping)
        context.staging.close()
        if let error = context.fatal.error { throw error }
        return outcome
    }

    /// `places`: what one place after the other is taken of.
    private func take(_ places: [PlaceSearch.Found], _ context: RunContext) async {
        for (driver, place) in places where !stopping.isSet {
            guard let own = await context.own(for: place) else { continue }
            await PlaceSupervisor(driver: driver, place: place, run: own).keep()
        }
        if context.mode.isSideBySide {
            hub.watch(HeapTrimmer(context.staging.pool, clock).note)
            await withTaskGroup(of: Void.self) { group in
                for (number, source) in plan.sources.enumerated() {
                    group.addTask { await SourceSupervisor(driver: source, number: number, run: context).keep() }
                }
            }
        }
        context.places.close(context)
    }

    /// From now on others may hand deliveries over; what they left while the leftovers were looked up is looked up
    /// again.
    private func open(to context: RunContext) async {
        let isAskedEarly = state.withLock { state in
            state.context = context
            return state.isAskedEarly
        }
        guard isAskedEarly else { return }
        await takeUp()
        await marked(nil)
    }

    /// Returns once nobody hands anything over any more: the scheduler would not send it, and keep others from it.
    private func closeToOthers(_ context: RunContext) async {
        state.withLock { $0.context = nil }
        await context.endPlacing()
    }

    /// What others hand deliveries to; nil where that is too early or too late.
    private func taker() -> RunContext? {
        state.withLock { state in
            if state.context == nil { state.isAskedEarly = true }
            return stopping.isSet ? nil : state.context
        }
    }

    /// Takes over what another job on this state left waiting for this plan's targets; does nothing unless it runs
    /// continuously.
    public func takeUp() async {
        guard let context = taker() else { return }
        await context.placing.take()
        let result = await Result { () async throws(IngestError) in
            for one in taker()?.withOthers ?? [] { try await takeLeftovers(one) }
        }
        await context.placing.give()
        if case .failure(let error) = result { statistics.trouble(error) }
    }

    /// Somebody marked these pictures, or with nil any: what waits for that is sent, held again or ended; and what
    /// marks had ended is taken up where they want it now.
    public func marked(_ sha256s: Set<String>?) async {
        await leases.marked(sha256s)
        guard let context = taker() else { return }
        let result = await Result { () async throws(IngestError) in
            let rows = try await reader.queue(judgedBy: sha256s).filter { row in
                !leases.isTaken(Delivery.ID(content: row.delivery.content, target: row.delivery.target))
            }
            if rows.isEmpty { return }
            await context.placing.take()
            // What was final before marks changed is to be looked up anew.
            context.reservations.beginPlacing()
            let taken = await Result { () async throws(IngestError) in
                for one in taker()?.withOthers ?? [] { try await takeLeftovers(one, among: rows) }
            }
            await context.placing.give()
            try taken.get()
        }
        if case .failure(let error) = result { statistics.trouble(error) }
    }

    /// Throws what would keep any run of this plan from beginning, as far as its folders can tell before.
    ///
    /// A folder without room is left to the run, which holds it as one that fills up later; unless no target is left
    /// without it.
    public func check() async throws(IngestError) { try await check(plan) }

    private func check(_ plan: Plan) async throws(IngestError) {
        var full: [IngestError] = []
        for target in plan.targets where target.isLocal {
            do throws(IngestError) { try await target.target.check() } catch {
                guard error.code == .storageFull else { throw error }
                full.append(error)
            }
        }
        if let first = full.first, full.count == plan.targets.count { throw first }
        for target in plan.targets { try await disks(plan).check(target) }
    }

    private func disks(_ plan: Plan) -> TargetDisks {
        TargetDisks(
            reader: reader, targets: plan.targets, writer: writer, again: options.again,
            offersAgain: ["import", "watch"].contains(options.verb))
    }

    private func prepare(_ mode: RunMode, _ readiness: Readiness) async throws(IngestError) -> RunContext {
        for target in plan.targets { try await disks(plan).note(target) }
        let run = try await writer?.beginRun(verb: options.verb, event: options.event, at: clock.now.wall) ?? 0
        let budget = ByteBudget(limit: plan.spool), reservations = makeReservations()
        let staging = try await StagingPlan.prepare(plan: plan, options: options) { () throws(IngestError) in
            try await reader.queue([.pending, .held, .failed]).compactMap(\.delivery.file)
        }
        let underWay = InFlightAssets(), places = RunPlaces()
        let sessions = OpenSessions(isDryRun: writer == nil, statistics)
        HeapMemory.forgetBeginning()
        hub.watch { runEvent in
            switch runEvent {
            case .companion(let made): underWay.end(made.asset.id)
            case .delivered(let target, let origin, _): sessions.tell(delivered: origin, to: target)
            case .settled(let settled):
                underWay.end(settled.asset.id)
                if !mode.ends { places.ended(settled.asset.origin) }
                sessions.tell(settled)
            default: break
            }
        }
        return RunContext(
            plan: plan, options: options, hub: hub, reader: reader, writer: writer, statistics: statistics,
            stopping: stopping, cancelled: cancelled, run: run, budget: budget, reservations: reservations,
            staging: staging,
            // The next run may have another event.
            scheduler: await scheduler(
                plan, options, run, budget, reservations, recordsFirst: mode == .continuous && options.event != nil),
            schedulers: schedulers, mode: mode, readiness: readiness, underWay: underWay, sessions: sessions,
            places: places,
            otherEvents: OtherEvents(buildPlan) { plan, event, main throws(IngestError) in
                try await self.context(plan, for: event, beside: main)
            } close: { context in
                await self.close(context)
            })
    }

    /// The same run for files of another event, and what earlier runs left waiting for that.
    private func context(
        _ plan: Plan, for event: String, beside main: RunContext
    ) async throws(IngestError) -> RunContext {
        leases.claims?.add(plan.shared)
        try await check(plan)
        for target in plan.targets { try await disks(plan).note(target) }
        var context = main.with(plan, for: event)
        await main.placing.take()
        let taken = await Result { () async throws(IngestError) -> RunContext in
            let leftovers = Leftovers(context, beside: self.plan, leases)
            let left = main.mode.isSideBySide ? try await leftovers.found() : []
            if stopping.isSet { throw IngestError(.cancelled, "The run ends.") }
            context.scheduler = await scheduler(
                plan, context.options, main.run, main.budget, main.reservations, recordsFirst: true)
            await leftovers.submit(left, to: context.scheduler)
            return context
        }
        await main.placing.give()
        return try taken.get()
    }

    private func takeLeftovers(_ context: RunContext, among rows: [QueuedDelivery]? = nil) async throws(IngestError) {
        let leftovers = Leftovers(context, beside: plan, leases)
        await leftovers.submit(try await leftovers.found(among: rows), to: context.scheduler)
    }

    /// Sends again what earlier runs left waiting at this plan's targets; returns the number of the run.
    private func resume(_ order: ResumeOrder) async throws(IngestError) -> Int64 {
        let reservations = makeReservations(), (states, target) = (order.states, order.target)
        let leftovers = PendingDeliveries(order, plan, options, ledger: reader, reservations)
        // Before any name is given; only the folders that something waits for: for a gallery no other target is needed.
        let waiting = try await leftovers.awaited(states, only: target)
        for target in plan.targets where waiting.contains(target.identity) { try await disks(plan).check(target) }
        let rows = try await reader.queue(states.union([.pending, .held]))
        let all = try await leftovers.planned(
            states, only: target, among: rows.filter { states.contains($0.delivery.receipt.state) })
        let idle = leftovers.idle(all, among: rows), log = idle == nil ? writer : nil, sent = idle == nil ? all : []
        let run = try await log?.beginRun(verb: options.verb, event: options.event, at: clock.now.wall) ?? 0
        let scheduler = await scheduler(plan, options, run, ByteBudget(limit: plan.spool), reservations)
        await leases.tryNow(target, order.contents, anyway: options.anyway)
        for left in leftovers.untouched(all, only: target, among: rows) + (idle ?? []) { statistics.settle(left) }
        if states.contains(.failed), let writer {
            try await PutOffUploads(ledger: writer, targets: plan.targets, stopping: stopping).takeUpAgain(all)
        }
        let event = order.assigning ? options.event : nil
        let assignment = EventAssignment(event, reader, leases, to: scheduler, statistics)
        for planned in await assignment.assigned(sent) where !stopping.isSet { await scheduler.submit(planned) }
        return run
    }

    /// Waits for the deliveries, closes the run in the ledger and counts.
    ///
    /// What was delivered counts also where the ledger cannot be told.
    private func end(_ run: Int64, since start: ContinuousClock.Instant) async throws(IngestError) -> RunOutcome {
        await finish()
        let outcome = statistics.outcome(
            seconds: (clock.now.instant - start).inSeconds, signal: state.withLock(\.signal))
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
    private func makeReservations() -> NameReservations {
        let answers = TargetAnswers(hub, clock, isPlan: writer == nil, isAlone: plan.targets.count == 1)
        return writer == nil ? NameReservations(answers: answers) : NameReservations(leases.names, answers: answers)
    }

    /// A new one; it begins nothing where the run is about to end.
    private func scheduler(
        _ plan: Plan, _ options: RunOptions, _ run: Int64, _ budget: ByteBudget, _ reservations: NameReservations,
        recordsFirst: Bool = false
    ) async -> any DeliverySink {
        let held = options.deliveryEvent == DeliveryRow.unassigned ? DeliveryScheduler.noEvent : nil
        guard let writer else { return DryRunScheduler(statistics, held: held, answers: reservations.answers) }
        let setup = DeliverySchedulerSetup(
            targets: plan.targets, ledger: writer, hub: queueCounts.part(), statistics: statistics,
            reservations: reservations, budget: budget, run: run, event: options.deliveryEvent, backoff: plan.backoff,
            stages: plan.stages, leases: leases, terms: .init(again: options.again, anyway: options.anyway),
            clock: clock, recordsFirst: recordsFirst)
        let made = DeliveryScheduler(setup)
        made.introduce()
        schedulers.add(RunSchedulers.Member(scheduler: made, targets: plan.targets, hub: setup.hub))
        // Whoever stopped the run before it was among the others has told only them.
        if cancelled.isSet { await made.abort() } else if stopping.isSet { await made.windDown() }
        return made
    }

    /// What is there of all that was asked for, without the disks that only turned up among the cards, and that a
    /// target is on.
    private func search(_ readiness: Readiness) async throws(IngestError) -> [PlaceSearch.Found] {
        let found = try await PlaceSearch(sources: plan.sources, stopping: stopping, readiness: readiness).run()
        var places: [PlaceSearch.Found] = []
        for one in found {
            if let left = try Overlap.remark(on: one.place, targets: plan.targets) {
                hub.post(.trouble(left))
            } else {
                places.append(one)
            }
        }
        if places.isEmpty, !plan.sources.isEmpty, !stopping.isSet {
            throw found.isEmpty ? Absence.of(plan) : Absence.nothingFound
        }
        return places
    }

    private func finish() async {
        await schedulers.drain(wait: options.wait)
        for one in schedulers.all { await close(one) }
    }

    /// After it was drained.
    private func close(_ one: RunSchedulers.Member) async {
        await one.scheduler.closeOut()
        for target in one.targets {
            // A history is also closed after a run that had nothing for it: the one before may have been killed.
            if target.isLocal { try? await disks(plan).note(target) }
            let none: [DeliveredFile]? = target.traits.listsDeliveries ? [] : nil
            if await one.scheduler.isLedgerLost, !target.isLocal { continue }
            guard let files = await one.scheduler.delivered[target.identity] ?? none else { continue }
            let result = await Result { () async throws(IngestError) in try await target.target.finishRun(files) }
            if case .failure(let error) = result { statistics.trouble(error) }
        }
    }

    /// Nothing comes for an event any more; false where something waits for it still.
    private func close(_ context: RunContext) async -> Bool {
        await context.placing.take()
        let member = schedulers.all.first { $0.scheduler === context.scheduler as? DeliveryScheduler }
        let isDone = await member?.scheduler.isEmpty ?? false
        if isDone, !stopping.isSet, !context.otherEvents.isOver, let member {
            await member.scheduler.drain(wait: .zero)
            schedulers.remove(member.scheduler)
            await close(member)
            queueCounts.end(member.hub)
        }
        await context.placing.give()
        return isDone
    }
}
