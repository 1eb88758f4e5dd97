import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import FilmgateReport

struct HistoryCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the runs so far, or the files of one run.",
        discussion: """
            EXAMPLE:
              filmgate history --run 12
            """)

    @Option(help: "Show the files of this run.")
    var run: Int64?

    @Option(help: "At most this many lines; absent: the last 50 runs, or all files of one.")
    var limit: Int?

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        let reader = try await context.readLedger(mustExist: true)
        guard limit ?? 1 > 0 else { throw ValidationError("--limit takes a number above 0.") }
        if let run { return try await tellFiles(of: run, reader, context) }
        let runs = try await context.telling { () async throws(IngestError) in
            try await reader.runs(limit: limit ?? 50)
        }
        let holder = StateHolder(directory: context.state)
        for row in runs {
            context.console.out(options.json ? RunLine.object(row, holder).finished : Self.text(row, holder))
        }
    }

    /// What that run did, file by file.
    private func tellFiles(of run: Int64, _ reader: any LedgerReader, _ context: CommandContext) async throws {
        let (runs, rows) = try await context.telling { () async throws(IngestError) in
            (try await reader.runs(limit: .max), try await reader.assets(AssetFilter(run: run, limit: limit ?? .max)))
        }
        guard let known = runs.first(where: { $0.id == run }) else {
            let last = runs.first.map { "the last one was \($0.id)" } ?? "there has been none yet"
            throw context.refuse("There is no run \(run); \(last).")
        }
        if !options.json { context.console.err(Self.text(known, StateHolder(directory: context.state))) }
        for row in rows { try await tell(row, reader, context) }
        if options.json { context.console.out(Self.summary(known, rows)) }
    }

    /// The run's own words, whatever later runs made of its files; of one that was not ended, what it came to so far.
    private static func summary(_ run: RunRow, _ rows: [AssetRow]) -> String {
        let counts = rows.compactMap(\.ending).reduce(into: [Ending: Int]()) { $0[$1, default: 0] += 1 }
        var outcome = RunOutcome(summary: run.summary ?? RunSummary(counts: counts))
        outcome.damaged = rows.count { $0.ending != .filtered && $0.flags.contains(AssetFlag.truncated) }
        let exit = run.exit.flatMap { Int32(exactly: $0) }.flatMap { ExitStatus(rawValue: $0) }
        return SummaryLine.json(outcome, exit: exit ?? .notProven)
    }

    private func tell(_ row: AssetRow, _ reader: any LedgerReader, _ context: CommandContext) async throws {
        let deliveries = try await context.telling { () async throws(IngestError) -> [DeliveryRow] in
            guard let content = row.content else { return [] }
            // What later runs delivered is theirs to tell.
            return try await reader.deliveries(of: content).filter {
                $0.receipt.state != .done || $0.receipt.at <= row.at
            }
        }
        guard options.json else {
            let places = deliveries.map { "\($0.targetName) \(Self.place($0.receipt, since: row.at))" }
            let reason = WaitingReason.text(row, deliveries).map { ": " + $0 } ?? ""
            let arrow = places.isEmpty ? "" : " → \(places.joined(separator: ", "))"
            return context.console.out(
                Describe.name("\(row.ending?.words ?? "unfinished"): \(row.origin.absolutePath)\(reason)\(arrow)"))
        }
        var asset = Asset(origin: row.origin, kind: row.kind, shot: row.shot)
        (asset.media, asset.digests, asset.flags) = (row.media, row.digests, row.flags)
        for delivery in deliveries { asset.receipts[delivery.targetName] = delivery.receipt }
        var settled = AssetResult(
            asset: asset, ending: row.ending ?? .pending, reason: WaitingReason.text(row, deliveries),
            twin: row.twin)
        settled.photographer = row.photographer
        context.console.out(ItemLine.text(settled))
    }

    /// Where a copy came to, or what became of it; what was said of it after that run is told as such.
    private static func place(_ receipt: Receipt, since run: Int64) -> String {
        let state = receipt.state.rawValue, place = receipt.path ?? receipt.url
        if receipt.state == .done || receipt.at <= run { return place ?? state }
        return (place.map { $0 + " " } ?? "") + "(\(state) since)"
    }

    static func text(_ run: RunRow, _ holder: StateHolder?) -> String {
        let event = run.event.map { $0.isEmpty ? "" : " for \(Describe.name($0))" } ?? ""
        let began = CivilTime(unixSeconds: run.started / 1_000_000_000)?.description ?? "?"
        let started = "#\(run.id) \(began) \(run.verb)\(event)"
        guard let summary = run.summary, let exit = run.exit else {
            return "\(started): \(RunLine.isUnderWay(run, holder) ? "under way" : "broke off")"
        }
        let counts = Ending.allCases.filter { summary[$0] > 0 }.map { "\(summary[$0]) \($0.words)" }.joined(
            separator: ", ")
        return "\(started): \(counts.isEmpty ? "nothing" : counts), \(Describe.bytes(summary.bytes)), exit \(exit)"
    }
}
