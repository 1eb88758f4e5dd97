import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Synchronization

struct CatalogSeedCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Tell the catalogue anew all that this station's ledger knows.",
        discussion: """
            For a catalogue that has lost what it was told. A station that joins tells all by itself, and so does every import and run that \
            finds the catalogue set back. What is told twice is there once. Where it is broken off, it goes on from there when it is called \
            again, and the next import or run goes on, too.

            EXAMPLES:
              filmgate catalog seed --dry-run
              filmgate catalog seed
            """)

    @Flag(help: "Count what would be told, and change nothing.")
    var dryRun = false

    @OptionGroup var choice: CatalogOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), chosen = try await ChosenCatalog(choice, context)
        if dryRun { return try await count(chosen, context) }
        try await context.telling { () throws(IngestError) in
            try StateAccess(context.state, options).check(mustExist: true)
        }
        let ledger = try await context.openLedger(), used = UsedTargets(chosen: chosen, context: context)
        let others = choice.pipeline == nil ? try ChosenCatalog.pipelines(choice, context) : []
        let shared = try await context.telling { () async throws(IngestError) in try await used.shared(with: others) }
        let kept = KeptSharedTargets(state: context.state)
        try await context.telling { () async throws(IngestError) in
            do throws(IngestError) {
                let seeding = CatalogSeeding(
                    ledger: ledger, chosen: chosen, kept: kept, json: options.json, invocation: invocation)
                try await seeding.run(shared)
            } catch { throw MembershipCheck.plain(error) }
        }
        context.close(ledger)
    }

    /// Nobody is asked, and nothing is written.
    private func count(_ chosen: ChosenCatalog, _ context: CommandContext) async throws {
        let reader = try await context.readLedger(mustExist: true) as? SQLiteReader
        let found = try await context.telling { () async throws(IngestError) -> (StationPlace, StationHoldings) in
            guard let reader, let place = try await reader.station() else { throw CatalogSeeding.strange }
            return (place, try await reader.stationHoldings())
        }
        let (place, holdings) = found, catalog = chosen.catalog.place
        if options.json {
            var line = CatalogLine.seed(place, holdings, catalog)
            line.add("dry_run", true)
            return context.console.out(line.finished)
        }
        let waiting = place.waiting == 0 ? "" : "; now it has \(place.told)", name = place.membership.name
        context.console.out(
            Describe.name("\(name) would tell \(catalog) of \(CatalogSeeding.text(holdings))\(waiting)."))
    }
}

/// Tells all that a ledger has anew, and says how far it is.
struct CatalogSeeding {
    let ledger: SQLiteLedger, chosen: ChosenCatalog, kept: KeptSharedTargets, json: Bool
    let invocation: Invocation
    private var console: Console { invocation.console }
    /// How often it is looked how far a run is, and how long it may be without getting on: it asks a catalogue that was
    /// away once a minute.
    private static let interval = Duration.milliseconds(200), patience = Duration.seconds(90)
    /// A person has to do something first: the next import is told the same.
    private static let refusals: Set<IngestError.Code> = [
        .notFound, .rejected, .unauthorized, .misconfigured, .stateLocked,
    ]

    static let strange = IngestError(
        .misconfigured, "This state directory has not joined.", advice: "`filmgate catalog join`.")

    static func text(_ holdings: StationHoldings) -> String {
        let files = Describe.count(Int(holdings.files), "file")
        return "\(files) and \(Describe.count(Int(holdings.copies), "copy", "copies"))"
    }

    /// Nothing is written here before the catalogue has answered.
    func run(_ shared: SharedTargets) async throws(IngestError) {
        guard let membership = try await ledger.station()?.membership else { throw Self.strange }
        try await requireSame(membership)
        let holdings = try await ledger.reader.stationHoldings(), isNew = try await ledger.seed()
        guard let place = try await ledger.station() else { throw Self.strange }
        if !isNew, !json { console.err("catalog: what was begun before goes on: \(place.told).") }
        let progress = SeedProgress(from: place.acknowledged, to: place.last, json: json, console)
        do throws(IngestError) {
            // A second session would end the run's, and with it what it claims.
            if let claims = invocation.job?.services.leases.claims {
                try await wait(for: claims, until: place.last, progress)
            } else {
                try await tell(place, shared, progress)
            }
        } catch {
            progress.end()
            if !json, !Self.refusals.contains(error.code) {
                console.err("catalog: the rest is told by the next import or run, or by calling this again.")
            }
            throw error
        }
        progress.end()
        try await say(holdings, isNew)
    }

