import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger

struct CatalogCheckCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Try the catalogue: reachable, proven, its tables, this role's rights, the clocks.",
        discussion: """
            Exit codes, as of all verbs of the catalogue: 0 all is well, 2 there is none that this program can use, \
            4 the sign-in is refused or the role may not, 5 it cannot be reached or proven to be the right one, \
            78 the pipeline is invalid.

            EXAMPLE:
              filmgate catalog check --pipeline desk.yaml
            """)

    @OptionGroup var choice: CatalogOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation),
            catalog = try await ChosenCatalog(choice, context).catalog
        let found = try await context.telling { () async throws(IngestError) in try await catalog.condition() }
        await catalog.close()
        if options.json {
            context.console.out(CatalogLine.condition(found, catalog.place).finished)
        } else {
            tell(found, catalog, context.console)
        }
        if found.common == nil { throw Exit(.usage) }
    }

    private func tell(_ found: CatalogCondition, _ catalog: any Catalog, _ console: Console) {
        let clock = abs(found.clockAhead) > 2000 ? "CLOCK" : "clock"
        let ahead = CatalogStatusCommand.signed(found.clockAhead)
        console.out(
            Describe.name(
                "\(catalog.place): \(found.server), PostgreSQL \(found.version), \(found.protection), as \(found.role)")
        )
        console.out(
            "  answer after \(Describe.decimal(found.roundTrip, 1)) ms, \(clock) \(ahead) s, "
                + "history \(found.timeline.map(String.init) ?? "unknown")")
        let problems = CatalogProblems(found: found)
        for words in problems.excess { console.err("warning: \(Describe.name(words))") }
        if let schema = found.schema {
            console.out(
                "  tables of version \(schema), functions of \(found.speaks.map(String.init).joined(separator: ", "))")
        }
        if let words = problems.tables { console.err(words) }
    }
}

struct CatalogStatusCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "What this station has yet to tell, and who else is there.",
        discussion: """
            Ends as an import would be refused where the catalogue does not take this state directory for its station any more: 2 where the \
            identity was taken anew elsewhere or the directory was restored or copied, 4 where it was shut out, 10 where another process \
            uses the identity now.

            EXAMPLE:
              filmgate catalog status
            """)

    @OptionGroup var choice: CatalogOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        try choice.handOver(options, invocation)
        let context = try CommandContext(options, invocation), console = context.console
        let chosen = try await ChosenCatalog(choice, context)
        let reader = try await context.readLedger(mustExist: true) as? SQLiteReader
        let standing = try await context.telling { () async throws(IngestError) in
            try await OwnStanding.read(reader, context)
        }
        if let standing {
            let place = chosen.catalog.place
            console.out(
                options.json
                    ? CatalogLine.station(standing, place).finished : Describe.name(standing.text(place)))
        } else {
            console.err("This state directory has not joined: `filmgate catalog join`.")
        }
        let stations = try await context.telling { () async throws(IngestError) in try await chosen.catalog.stations() }
        let sizes = await Result { () async throws(IngestError) in try await chosen.catalog.sizes() }
        let refusal = try await context.telling { () async throws(IngestError) in
            try await MembershipCheck(catalog: chosen.catalog, reader: reader).refusal()
        }
        await chosen.catalog.close()
        // Who was shut out is told nothing, also where its role may ask for another station.
        if let refusal, refusal.code == .unauthorized { throw context.end(refusal) }
        for station in stations {
            console.out(options.json ? CatalogLine.summary(station).finished : Self.text(station))
        }
        // Nothing depends on them.
        if case .success(let sizes) = sizes, !sizes.isEmpty {
            console.out(options.json ? CatalogLine.sizes(sizes).finished : Self.text(sizes))
        }
        if let refusal { throw context.end(MembershipCheck.plain(refusal)) }
    }

    /// One line for people: all together, and the three largest.
    static func text(_ sizes: [CatalogSize]) -> String {
        let all = Describe.bytes(sizes.reduce(0) { $0 &+ $1.bytes })
        let largest = sizes.prefix(3).map { "\($0.table) \(Describe.bytes($0.bytes))" }
        return Describe.name("The catalogue takes \(all): \(largest.joined(separator: ", ")).")
    }

    /// Seconds of so many milliseconds, with their sign.
    static func signed(_ milliseconds: Double) -> String {
        (milliseconds <= -50 ? "−" : "+") + Describe.decimal(abs(milliseconds) / 1000, 1)
    }

    /// One line for people.
    static func text(_ station: StationSummary) -> String {
        let heard = station.present ? "now" : station.silence.map { "\(Describe.duration($0)) ago" } ?? "never"
        let clock = station.clockAhead.map { milliseconds in
            "\(abs(milliseconds) > 2000 ? "CLOCK" : "clock") \(signed(Double(milliseconds))) s"
        }
        let status = station.status.flatMap { StationStatus(json: $0) }
        let untold = status.flatMap { status in
            status.untold == 0
                ? nil
                : "\(Describe.count(Int(status.untold), "change")) to tell"
                    + (station.present ? "" : ", which only it can")
        }
        let parts: [String?] = [
            station.name, station.site, heard, clock, station.version, station.revoked ? "SHUT OUT" : nil, untold,
        ]
        let open = status.map(Self.open) ?? []
        let card = status?.cards.first.map { "card \($0.label)" + ($0.percent.map { " \($0) %" } ?? "") }
        return "  "
            + Describe.name(
                (parts + open + [card] + (status?.sources ?? [])).compactMap(\.self).joined(separator: "  "))
    }

    /// What it has to deliver, target by target; of stations of before, and of more targets than are told, the rest.
    private static func open(_ status: StationStatus) -> [String?] {
        let rest = status.waiting - status.targets.reduce(0) { $0 + min($1.waiting, Int64.max >> 8) }
        let others = rest > 0 ? "\(Describe.count(Int(rest), "delivery", "deliveries")) open" : nil
        let targets: [String?] = status.targets.map { Self.words(on: $0) }
        return targets + [others]
    }

    /// `gallery 12 waiting (96 MB)`, and what keeps it.
    static func words(on target: StationStatus.Target) -> String {
        let bytes = Describe.bytes(target.bytes), why = target.reason.map { ": \($0)" } ?? ""
        if target.held >= target.waiting { return "\(target.name) \(target.held) HELD (\(bytes))\(why)" }
        let held = target.held == 0 ? "" : ", \(target.held) HELD\(why)"
        return "\(target.name) \(target.waiting) waiting (\(bytes))\(held)"
    }
}
