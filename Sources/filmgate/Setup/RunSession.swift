import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateExternal
import FilmgateLedger

/// One run as a person sees it: progress while it lasts, troubles as they come, a summary at the end, the exit code.
struct RunSession {
    var context: CommandContext
    var options: RunOptions
    var errorOnEmpty = false

    var json: Bool { context.options.json }
    private var console: Console { context.console }
    /// What the run that this is a job of lends to it; nil for a run of its own.
    private var job: HostedJob? { context.invocation.job }
    /// Takes frames, rather than only sending what waits.
    private var isTaking: Bool { ["import", "run", "watch"].contains(options.verb) }

    /// Sends again what waits for the targets of these pipelines.
    ///
    /// `files`: names of those that are meant alone; nil = all.
    func resume(_ pipelines: [PipelineFile], _ order: ResumeOrder, of files: [String]? = nil) async throws {
        try await context.telling { () throws(IngestError) in
            guard try FileFacts.of(options.state) == nil else { return }
            throw IngestError(
                .notFound, "There is no state \(options.state): nothing was ever taken with it.",
                advice: "Say which one with --state.")
        }
        // What follows only reads, and readers refuse the tables of an earlier release: they are brought up to date
        // first.
        if job == nil { try await context.openLedger().close() }
        if let target = order.target { try await refuseUnknown(target, pipelines) }
        let reader = try await context.readLedger()
        let queue = try await context.telling { () async throws(IngestError) in
            try await reader.queue([.pending, .held, .failed])
        }
        var order = order, idle: [String]?
        if let files {
            let found = try await found(files, in: queue, reader, order.assigning)
            (order.contents, idle) = (found.contents, found.idle)
        }
        let meant = queue.filter { order.means($0.delivery.content) }
        if order.assigning, try await holdsNothing(meant, idle, order, pipelines, reader) { return }
        if !order.assigning, waitsForNothing(meant.map(\.delivery), order) { return }
        try await run(pipelines, .resume(order))
    }

    /// What these names mean of all that waits; of which nothing does is told.
    private func found(
        _ files: [String], in waiting: [QueuedDelivery], _ reader: any LedgerReader, _ assigning: Bool
    ) async throws -> WaitingFiles.Found {
        var found = try await context.telling { () async throws(IngestError) in
            try await WaitingFiles(waiting, reader, from: context.invocation.paths).found(files)
        }
        if let first = found.idle.first {
            let others = found.idle.count > 1 ? " and \(found.idle.count - 1) more" : ""
            console.err("Nothing of \(Describe.name(first))\(others) waits.")
        }
        if assigning { found.contents = waiting.wholeShots(of: found.contents) }
        return found
    }

    /// Nothing waits for an event: says so, and what would change whose frames these are.
    ///
    /// No run is begun then: its event, perhaps misspelt, would be one of the events that are listed from now on.
    private func holdsNothing(
        _ waiting: [QueuedDelivery], _ idle: [String]?, _ order: ResumeOrder, _ pipelines: [PipelineFile],
        _ reader: any LedgerReader
    ) async throws -> Bool {
        let target = order.target
        let held = waiting.map(\.delivery).filter { $0.isUnassigned && $0.receipt.state != .failed }
        let mine = held.filter { target == nil || $0.targetName == target }
        // The ledger may know the place by the name that it had in the pipeline file before: then the run itself looks.
        let names = Set(pipelines.flatMap { $0.targets.map(\.name) })
        guard mine.isEmpty, held.allSatisfy({ names.contains($0.targetName) }) else { return false }
        let before = AssignedBefore(
            reader: reader, waiting: waiting.filter { !$0.delivery.isUnassigned }, idle: idle,
            start: context.invocation.paths)
        let remark = try await context.telling { () async throws(IngestError) in
            try await before.remark(at: held.isEmpty ? nil : target)
        }
        console.err(remark)
        return true
    }

    /// Says so where nothing is to be sent: a count of nothing reads as if something had been tried.
    private func waitsForNothing(_ waiting: [DeliveryRow], _ order: ResumeOrder) -> Bool {
        let (states, target) = (order.states, order.target)
        let mine = waiting.filter { target == nil || $0.targetName == target }
        // The ledger may know the place by the name that it had in the pipeline file before: then the run itself looks.
        if mine.isEmpty, !waiting.isEmpty { return false }
        let isIdle = !mine.contains { states.contains($0.receipt.state) }
        if isIdle, !json {
            let refused =
                mine.isEmpty ? "" : " \(Describe.count(mine.count, "file")) that failed: `filmgate retry --failed`."
            console.out("Nothing \(order.contents == nil ? "" : "of that ")is waiting.\(refused)")
        }
        return isIdle && !json
    }