    private func requireSame(_ membership: StationMembership) async throws(IngestError) {
        let asked = await Result { () async throws(IngestError) in
            try await CatalogProblems.ask(chosen.catalog, ledger.reader)
        }
        await chosen.catalog.close()
        let problems = try asked.get()
        if let refusal = problems.refusal { throw refusal }
        guard let problem = problems.tables ?? problems.another(than: membership) else { return }
        throw IngestError(.misconfigured, "\(chosen.catalog.place): \(problem)")
    }

    private func tell(
        _ place: StationPlace, _ shared: SharedTargets, _ progress: SeedProgress
    ) async throws(IngestError) {
        let claims = StationClaims(
            chosen.catalog, station: place.membership.name, whenAway: chosen.use.station.whenAway, kept: kept
        ) { [json] in RunTelling.tell(RunTelling.text($0), json: json) }
        claims.add(shared)
        let told = LedgerOfStation(ledger: ledger, claims: claims)
        let reporter = CatalogReporter(chosen.catalog, told) { [json] notice in
            if case .setBack = notice { RunTelling.tell(notice, json: json) }
        }
        try await reporter.tellAll { progress.note($0) }
    }

    /// The run that holds the state tells it.
    private func wait(
        for claims: StationClaims, until last: Int64, _ progress: SeedProgress
    ) async throws(IngestError) {
        var known: Int64?, since = ContinuousClock.now
        while let place = try await ledger.station(), place.acknowledged < last {
            if place.acknowledged != known { (known, since) = (place.acknowledged, .now) }
            progress.note(place.acknowledged)
            guard ContinuousClock.now - since < Self.patience else {
                let words = await claims.trouble ?? "the run that holds this state tells nothing."
                throw IngestError(.unavailable, "catalog: \(RunTelling.plain(words))")
            }
            guard (try? await Task.sleep(for: Self.interval)) != nil else {
                throw IngestError(.cancelled, "The run that holds this state ends.")
            }
        }
    }

    private func say(_ holdings: StationHoldings, _ isNew: Bool) async throws(IngestError) {
        guard let place = try await ledger.station() else { throw Self.strange }
        let catalog = chosen.catalog.place
        if json {
            var line = CatalogLine.seed(place, holdings, catalog)
            line.add("resumed", !isNew)
            return console.out(line.finished)
        }
        console.out(Describe.name("\(place.membership.name) has told \(catalog) all: \(Self.text(holdings))."))
    }
}

/// How much of what is told anew the catalogue has taken: a line that is drawn again on a terminal, a `status` every
/// second among JSON Lines, nothing elsewhere.
final class SeedProgress: Sendable {
    private let first: Int64, last: Int64, json: Bool, isDrawn: Bool
    private let console: Console
    private let said = Mutex<ContinuousClock.Instant?>(nil)

    init(from first: Int64, to last: Int64, json: Bool, _ console: Console) {
        (self.first, self.last, self.json, self.console) = (first, last, json, console)
        isDrawn = !json && console.redrawsStderr
    }

    /// The catalogue knows this station up to there.
    func note(_ known: Int64) {
        guard json || isDrawn, isTime() else { return }
        let told = Int(min(max(0, known - first), last - first)), all = Int(last - first)
        if json {
            var line = JSONWriter()
            line.add("type", "status")
            line.add("told", told)
            line.add("changes", all)
            console.out(line.finished)
        } else {
            Console.errPart("\r\u{1B}[K\(told * 100 / max(1, all)) %  \(told)/\(all) changes told")
        }
    }

    func end() { if isDrawn { Console.errPart("\r\u{1B}[K") } }

    private func isTime() -> Bool {
        said.withLock { said in
            let now = ContinuousClock.now
            if let last = said, now - last < (json ? .seconds(1) : .milliseconds(120)) { return false }
            said = now
            return true
        }
    }
}
