import FilmgateCore
import GRDB
import Testing

@testable import FilmgateLedger

/// The cost of a file stays flat however long the ledger grows: what runs for each file, and for each card, finds its
/// rows by index.
@Suite struct QueryPlanTests {
    private static func plan(_ sql: String) async throws -> [String] {
        let ledger = try SQLiteLedger.inMemory()
        return try await ledger.reader.scan { db in
            try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN " + sql,
                arguments: StatementArguments(repeatElement(nil as String?, count: sql.count { $0 == "?" }))
            )
            .map { $0["detail"] as String }
        }
    }

    @Test(arguments: Command.allCases) func writingNeverScans(_ command: Command) async throws {
        #expect(try await Self.plan(command.sql).filter { $0.contains("SCAN") } == [])
    }

    private static let readings = [
        "known": KnownFiles.sql, "camera": KnownFiles.camera, "done side by side": DoneTargets.range,
        "done apart": DoneTargets.each,
        "deliveries": "SELECT d.state FROM delivery d " + SQLiteReader.deliveriesOfContent,
        "number": SQLiteReader.number, "receipts": SQLiteReader.receipts, "twin": SQLiteReader.twin,
        "neighbour": SQLiteReader.neighbour, "holder": SQLiteReader.holder, "copies": SQLiteReader.copies,
        "copies of a span": SQLiteReader.copiesOfSpan, "numbers": ContentSpan.numbers,
        "shotName": SQLiteReader.shotName, "counter": SQLiteReader.counter, "shotNames": SQLiteReader.shotNames,
        "filesNamed": SQLiteReader.filesNamed, "mark": MarkReading.one, "marked": SQLiteReader.marked,
        "all of a content": SQLiteReader.allOfContent,
        "queue by mark": SQLiteReader.queue("d.mark_of = ? AND " + SQLiteReader.open),
        "files of a picture": MarkWriter.files, "besides": MarkWriter.besides, "what was before": MarkWriter.findPast,
        "what an order did": MarkHistory.one, "whether it undid": MarkHistory.any, "forgetting": MarkWriter.forget,
        "order to undo": MarkWriter.findOrder, "part of an order": MarkWriter.lastPart,
        "order of a mark": MarkWriter.tokenOf,
        "contents with files": SQLiteReader.contentsWithFiles, "what a target has": SQLiteReader.ordered,
        "what it does not have": SQLiteReader.orderedOpen,
        "queue": SQLiteReader.queue([.pending, .held]), "notes": SQLiteReader.latestNotes(ofAsset: true),
        "latest volumes": SQLiteReader.latestVolumes, "file of a volume": SQLiteReader.fileOfVolume,
        "held for the catalogue": SQLiteReader.absentCatalog,
        "is known": SQLiteReader.isKnown, "standings": SQLiteReader.standings,
        "assets(sha256:)": "SELECT a.path FROM asset a" + AssetReading.joins + SQLiteReader.bySHA256,
    ]

    @Test(arguments: readings.keys.sorted()) func readingForAFileNeverScans(_ name: String) async throws {
        #expect(try await Self.plan(try #require(Self.readings[name])).filter { $0.contains("SCAN") } == [])
    }

    /// Asked for each target before a run: what is done is the most there is.
    @Test func whatWaitsAtATargetIsFoundWithoutWhatIsDone() async throws {
        #expect(try await Self.plan(SQLiteReader.uses).contains { $0.contains("INDEX delivery_open") })
    }

    /// Each card costs its own files, not those of every card before.
    @Test func knownFilesAreFoundByVolumeContentAndDelivery() async throws {
        let plan = try await Self.plan(KnownFiles.sql).joined(separator: "\n")
        #expect(plan.contains("SEARCH a USING PRIMARY KEY (volume_id=? AND path>? AND path<?)"))
        #expect(plan.contains("SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"))
        #expect(
            try await Self.plan(DoneTargets.range) == [
                "SEARCH delivery USING PRIMARY KEY (content_id>? AND content_id<?)"
            ])
        #expect(try await Self.plan(DoneTargets.each).contains("SEARCH delivery USING PRIMARY KEY (content_id=?)"))
    }

    /// What a catalogue is told anew is found part by part, in the order in which it lies.
    @Test(arguments: Seeding.allCases) func partsAreFoundByTheirKey(_ part: Seeding) async throws {
        let next = try await Self.plan(part.statement(isFirst: false)).joined(separator: "\n")
        #expect(
            next.contains("USING PRIMARY KEY ((") && !next.contains("SCAN") && !next.contains("TEMP B-TREE"), "\(next)")
    }

    @Test func theHighestCounterIsTheEndOfAnIndex() async throws {
        let plan = try await Self.plan(SQLiteReader.counter).joined(separator: "\n")
        #expect(plan.contains("shot_name_counter (target_id=? AND event=? AND counter>?)"))
    }

    /// Totals count every row, but read only indexes; what is open or marked is looked up, and nothing else; lists by
    /// run walk an index.
    @Test func countsReadIndexesOnly() async throws {
        func scans(_ sql: String) async throws -> [String] {
            try await Self.plan(sql).filter { $0.hasPrefix("SCAN asset") || $0.hasPrefix("SCAN delivery") }
        }
        for sql in [SQLiteReader.assetCount, TargetTotals.all, TargetTotals.open] {
            let found = try await scans(sql)
            #expect(!found.isEmpty && found.allSatisfy { $0.contains("COVERING INDEX") }, "\(sql): \(found)")
        }
        for sql in [
            SQLiteReader.madeCounts, TargetTotals.waiting, TargetTotals.reasons, OpenTarget.counts, OpenTarget.reasons,
            SQLiteReader.damaged, SQLiteReader.restCounts,
        ] {
            let found = try await scans(sql)
            #expect(found.isEmpty, "\(sql): \(found)")
        }
        let rest = try await Self.plan(SQLiteReader.restCounts).filter { $0.hasPrefix("SEARCH a ") }
        #expect(
            rest.count == 3 && rest.allSatisfy { $0.contains("COVERING INDEX asset_run (run=? AND ending") }, "\(rest)")
    }

    /// Whoever watches asks for the latest of them every second, and a service delivers for weeks.
    @Test(arguments: [[Ending.setAside], [.pending], [.setAside, .pending]], [false, true])
    func whatIsOpenIsFoundWithoutWhatIsDelivered(_ endings: [Ending], _ isLatest: Bool) async throws {
        var filter = AssetFilter(endings: Set(endings))
        filter.latest = isLatest
        func plan(_ filter: AssetFilter) async throws -> [String] {
            try await Self.plan("SELECT a.path FROM asset a" + AssetReading.joins + SQLiteReader.clauses(filter))
        }
        let list = try await plan(filter)
        #expect(list.contains { $0.contains("asset_open (ending=?)") }, "\(list)")
        // One ending lies in the order that is asked for.
        #expect(list.contains { $0.contains("TEMP B-TREE") } == !(isLatest && endings.count == 1), "\(list)")
        let all = try await plan(AssetFilter(endings: [.delivered]))
        #expect(all.contains { $0.contains("asset_run") }, "\(all)")
    }
}