    /// Ends the verb for a target that neither the pipelines nor the ledger know.
    private func refuseUnknown(_ target: String, _ pipelines: [PipelineFile]) async throws {
        let reader = try await context.readLedger()
        let totals = try await context.telling { () async throws(IngestError) in try await reader.totals() }
        let known = Set(pipelines.flatMap { $0.targets.map(\.name) } + totals.targets.map(\.name)).sorted()
        if known.contains(target) { return }
        let hint = nearest(target, among: known).map { " Did you mean `\($0)`?" } ?? ""
        let list = known.isEmpty ? "none is known yet" : "known: \(known.joined(separator: ", "))"
        throw context.refuse("There is no target called `\(target)`; \(list).\(hint)")
    }

    private func tellRemarks(of outcome: RunOutcome, _ earlier: EarlierPlaces, _ reader: any LedgerReader) async {
        if json { return }
        for one in outcome.earlier { console.err(one.remark) }
        let older = isTaking ? await earlier.remarks(reader) : []
        if options.verb != "import" { return older.forEach(console.err) }
        let whole = await WholeCopies(reader: reader).remarks(outcome.lacking.keys)
        for line in outcome.remarks + whole + older { console.err(line) }
    }

    /// Runs the pipelines, and ends the verb with the run's exit code.
    func run(_ pipelines: [PipelineFile], _ mode: RunMode) async throws {
        let writer = options.dryRun ? nil : try await context.openLedger()
        let reader: any LedgerReader = if let writer { writer } else { try await context.readLedger() }
        let hub = EventHub(), progress = Progress(), leases = job?.services.leases.lent() ?? DeliveryLeases()
        hub.watch(progress.note)
        let printer = RunPrinter(context, plan: options.dryRun, ledger: reader)
        hub.watch(printer.note)
        hub.whenResting(printer.catchUp)
        let notices = HookNotifier(pipelines, options, context), earlier = EarlierPlaces(event: options.event)
        for note in [earlier.note, notices.note] { hub.watch(note) }
        let telling = await RunTelling.begin(pipelines, writer, context, leases)
        let control = watchable(hub, leases, writer, telling)
        defer { control?.stop() }
        let outcome = try await context.telling { () async throws(IngestError) in
            let events = try await events(reader), held = try await heldEvents(events, pipelines)
            let plan = try plan(pipelines, reader, events: events, held: held)
            if !options.dryRun { earlier.expect(plan) }
            control?.changes.liveStatus.take(plan)
            if writer != nil {
                await clearOrphans(plan, reader)
                for pipeline in pipelines { try keep(pipeline) }
            }
            let runner = Runner(
                plan: plan, options: asked(pipelines, leases, control), hub: hub, reader: reader,
                writer: writer, leases: leases, buildPlan: buildPlan(pipelines, reader))
            let accounts = options.dryRun ? nil : AccountWatch(plan.signIns, context.logger)
            let credits = options.dryRun ? nil : CreditWatch(CreditInquiry(pipelines, plan, context))
            defer { accounts?.end() }
            notices.started(options.verb, targets: plan.connections.map(\.name), isAskedFor: isAskedFor)
            let bar = drawing(progress)
            let outcome = await Signals.handled(by: RunControl(runner), stop: job?.stop) {
                await Result { () async throws(IngestError) in try await runner.run(mode) }
            }
            bar?.cancel()
            await bar?.value
            await credits?.end()
            await hub.rest()
            await printer.printed()
            return await (try await told(outcome, notices)).beside(
                mode == .together && job == nil ? plan : nil, options.event, reader)
        }
        await printer.finish(outcome)
        let code = exitCode(of: outcome)
        await tellRemarks(of: outcome, earlier, reader)
        console.out(
            json ? SummaryLine.json(outcome, exit: code) : SummaryLine.human(outcome, exit: code, plan: options.dryRun))
        await letGo(writer, control, telling)
        await notices.ended(options.verb, outcome.summary, code, isAskedFor: isAskedFor)
        throw Exit(code)
    }

    private var isAskedFor: Bool { context.invocation.isAskedFor }

    /// Remembers where it delivers to.
    private func keep(_ pipeline: PipelineFile) throws(IngestError) {
        try PipelineSnapshot(state: options.state).keep(pipeline, from: context.invocation.paths)
    }

    /// Hooks are told where it broke off.
    private func told(
        _ outcome: Result<RunOutcome, IngestError>, _ notices: HookNotifier
    ) async throws(IngestError) -> RunOutcome {
        do throws(IngestError) { return try outcome.get() } catch {
            let told = error.code == .deviceBusy && job != nil ? Self.cameraInUse(error) : error
            await notices.failed(options.verb, told, isAskedFor: isAskedFor)
            throw told
        }
    }

