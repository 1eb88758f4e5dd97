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
    private let tally: Tally
    private let stopping = CancelFlag()
    private let cancelled = CancelFlag()
    private let dispatcher = Mutex<Dispatcher?>(nil)
    private let signalled = Mutex<ExitStatus?>(nil)

    public init(plan: Plan, options: RunOptions, hub: EventHub, reader: any LedgerReader, writer: (any Ledger)?) {
        (self.plan, self.options, self.hub, self.reader, self.writer) = (plan, options, hub, reader, writer)
        tally = Tally(hub: hub)
    }

    /// First Ctrl-C: what is in flight is finished, nothing new is begun.
    ///
    /// The run then ends with `status`.
    public func stop(_ status: ExitStatus = .interrupted) {
        signalled.withLock { $0 = $0 ?? status }
        stopping.set()
    }

    /// Second Ctrl-C: breaks off at once; everything is still crash-safe.
    public func abort() {
        stop()
        cancelled.set()
        if let dispatcher = dispatcher.withLock({ $0 }) { Task { await dispatcher.abort() } }
    }

    /// Takes everything that the sources hold now, delivers it and returns when all is final or nothing moves any more.
    public func runOnce() async throws(IngestError) -> RunOutcome {
        let clock = ContinuousClock(), start = clock.now
        for target in plan.targets where target.isLocal { try await target.target.check() }
        let places = try await places()
        try Overlap.refuse(places: places.map(\.place), targets: plan.targets)
        let run = try await writer?.beginRun(verb: options.verb, event: options.event, at: Now.nanoseconds) ?? 0
        let budget = ByteBudget(limit: plan.spool), book = NameBook()
        let staging = try StagingPlan.prepare(plan: plan, options: options)
        let desk = makeDesk(run: run, budget: budget, book: book)
        for (driver, place) in places where !stopping.isSet {
            let context = PlaceContext(run: run, budget: budget, book: book, staging: staging, delivering: desk)
            let result = await Result { () async throws(IngestError) in try await take(place, of: driver, context) }
            if case .failure(let error) = result { tally.trouble(error) }
        }
        let outcome = try await end(run, seconds: { (clock.now - start).inSeconds })
        staging.close()
        return outcome
    }

    /// Sends again what earlier runs left waiting at this plan's targets.
    ///
    /// `states`: pending and held, perhaps failed too. With `assigning`, sends what waits for an event, to the options' event.
    public func retry(_ states: Set<Receipt.State>, target: String?, assigning: Bool = false) async throws(IngestError) -> RunOutcome {
        let clock = ContinuousClock(), start = clock.now
        let run = try await writer?.beginRun(verb: options.verb, event: options.event, at: Now.nanoseconds) ?? 0
        let desk = makeDesk(run: run, budget: ByteBudget(limit: plan.spool), book: NameBook())
        let leftovers = Leftovers(ledger: reader, targets: plan.targets, event: options.event, assigning: assigning)
        for placed in try await leftovers.placed(states, only: target) where !stopping.isSet {
            await desk.submit(placed.consignment, parcels: placed.parcels)
        }
        return try await end(run, seconds: { (clock.now - start).inSeconds })
    }

    /// Waits for the deliveries, closes the run in the ledger and counts.
    private func end(_ run: Int64, seconds: () -> Double) async throws(IngestError) -> RunOutcome {
        try await finish(run)
        let outcome = tally.outcome(seconds: seconds(), signal: signalled.withLock { $0 })
        try await writer?.record([.endRun(run, at: Now.nanoseconds, exit: Int(outcome.exitCode.rawValue), summary: outcome.summary)])
        try await writer?.sync()
        return outcome
    }

    private func makeDesk(run: Int64, budget: ByteBudget, book: NameBook) -> any Delivering {
        guard let writer else { return Rehearsal(tally: tally) }
        let setup = DispatcherSetup(
            targets: plan.targets, ledger: writer, hub: hub, tally: tally, book: book, budget: budget, run: run,
            event: options.deliveryEvent)
        let made = Dispatcher(setup)
        dispatcher.withLock { $0 = made }
        return made
    }

    private func places() async throws(IngestError) -> [(driver: any SourceDriver, place: SourcePlace)] {
        var found: [(driver: any SourceDriver, place: SourcePlace)] = []
        for source in plan.sources { for place in try await source.places() { found.append((source, place)) } }
        return found
    }

    private struct PlaceContext: Sendable {
        var run: Int64, budget: ByteBudget, book: NameBook, staging: StagingPlan, delivering: any Delivering
    }

    private func take(_ place: SourcePlace, of driver: any SourceDriver, _ context: PlaceContext) async throws(IngestError) {
        let session = try await driver.open(place)
        let result = await Result { () async throws(IngestError) in try await take(session, context) }
        await session.close()
        try result.get()
    }

    private func take(_ session: any SourceSession, _ context: PlaceContext) async throws(IngestError) {
        let entries = try await session.entries()
        let known = plan.recognises || options.again ? try await reader.known(volume: session.volume) : []
        let rules = Listing.Rules(
            recognition: Recognition(known, hourShift: plan.hourShift), acceptable: plan.acceptable, again: options.again,
            wanted: WantedMemo(plan).wanted)
        let listing = Listing(entries, rules: rules)
        hub.post(.listed(place: session.place, entries: entries.count, bytes: listing.bytes))
        await settle(listing.settled, run: context.run)
        try await intake(session, context).take(listing)
    }

    /// Known files need no new row; what could not be read is remembered.
    private func settle(_ settled: [Settled], run: Int64) async {
        for one in settled { tally.settle(one) }
        let rows = settled.filter { $0.ending == .setAside }.map { LedgerChange.asset(AssetRow($0, run: run)) }
        if let writer, !rows.isEmpty {
            let result = await Result { () async throws(IngestError) in try await writer.record(rows) }
            if case .failure(let error) = result { tally.trouble(error) }
        }
    }

    private func intake(_ session: any SourceSession, _ context: PlaceContext) -> Intake {
        let stager = Stager(
            areas: context.staging.areas, digests: plan.targets.reduce(into: []) { $0.formUnion($1.traits.digests) },
            dryRun: writer == nil, pool: context.staging.pool, hub: hub, cancelled: cancelled)
        let placer = Placer(
            ledger: reader, targets: plan.targets, profiles: plan.profiles, book: context.book, event: options.deliveryEvent,
            photographer: options.photographer, again: options.again, volumeLabel: session.place.label)
        return Intake(
            session: session, reader: ShotReader(session: session, stager: stager, line: Line(stages: plan.stages), tally: tally, hub: hub),
            placer: placer, delivering: context.delivering, ledger: writer, profiles: plan.profiles, tally: tally,
            budget: context.budget, stopping: stopping, run: context.run, workers: session.parallelFetches, wait: options.wait)
    }

    private func finish(_ run: Int64) async throws(IngestError) {
        guard let dispatcher = dispatcher.withLock({ $0 }) else { return }
        await dispatcher.drain(wait: options.wait)
        await dispatcher.closeOut()
        for target in plan.targets {
            let files = await dispatcher.delivered[target.identity] ?? []
            guard !files.isEmpty else { continue }
            let result = await Result { () async throws(IngestError) in try await target.target.finishRun(files) }
            if case .failure(let error) = result { tally.trouble(error) }
        }
    }
}
