import ArgumentParser
import FilmgateCore

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "The runs so far, or what became of the files of one.",
        discussion: """
            EXAMPLE:
              filmgate history --run 12
            """)

    @Option(help: "Show the files of this run.")
    var run: Int64?

    @Option(help: "At most this many lines.")
    var limit = 50

    @OptionGroup var options: CommonOptions

    func run() async throws {
        let workplace = try Workplace(options)
        let reader = try await workplace.readLedger()
        guard limit > 0 else { throw ValidationError("--limit takes a number above 0.") }
        if let run {
            let rows = try await workplace.telling { () async throws(IngestError) in
                try await reader.assets(AssetFilter(run: run, limit: limit))
            }
            for row in rows { try await tell(row, reader, workplace) }
        } else {
            let runs = try await workplace.telling { () async throws(IngestError) in try await reader.runs(limit: limit) }
            for row in runs { Console.out(options.json ? Self.object(row).finished : Self.text(row)) }
        }
    }

    private func tell(_ row: AssetRow, _ reader: any LedgerReader, _ workplace: Workplace) async throws {
        let deliveries = try await workplace.telling { () async throws(IngestError) -> [DeliveryRow] in
            guard let content = row.content else { return [] }
            return try await reader.deliveries(of: content)
        }
        guard options.json else {
            let places = deliveries.map { "\($0.targetName) \($0.receipt.path ?? $0.receipt.url ?? $0.receipt.state.rawValue)" }
            return Console.out(
                Describe.name("\(row.ending?.rawValue ?? "unfinished"): \(row.origin.absolutePath) → \(places.joined(separator: ", "))"))
        }
        var asset = Asset(origin: row.origin, kind: row.kind, shot: row.shot)
        (asset.media, asset.digests, asset.flags) = (row.media, row.digests, row.flags)
        for delivery in deliveries { asset.receipts[delivery.targetName] = delivery.receipt }
        var settled = Settled(asset: asset, ending: row.ending ?? .pending, reason: row.reason, twin: row.twin)
        settled.photographer = row.photographer
        Console.out(ItemLine.text(settled))
    }

    static func object(_ run: RunRow) -> JSONObject {
        var object = JSONObject()
        object.add("type", "run")
        object.add("run", Int(run.id))
        object.add("verb", run.verb)
        object.add("event", run.event)
        object.add("started", CivilTime(unixSeconds: run.started / 1_000_000_000)?.description)
        object.add("ended", run.ended.flatMap { CivilTime(unixSeconds: $0 / 1_000_000_000)?.description })
        object.add("exit", run.exit)
        if let summary = run.summary {
            object.add("seen", summary.seen)
            for ending in Ending.allCases { object.add(ending.rawValue, summary[ending]) }
            object.add("bytes", summary.bytes)
        }
        return object
    }

    static func text(_ run: RunRow) -> String {
        let started = CivilTime(unixSeconds: run.started / 1_000_000_000)?.description ?? "?"
        guard let summary = run.summary, let exit = run.exit else { return "#\(run.id) \(started) \(run.verb): broke off" }
        let counts = Ending.allCases.filter { summary[$0] > 0 }.map { "\(summary[$0]) \($0.rawValue)" }.joined(separator: ", ")
        return "#\(run.id) \(started) \(run.verb): \(counts.isEmpty ? "nothing" : counts), \(Describe.bytes(summary.bytes)), exit \(exit)"
    }
}
