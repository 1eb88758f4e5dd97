public import FilmgateCore
import GRDB

extension OpenTarget {
    /// Those with the most deliveries first.
    static func read(_ db: Database) throws -> [OpenTarget] {
        var found: [Int64: OpenTarget] = [:]
        var query = try Query(db, counts)
        while try query.next() {
            let id = query.int(), identity = query.text(), name = query.text(), waiting = query.int()
            let bytes = UInt64(min(max(query.doubleOrNil() ?? 0, 0), 9e18)), held = query.int()
            found[id] = OpenTarget(
                identity: identity,
                told: StationStatus.Target(name: name, waiting: waiting, bytes: bytes, held: held), failed: query.int())
        }
        var words = try Query(db, reasons)
        while try words.next() {
            let id = words.int()
            found[id]?.told.reason = words.text()
        }
        return found.values.sorted { ($1.told.waiting, $0.identity) < ($0.told.waiting, $1.identity) }
    }

    static let counts = """
        SELECT t.id, t.identity, t.name, d.count, d.bytes, d.held, d.failed FROM (
            SELECT target_id, count(*) AS count, total(max(size, 0)) AS bytes, count(*) FILTER (WHERE state = 'held') AS held,
                count(*) FILTER (WHERE state = 'failed') AS failed FROM delivery
            WHERE state <> 'done' AND state IN ('pending', 'held', 'failed') GROUP BY target_id) d JOIN target t ON t.id = d.target_id
        """
    static let reasons = """
        SELECT target_id, reason, max(at) FROM delivery WHERE state <> 'done' AND state = 'held' AND reason IS NOT NULL GROUP BY target_id
        """
}

extension SQLiteReader {
    /// Where open deliveries go, the most first.
    public func openTargets() async throws(IngestError) -> [OpenTarget] {
        try await scan { db in try OpenTarget.read(db) }
    }
}
