import FilmgateCore
import FilmgateEngine
import FilmgateLedger

/// Tells the catalogue of a run while it goes on; a catalogue in trouble is a line on stderr, never the run's failure.
struct RunTelling {
    private let reporter: CatalogReporter, claims: StationClaims, running: Task<Void, Never>
    /// How the station stands, for metrics.
    let gauges: CatalogGauges
    /// How long the end of a run waits for what is left; more is told by the next run.
    private static let patience = Duration.seconds(5)

    /// Nil without `catalog:` in these pipelines, for a job of another run, which tells for both, and where the
    /// catalogue cannot even be asked for.
    ///
    /// Whoever delivers with these leases claims there what goes to targets that stations share. Where a pipeline names
    /// a catalogue and nobody can claim, they follow `when_away`: nothing is sent as if it were this station's alone.
    static func begin(
        _ pipelines: [PipelineFile], _ ledger: SQLiteLedger?, _ context: CommandContext, _ leases: DeliveryLeases
    ) async -> RunTelling? {
        guard let ledger, let pipeline = pipelines.first(where: { $0.catalog != nil }) else { return nil }
        guard context.invocation.job == nil else {
            if leases.claims == nil {
                let words = "the run that holds this state uses no catalogue"
                leases.claims = absent(words, pipeline, context)
                context.console.err("catalog: \(words): nothing of this job is told or claimed.")
            }
            return nil
        }
        let result = await Result { () async throws(IngestError) in try await prepare(pipeline, ledger, context) }
        switch result {
        case .success(let telling):
            leases.claims = telling?.claims
            return telling
        case .failure(let error):
            leases.claims = absent(plain(error.message), pipeline, context)
            context.console.err("catalog: \(Describe.name(plain(error.description)))")
            return nil
        }
    }

    /// Claims of a catalogue that nobody can ask.
    private static func absent(
        _ words: String, _ pipeline: PipelineFile, _ context: CommandContext
    ) -> StationClaims {
        let rule = pipeline.catalog?.station ?? StationRule(), json = context.options.json
        return StationClaims(
            absent: words, station: StationName.of(rule), whenAway: rule.whenAway,
            kept: KeptSharedTargets(state: context.state)
        ) { refusal in tell(text(refusal), json: json) }
    }

    /// A state directory that has not joined is told of nothing and tells nothing; where it joins meanwhile, its run
    /// goes on as a station.
    private static func prepare(
        _ pipeline: PipelineFile, _ ledger: SQLiteLedger, _ context: CommandContext
    ) async throws(IngestError) -> RunTelling? {
        let place = try await ledger.station()
        if place == nil {
            context.console.err(
                "catalog: this state directory has not joined; nothing is told or claimed until "
                    + "`filmgate catalog join`.")
        }
        guard let chosen = try await ChosenCatalog.of(pipeline, context) else { return nil }
        let json = context.options.json, gauges = CatalogGauges(), rule = chosen.use.station
        let claims = StationClaims(
            chosen.catalog, station: place?.membership.name ?? StationName.of(rule), whenAway: rule.whenAway,
            gauges: gauges, kept: KeptSharedTargets(state: context.state),
            refuse: { refusal in tell(text(refusal), json: json) }, tell: { notice in tell(notice.text, json: json) })
        let told = LedgerOfStation(ledger: ledger, claims: claims)
        let reporter = CatalogReporter(chosen.catalog, told, claims: claims, gauges: gauges) { notice in
            tell(notice, json: json)
        }
        return RunTelling(
            reporter: reporter, claims: claims, running: Task { await reporter.run() }, gauges: gauges)
    }

    /// From now on the run's metrics and its status say how the station stands.
    func show(in metrics: Metrics, _ liveStatus: LiveStatus, _ ledger: SQLiteLedger) {
        metrics.follow(gauges, ledger)
        liveStatus.follow(gauges)
    }

    /// Tells what is left; before the ledger is closed.
    func end() async {
        await claims.stop()
        await reporter.stop()
        let impatience = Task { [running] in
            if (try? await Task.sleep(for: Self.patience)) != nil { running.cancel() }
        }
        await running.value
        impatience.cancel()
        _ = await reporter.finish(within: Self.patience)
    }

    static func tell(_ notice: CatalogNotice, json: Bool) { tell(plain(text(notice)), json: json) }

    /// On stderr, or among the JSON Lines of stdout; of whoever holds the state, not of its job.
    static func tell(_ text: String, json: Bool) {
        guard json else { return Console.own.err("catalog: " + Describe.name(text)) }
        var line = JSONWriter()
        line.add("type", "status")
        line.add("catalog", text)
        Console.own.out(line.finished)
    }

    /// What the catalogue itself refuses begins so already.
    static func plain(_ text: String) -> String {
        text.hasPrefix("catalog: ") ? String(text.dropFirst(9)) : text
    }

    /// A sentence as it stands in brackets.
    static func inner(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

    static func text(_ refusal: SharedTargets.Refusal) -> String {
        let words = refusal.isWarning ? "is shared, though" : "is this station's alone:"
        return "\(refusal.target) \(words) \(refusal.reason). \(refusal.advice)"
    }

    static func text(_ notice: CatalogNotice) -> String {
        switch notice {
        case .away(let words, let targets):
            "not reachable (\(inner(words))); going on alone."
                + (targets.isEmpty ? "" : " \(targets.map(\.text).joined(separator: "; ")).")
        case .back(let seconds): "back after \(Describe.duration(Double(seconds)))."
        case .caughtUp(let files, let seconds, let others):
            "\(Describe.count(Int(files), "file")) told in \(Describe.duration(seconds))"
                + (others == 0 ? "." : ", \(others) \(others == 1 ? "was" : "were") delivered by others meanwhile.")
        case .refused(let words, let advice): words + (advice.map { " " + $0 } ?? "")
        case .ahead(let known, let told):
            plain(MembershipCheck.ahead(known: known, told: told).description)
        case .setBack(let had, let has): "it was set back (had \(had) of ours, has \(has)): telling the rest again."
        }
    }
}
