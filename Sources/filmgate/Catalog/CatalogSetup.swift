import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger

struct CatalogMigrateCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Make the catalogue's tables, or bring them up to date.",
        discussion: """
            Needs a role that may make tables and roles in the database, which no station needs.

            EXAMPLES:
              filmgate catalog migrate --pipeline desk.yaml --set catalog.postgres.url=postgresql://postgres@/filmgate
              filmgate catalog migrate --pipeline desk.yaml --dry-run > for-the-dba.sql
            """)

    @Flag(help: "Print the SQL that would be run, and change nothing.")
    var dryRun = false

    @OptionGroup var choice: CatalogOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), console = context.console
        let catalog = try await ChosenCatalog(choice, context).catalog
        if dryRun {
            let statements = try await context.telling { () async throws(IngestError) in try await catalog.migration() }
            if statements.isEmpty { return console.err("The tables are up to date.") }
            for line in ["BEGIN"] + statements + ["COMMIT"] { console.out(line + ";") }
            return
        }
        let done = try await context.telling { () async throws(IngestError) in try await catalog.migrate() }
        await catalog.close()
        if options.json { return }
        for line in done { console.out("\(Describe.name(catalog.place)): \(line).") }
        if done.isEmpty { console.out("\(Describe.name(catalog.place)): the tables are up to date.") }
    }
}

struct CatalogJoinCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Make this state directory a station of the catalogue.",
        discussion: """
            From then on what happens here is told there, and what happened before too. Later commands know the pipeline. A state directory \
            whose identity was taken anew elsewhere is refused, and so is one that was shut out; whoever was shut out joins as no other \
            station with the same role.

            EXAMPLE:
              filmgate catalog join --pipeline desk.yaml
            """)

    @Flag(
        help:
            "Take the station's identity for this state directory, after it was restored or copied: whoever had it before is out."
    )
    var asNew = false

    @OptionGroup var choice: CatalogOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        // A person who says so knows where the catalogue is now, whatever was met before.
        let chosen = try await ChosenCatalog(choice, context, isFenced: !asNew)
        let ledger = try await context.openLedger()
        let before = try await context.telling { () async throws(IngestError) in try await ledger.station() }
        let station = chosen.use.station, site = station.site.isEmpty ? nil : station.site
        var identity = StationIdentity(
            uuid: before?.membership.uuid ?? Self.newIdentity(), name: StationName.of(station), site: site, asNew: asNew
        )
        identity.isEphemeral = station.ephemeral
        let snapshot = choice.pipeline.map { _ in PipelineSnapshot(state: context.state) }
        let place = try await context.telling { () async throws(IngestError) in
            let membership = try await join(identity, before?.membership, chosen.catalog, ledger)
            // Who is in already goes on where it was.
            let isSame =
                before?.membership.catalog == membership.catalog && before?.membership.epoch == membership.epoch
            if !isSame || before?.membership.name != membership.name || asNew {
                // Before a run that holds the state begins to tell.
                await UsedTargets(chosen: chosen, context: context).keep()
                try await ledger.join(membership)
            }
            try snapshot?.keep(chosen.pipeline, from: invocation.paths)
            return try await ledger.station()
        }
        await chosen.catalog.close()
        context.close(ledger)
        guard let place else { return }
        let waiting = "\(Describe.count(Int(place.waiting), "change")) to tell"
        if options.json {
            context.console.out(CatalogLine.station(place, chosen.catalog.place).finished)
        } else {
            context.console.out(
                "This state directory is the station \(Describe.name(place.membership.name)) of \(Describe.name(chosen.catalog.place)); \(waiting)."
            )
        }
    }

    /// Joins, or finds the station again; who was put out stays out until `--as-new` is said.
    ///
    /// Tables of before cannot be asked beforehand: there the epoch tells it.
    private func join(
        _ identity: StationIdentity, _ before: StationMembership?, _ catalog: any Catalog, _ ledger: SQLiteLedger
    ) async throws(IngestError) -> StationMembership {
        guard let before, !asNew else { return try await catalog.join(identity) }
        // A catalogue that knows nothing of it, as one that was made anew, is joined.
        if let refusal = try await CatalogProblems.ask(catalog, ledger.reader).refusal, refusal.code != .notFound {
            throw MembershipCheck.plain(refusal)
        }
        let found = try await catalog.join(identity)
        guard found.catalog != before.catalog || found.epoch <= before.epoch else {
            throw MembershipCheck.plain(MembershipCheck.takenAnew(before.name))
        }
        return found
    }

    /// 128 random bits.
    private static func newIdentity() -> String {
        (0..<4).map { _ in String(UInt32.random(in: 0...(.max)) | 0, radix: 16) }.map {
            String(repeating: "0", count: 8 - $0.count) + $0
        }
        .joined()
    }
}
