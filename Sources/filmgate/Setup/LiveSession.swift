import FilmgateCore
import FilmgateEngine
import FilmgateExternal
import FilmgateLedger

/// A run without an end, as a person and a service see it: reloads, the control socket, metrics, words to systemd.
struct LiveSession {
    let session: RunSession
    /// Reads the pipeline again; nil where there is no file to read.
    var load: (@Sendable () -> LoadedPipeline)?
    var metrics: ListenAddress?
    var studio: StudioSupervisor?
    private let leases = DeliveryLeases()

    /// One for all runners: a reload does not end a pause.
    let gate = PauseGate()
    let switching = EventSwitch(), upcoming = UpcomingFrames()
    private let earlierEvents = EarlierEvents()

    /// The run as it goes on now, or as it would with another event.
    ///
    /// `invocation`: that of who asks how it would go on, and is told; nil = the run's own.
    func present(event: String? = nil, for invocation: Invocation? = nil) -> RunSession {
        var present = session
        if let event = event ?? switching.event { present.options.event = event }
        if let invocation { present.context.invocation = invocation }
        return present
    }

    private var context: CommandContext { session.context }

    /// Goes on until a signal, and ends the verb with the run's exit code.
    func run(_ pipeline: PipelineFile) async throws {
        let ledger = try await context.openLedger(handingOver: false)
        try await context.telling { () async throws(IngestError) in try await session.learnEvent([pipeline]) }
        let hub = EventHub(), progress = Progress(), notices = NoticeRelay()
        hub.watch(progress.note)
        hub.watch(notices.note)
        let printer = RunPrinter(context, plan: false, ledger: ledger)
        hub.watch(printer.note)
        hub.whenResting(printer.catchUp)
        let feed = ChangeFeed(), liveStatus = LiveStatus(event: session.options.event, gate: gate)
        let changes = RunChanges(feed: feed, liveStatus: liveStatus, upcoming: upcoming)
        changes.follow(ledger)
        liveStatus.whenPaused { [json = session.json, console = context.console] paused in
            Self.tell(paused: paused, json, console)
            changes.noteRun()
        }
        for note in [liveStatus.note, changes.note] { hub.watch(note) }
        leases.whenLeft(earlierEvents.look)
        let runControl = RunControl(whenStopping: ServiceNotice.stopping)
        let services = ControlServer.HostServices(
            ledger: ledger, liveStatus: liveStatus, leases: leases, changes: changes, switching: switching
        ) {
            await runControl.takeUp()
        }
        let control = control(services, changes, runControl)
        // Before any job is taken: it is to claim what it delivers, too.
        let telling = await RunTelling.begin([pipeline], ledger, context, leases)
        leases.claims?.follow(hub)
        control?.start()
        let counts = Metrics(ledger), meter = try metrics.map { address in try serve(address, counts, hub) }
        studio?.start()
        let background = Task { await Self.keepAlive() }
        telling?.show(in: counts, liveStatus, ledger)
        let result = await Signals.handled(by: runControl, reloading: load != nil) {
            await Result { () async throws(IngestError) in
                try await go(pipeline, ledger, hub, notices, printer, progress, counts, runControl, control)
            }
        }
        ServiceNotice.stopping()
        await control?.end()
        meter?.stop()
        await stopStudio()
        if case .failure(let error) = result { await brokeOff(error, telling, notices) }
        let outcome = try await context.telling { () throws(IngestError) in try result.get() }
        background.cancel()
        let code = await tell(outcome, printer, notices)
        await telling?.end()
        ledger.close()
        throw Exit(code)
    }

    private func brokeOff(_ error: IngestError, _ telling: RunTelling?, _ notices: NoticeRelay) async {
        await telling?.end()
        await notices.failed(session.options.verb, error)
    }

    /// Says how the run ended, to whoever asked for it and to hooks.
    private func tell(_ outcome: RunOutcome, _ printer: RunPrinter, _ notices: NoticeRelay) async -> ExitStatus {
        await printer.finish(outcome)
        let code = exitCode(of: outcome)
        context.console.out(
            session.json ? SummaryLine.json(outcome, exit: code) : SummaryLine.human(outcome, exit: code, plan: false))
        await notices.end(session.options.verb, exitCode)
        return code
    }

    private func exitCode(of outcome: RunOutcome) -> ExitStatus {
        let code = outcome.exitCode
        return code == .complete && session.errorOnEmpty && outcome.summary[.delivered] == 0 ? .nothingToDo : code
    }

