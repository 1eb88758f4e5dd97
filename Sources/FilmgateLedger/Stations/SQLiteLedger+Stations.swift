public import FilmgateCore
import GRDB

/// How a ledger tells a catalogue what happened.
extension SQLiteLedger {
    public func station() async throws(IngestError) -> StationPlace? { try await reader.station() }

    /// From now on every change is noted, and all that the ledger has is told.
    ///
    /// Numbers go on behind what the catalogue knows of this identity. May be called again, for the same catalogue or
    /// another.
    public func join(_ membership: StationMembership) async throws(IngestError) {
        _ = try await commits.commit { writer in
            let db = writer.db, last = max(try StationPlace.lastChange(db), membership.applied)
            try db.execute(sql: "DELETE FROM told; DELETE FROM station")
            try db.execute(
                sql:
                    "INSERT INTO station (one, uuid, name, epoch, catalog, acknowledged, timeline) VALUES (1, ?, ?, ?, ?, ?, 0)",
                arguments: [membership.uuid, membership.name, membership.epoch, membership.catalog, membership.applied])
            try StationPlace.raise(to: last, db)
            try StationTables.listen(db)
            for part in Seeding.allCases { _ = try part.lines(behind: nil, limit: -1, db) }
            try Seeding.noteEnd(db)
            return 0
        }
    }

    /// Forgets the catalogue: nothing is noted any more, and nothing waits.
    public func leaveCatalog() async throws(IngestError) {
        _ = try await commits.commit { writer in
            try StationTables.stopListening(writer.db)
            try writer.db.execute(sql: "DELETE FROM told; DELETE FROM station")
            return 0
        }
    }

    /// Notes the session before it is used, and the newest history of a server.
    public func note(session: Int64, history: ServerHistory?) async throws(IngestError) {
        _ = try await commits.commit { writer in
            try StationPlace.note(session, history, writer.db)
            return 0
        }
    }

    /// Notes up to where a report goes before it is told.
    public func note(telling upTo: Int64) async throws(IngestError) {
        _ = try await commits.commit { writer in
            try writer.db.execute(sql: "UPDATE station SET telling = ?", arguments: [upTo])
            return 0
        }
    }

    /// The catalogue knows this station up to there: what it knows is not told again, and what it has lost is.
    ///
    /// A report of which nothing was heard is settled where that is another place than before. Where lines in between
    /// are gone, lines are made for everything first: until they are all there, this ledger stands where it stood.
    public func acknowledge(_ applied: Int64) async throws(IngestError) {
        let lacksLines = try await commits.commit { writer in
            if try StationPlace.lacksLines(behind: applied, writer.db) { return 1 }
            try StationPlace.note(applied, writer.db)
            return 0
        }
        guard lacksLines == 1 else { return }
        try await makeLines()
        _ = try await commits.commit { writer in
            try StationPlace.note(applied, writer.db)
            try Seeding.noteEnd(writer.db)
            return 0
        }
    }

    /// What changed behind `seq`, up to `last` where that is said, `limit` lines at most, as the rows are now; nil when
    /// nothing did.
    public func untold(
        after seq: Int64, upTo last: Int64? = nil, limit: Int
    ) async throws(IngestError) -> StationReport? {
        try await reader.scan { db in try UntoldReading(db).report(after: seq, upTo: last, limit: limit) }
    }
}

extension SQLiteLedger: StationLedger {
    public func standing() async throws(IngestError) -> StationStanding? {
        guard let place = try await station() else { return nil }
        return StationStanding(
            membership: place.membership, session: place.session, last: place.last, history: place.history,
            telling: place.telling)
    }

    public func status() async throws(IngestError) -> StationStatus? { try await reader.stationStatus() }
}