    /// Lets others watch what this run changes: at its own socket, which takes no jobs, or at that of the run that it
    /// is a job of.
    private func watchable(
        _ hub: EventHub, _ leases: DeliveryLeases, _ writer: SQLiteLedger?, _ telling: RunTelling?
    ) -> ControlServer? {
        guard let writer else { return nil }
        leases.claims?.follow(hub)
        if let job {
            hub.watch(job.services.changes.note)
            return nil
        }
        let changes = RunChanges(feed: ChangeFeed(), liveStatus: LiveStatus(event: options.event, gate: PauseGate()))
        changes.follow(writer)
        changes.liveStatus.follow(telling?.gauges)
        hub.watch(changes.liveStatus.note)
        hub.watch(changes.note)
        let control = ControlServer(state: options.state, nil, changes, logger: context.logger) {
            await leases.marked($0)
        }
        control?.start()
        return control
    }

    private func asked(_ pipelines: [PipelineFile], _ leases: DeliveryLeases, _ control: ControlServer?) -> RunOptions {
        var asked = options.asking(leases.claims, for: pipelines)
        asked.upcoming = (control?.changes ?? job?.services.changes)?.upcoming
        return asked
    }

    /// The socket goes before the state is another's: the next run puts its own there.
    private func letGo(_ writer: SQLiteLedger?, _ control: ControlServer?, _ telling: RunTelling?) async {
        await telling?.end()
        control?.stop()
        context.close(writer)
    }

    private func exitCode(of outcome: RunOutcome) -> ExitStatus {
        let code = outcome.exitCode
        if job != nil, code == .sourceLost,
            let busy = outcome.troubles.first(where: { $0.code == .deviceBusy })
        {
            console.tell(Self.cameraInUse(busy), json: json)
            return .stateLocked
        }
        return code == .complete && errorOnEmpty && outcome.summary[.delivered] == 0 ? .nothingToDo : code
    }

    /// Whole staged files that nothing waits for: those that folders have go, and of others a person has to know.
    ///
    /// Not for who only sends what waits: that is said once where frames are taken, and not after every such job.
    func clearOrphans(_ plan: Plan, _ reader: any LedgerReader) async {
        guard isTaking, !options.dryRun, job == nil else { return }
        let roots = plan.connections.compactMap { $0.target.traits.localRoot }, state = options.state
        let told = await Result { () async throws(IngestError) -> [String] in
            var remarks: [String] = []
            for orphans in try await StagedOrphans.look(state: state, roots: roots, reader) {
                remarks += try await orphans.clear(reader)
            }
            return remarks
        }
        for remark in (try? told.get()) ?? [] { console.err(remark) }
    }

    /// A camera has one session at a time, and the run that holds the state has it.
    static func cameraInUse(_ error: IngestError) -> IngestError {
        IngestError(
            .stateLocked, "The run that holds this state has the camera: \(error.message)",
            advice: "It takes new frames by itself, and with `--backlog all` those from before too; or stop it first.",
            cause: error)
    }

    /// The events that this run delivers for: its own, or for `retry` those of all that waits.
    func events(_ reader: any LedgerReader) async throws(IngestError) -> [String?] {
        guard options.verb == "retry" else { return [options.event] }
        let waiting = try await reader.queue([.pending, .held, .failed]).filter { !$0.delivery.isUnassigned }.map(
            \.delivery.event)
        return waiting.isEmpty ? [nil] : Array(Set(waiting))
    }

    /// A target is another one for each event, so each gets its own.
    func plan(
        _ pipelines: [PipelineFile], _ reader: any LedgerReader, events: [String?],
        held: [EventDirectories.Unknown] = []
    ) throws(IngestError) -> Plan {
        var plans: [Plan] = []
        for event in events {
            var builder = context.builder(ledger: reader, event: event)
            builder.placesFiles = options.dryRun || isTaking
            for unknown in held where unknown.event == event {
                for place in unknown.places { builder.unknownEvents[place] = unknown.trouble }
            }
            for pipeline in pipelines { plans.append(try context.ordering(pipeline.sources, builder).plan(pipeline)) }
        }
        return Plan.union(plans)
    }

    /// Makes the plan for files that bring another event with them, once their galleries know that event.
    func buildPlan(_ pipelines: [PipelineFile], _ reader: any LedgerReader) -> Runner.BuildPlan {
        let targets = pipelines.map { pipeline in
            var targets = pipeline
            targets.sources = []
            return targets
        }
        return { event async throws(IngestError) in
            var session = self
            session.options.event = event
            try await session.learnEvent(targets)
            return try session.plan(targets, reader, events: [event])
        }
    }

    /// The bar, where there is a terminal to draw it on: nothing wakes up for it elsewhere.
    func drawing(_ progress: Progress) -> Task<Void, Never>? {
        guard console.redrawsStderr else { return nil }
        return Task.detached { await ProgressBar(progress: progress).run() }
    }
}
