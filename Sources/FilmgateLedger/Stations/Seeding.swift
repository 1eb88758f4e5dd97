public import FilmgateCore
import GRDB

/// What a ledger has for a catalogue in all.
public struct StationHoldings: Sendable, Hashable {
    /// Files that ended, and copies that are done.
    public var files: Int64, copies: Int64
}

extension SQLiteReader {
    /// Counts what would be told of everything; reads all of it.
    public func stationHoldings() async throws(IngestError) -> StationHoldings {
        try await scan { db in
            var query = try Query(db, Seeding.count)
            guard try query.next() else { return StationHoldings(files: 0, copies: 0) }
            return StationHoldings(files: query.int(), copies: query.int())
        }
    }
}

extension SQLiteLedger {
    /// So many lines are made in one transaction: a run's own changes wait for no more than these.
    static let linesAtOnce = 20_000

    /// Makes lines for everything that the ledger has, behind those that wait; false where that was done before and is
    /// not all told yet, so that whoever tells goes on there.
    ///
    /// Broken off in between, it begins anew, and some is told twice. `misconfigured` where this state directory has
    /// joined no catalogue.
    public func seed() async throws(IngestError) -> Bool {
        let isUnderWay = try await reader.scan { db -> Bool? in
            guard try StationPlace.read(db) != nil else { return nil }
            return try Seeding.isUnderWay(db)
        }
        guard let isUnderWay else {
            throw IngestError(
                .misconfigured, "This state directory has not joined a catalogue.", advice: "`filmgate catalog join`.")
        }
        if isUnderWay { return false }
        try await makeLines()
        _ = try await commits.commit { writer in
            try Seeding.noteEnd(writer.db)
            return 0
        }
        return true
    }

    /// Part by part, each in a transaction of its own.
    func makeLines(atOnce limit: Int = linesAtOnce) async throws(IngestError) {
        for part in Seeding.allCases {
            var last: Int64?
            repeat {
                let cursor = last
                let made = try await commits.commit { writer in
                    try part.lines(behind: cursor, limit: limit, writer.db) ?? 0
                }
                last = made > 0 ? made : nil
            } while last != nil
        }
    }
}

/// The lines that tell everything anew, in the order of the tables' keys.
enum Seeding: CaseIterable {
    case files, deliveries

    /// Makes lines for the rows behind that of the line `cursor`, the first ones without it; `limit` at most, all of
    /// them where it is negative.
    ///
    /// The last one's number; nil where there are no more rows. What changes meanwhile has a line of its own.
    func lines(behind cursor: Int64?, limit: Int, _ db: Database) throws -> Int64? {
        var making = try Query(db, statement(isFirst: cursor == nil))
        if let cursor {
            var line = try Query(db, "SELECT volume_id, path, content_id, target_id FROM told WHERE seq = ?")
            line.bind(cursor)
            guard try line.next() else { return nil }
            switch self {
            case .files:
                making.bind(line.int())
                making.bind(line.text())
            case .deliveries:
                line.skip(2)
                making.bind(line.int())
                making.bind(line.int())
            }
        }
        making.bind(limit)
        try making.execute()
        return db.changesCount == limit ? db.lastInsertedRowID : nil
    }

    func statement(isFirst: Bool) -> String {
        let (table, key, rows) =
            switch self {
            case .files: ("asset", "volume_id, path", "ending IS NOT NULL")
            // A place that is gone is told, too: the catalogue may be older than that word.
            case .deliveries:
                ("delivery", "content_id, target_id", "(state = 'done' OR attempts = \(DeliveryRow.retired))")
            }
        let behind = isFirst ? "" : "(\(key)) > (?, ?) AND "
        return
            "INSERT INTO told (\(key)) SELECT \(key) FROM \(table) WHERE \(behind)\(rows) GROUP BY \(key) ORDER BY \(key) "
            + "LIMIT ?"
    }

    /// Up to the last line, everything is told once more.
    ///
    /// That line gets both a path and a target, which no other has and nobody reads: a table of its own for one number
    /// would be a migration of every ledger.
    static func noteEnd(_ db: Database) throws {
        try db.execute(
            sql: "UPDATE told SET path = coalesce(path, ''), target_id = coalesce(target_id, 0) "
                + "WHERE seq = (SELECT max(seq) FROM told)")
    }

    /// Everything was to be told once more, and is not yet.
    static func isUnderWay(_ db: Database) throws -> Bool {
        let waiting = "seq > (SELECT acknowledged FROM station) AND path IS NOT NULL AND target_id IS NOT NULL"
        var query = try Query(db, "SELECT EXISTS (SELECT 1 FROM told WHERE \(waiting))")
        return try query.next() && query.int() == 1
    }

    static let count = """
        SELECT (SELECT count(*) FROM (SELECT 1 FROM asset WHERE ending IS NOT NULL GROUP BY volume_id, path)),
            (SELECT count(*) FROM delivery WHERE state = 'done')
        """
}
