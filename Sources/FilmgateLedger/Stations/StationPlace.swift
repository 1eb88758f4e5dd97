public import FilmgateCore
import GRDB

/// This ledger's place in a catalogue, and how far it has told.
public struct StationPlace: Sendable, Hashable {
    public var membership: StationMembership
    /// Up to which change the catalogue said that it knows this station; the last change here.
    ///
    /// The difference is what waits.
    public var acknowledged: Int64, last: Int64
    /// The last session, so that the catalogue can tell this process from a copy of its state.
    public var session: Int64?
    /// The newest history of a server that was seen; nil where there is none.
    public var history: ServerHistory?
    /// Up to where a report went of which nothing was heard since; nil where there is none.
    public var telling: Int64?

    /// Lines that were acknowledged are kept for a catalogue that is set back: about 20 bytes each.
    static let keptLines: Int64 = 1_000_000

    public var waiting: Int64 { max(0, last - acknowledged) }

    static func read(_ db: Database) throws -> StationPlace? {
        let columns = "uuid, name, epoch, catalog, acknowledged, session, timeline, cluster, telling"
        var query = try Query(db, "SELECT \(columns) FROM station")
        guard try query.next() else { return nil }
        let uuid = query.text(), name = query.text(), epoch = Int(query.int()), catalog = query.text()
        let acknowledged = query.int()
        let membership = StationMembership(
            uuid: uuid, name: name, epoch: epoch, catalog: catalog, applied: acknowledged)
        let session = query.intOrNil(), timeline = query.int(), cluster = query.intOrNil(), telling = query.intOrNil()
        return StationPlace(
            membership: membership, acknowledged: acknowledged, last: try lastChange(db), session: session,
            history: timeline > 0 ? ServerHistory(cluster: cluster, timeline: timeline) : nil, telling: telling)
    }

    /// The highest number that was ever given.
    static func lastChange(_ db: Database) throws -> Int64 {
        var query = try Query(db, "SELECT seq FROM sqlite_sequence WHERE name = 'told'")
        return try query.next() ? query.int() : 0
    }

    /// A number is given and taken back, which leaves the sequence behind it.
    static func raise(to last: Int64, _ db: Database) throws {
        guard last > 0 else { return }
        try db.execute(sql: "INSERT INTO told (seq) VALUES (?)", arguments: [last])
        try db.execute(sql: "DELETE FROM told")
    }

    /// The catalogue was set back behind the oldest line.
    static func lacksLines(behind applied: Int64, _ db: Database) throws -> Bool {
        var query = try Query(db, "SELECT acknowledged, (SELECT min(seq) FROM told) FROM station")
        guard try query.next(), applied < query.int() else { return false }
        return query.intOrNil() ?? .max > applied + 1
    }

    /// Another cluster has a history of its own.
    static func note(_ session: Int64, _ history: ServerHistory?, _ db: Database) throws {
        let newest = "CASE WHEN cluster <> ?3 THEN ?2 ELSE max(timeline, ?2) END"
        try db.execute(
            sql: "UPDATE station SET session = ?1, timeline = \(newest), cluster = coalesce(?3, cluster)",
            arguments: [session, history?.timeline ?? 0, history?.cluster])
    }

    static func note(_ applied: Int64, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE station SET telling = CASE acknowledged WHEN ?1 THEN telling END, acknowledged = ?1",
            arguments: [applied])
        try db.execute(sql: "DELETE FROM told WHERE seq <= ?", arguments: [applied - keptLines])
    }
}

extension SQLiteReader {
    /// Nil where this state directory has joined no catalogue.
    public func station() async throws(IngestError) -> StationPlace? {
        try await scan { db in try StationPlace.read(db) }
    }
}