    /// One runner after the other, as the pipeline is reloaded.
    private func go(
        _ first: PipelineFile, _ ledger: SQLiteLedger, _ hub: EventHub, _ notices: NoticeRelay, _ printer: RunPrinter,
        _ progress: Progress, _ counts: Metrics, _ runControl: RunControl, _ control: ControlServer?
    ) async throws(IngestError) -> RunOutcome {
        var outcome = RunOutcome(), next: PipelineFile? = first, proven: PipelineFile?
        let bar = session.drawing(progress)
        defer { bar?.cancel() }
        while let pipeline = next {
            // Before anybody reads the files that it names: what changes from now on is a change.
            let present = PipelineFingerprint(pipeline, from: context.invocation.paths), session = self.present()
            let (runner, plan, own) = try runner(pipeline, ledger, hub)
            if proven == nil { await session.clearOrphans(plan, ledger) }
            let reload = Reload(
                self, ledger: ledger, runner: runner, pipeline: pipeline, present: present, askNext: runControl.hangUp)
            let accounts = AccountWatch(plan.signIns, context.logger)
            let credits = CreditWatch(CreditInquiry([pipeline], plan, context))
            defer { accounts.end() }
            try PipelineSnapshot(state: session.options.state).keep(pipeline, from: context.invocation.paths)
            notices.begin(pipeline, session)
            let watch =
                load == nil
                ? nil : PipelineWatch(files(of: pipeline), changed: { reload.ask() }, gone: reload.lost)
            counts.watch(places(plan))
            control?.changes.liveStatus.take(plan)
            runControl.steer(runner) { reload.ask() }
            switching.take(reload.begin)
            ServiceNotice.ready(paused: gate.isShut)
            await lookAfterOthers(than: session.options.event, plan, ledger, control)
            let result = await Result { () async throws(IngestError) in try await runner.run(.continuous) }
            notices.hear(result)
            runControl.letGo()
            switching.letGo()
            let taken = reload.end()
            await credits.end()
            await own.rest()
            withExtendedLifetime(watch) {}
            // Its queues are gone with it; the next one may call its targets by other names.
            for target in plan.connections { hub.post(.queue(target: target.name, waiting: 0, sending: 0)) }
            if case .failure(let error) = result, error.code == .misconfigured, let last = proven {
                reload.keepOld(error)
                (next, proven) = (last, nil)
                continue
            }
            outcome = outcome.followed(by: try result.get())
            (next, proven) = (outcome.signal == nil ? taken : nil, pipeline)
            if next != nil { printer.forgetPending() }
        }
        earlierEvents.end()
        return outcome
    }

    /// What waits for other events is sent beside the run; what only a run with its event lets go is told.
    private func lookAfterOthers(
        than event: String?, _ plan: Plan, _ ledger: SQLiteLedger, _ control: ControlServer?
    ) async {
        earlierEvents.begin(with: event, ledger, leases) { await control?.retry() }
        if session.json { return }
        let kept = await Result { () async throws(IngestError) in
            try await EarlierDeliveries.kept(besides: plan, event: event, ledger)
        }
        for one in (try? kept.get()) ?? [] { context.console.err(one.keptRemark) }
    }

    /// For what other processes ask of the run; nil where they cannot reach it.
    private func control(_ services: ControlServer.HostServices, _ changes: RunChanges, _ runControl: RunControl)
        -> ControlServer?
    {
        ControlServer(
            state: session.options.state, services, changes, logger: context.logger
        ) { [earlierEvents] pictures in
            await runControl.marked(pictures)
            await earlierEvents.marked(pictures)
        }
    }

    /// Each with a hub of its own, so that what a runner that is gone wanted to hear goes with it.
    ///
    /// `event`: another than the run has, to see whether it can be run with that; `invocation`: of who asks that.
    func runner(
        _ pipeline: PipelineFile, _ ledger: SQLiteLedger, _ hub: EventHub, event: String? = nil,
        for invocation: Invocation? = nil
    ) throws(IngestError) -> (runner: Runner, plan: Plan, hub: EventHub) {
        let session = present(event: event, for: invocation)
        let plan = try session.plan([pipeline], ledger, events: [session.options.event]), own = EventHub()
        own.watch { hub.post($0) }
        own.whenResting { await hub.rest() }
        var options = session.options.asking(leases.claims, for: [pipeline])
        (options.gate, options.upcoming) = (gate, upcoming)
        options.holdsForEvent = pipeline.event.hold && options.event == nil
        let runner = Runner(
            plan: plan, options: options, hub: own, reader: ledger, writer: ledger, leases: leases,
            buildPlan: session.buildPlan([pipeline], ledger))
        return (runner, plan, own)
    }

    /// The pipeline's own file, and those that its profiles come from.
    private func files(of pipeline: PipelineFile) -> Set<String> {
        let files = Set([pipeline.file] + pipeline.profiles.profiles.map(\.mark.file)).filter { !$0.isEmpty }
        return Set(files.map(context.invocation.paths.absolute))
    }

    /// In the run's own words, whoever asked for it.
    private static func tell(paused: Bool, _ json: Bool, _ console: Console) {
        ServiceNotice.ready(paused: paused)
        guard json else {
            return console.err(
                paused ? "Paused: nothing new is taken until `filmgate resume`; deliveries continue." : "Continuing.")
        }
        var line = JSONWriter()
        line.add("type", "status")
        line.add("paused", paused)
        console.out(line.finished)
    }

    /// Folders whose disk may fill up.
    private func places(_ plan: Plan) -> [String: String] {
        plan.connections.reduce(into: ["spool": session.options.state]) { places, entry in
            places[entry.name] = entry.target.traits.localRoot
        }
    }

    private func serve(_ address: ListenAddress, _ metrics: Metrics, _ hub: EventHub) throws -> MetricsServer {
        do {
            let server = try MetricsServer(address) { metrics.text }
            server.start()
            hub.watch(metrics.note)
            return server
        } catch { throw context.end(error) }
    }

    private func stopStudio() async {
        guard let studio else { return }
        await withCheckedContinuation { ended in
            BlockingThread.run {
                studio.stop()
                ended.resume()
            }
        }
    }

    private static func keepAlive() async {
        guard let interval = ServiceNotice.interval else { return }
        while !Task.isCancelled {
            ServiceNotice.alive()
            try? await Task.sleep(for: interval)
        }
    }
}
