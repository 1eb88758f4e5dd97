public import FilmgateCore
import PQKit

extension PostgresCatalog {
    public func condition() async throws(IngestError) -> CatalogCondition {
        let server = try await live.server(), before = ContinuousClock.now
        let roles = try await live.rows("SELECT session_user::text, clock_timestamp()") { row throws(IngestError) in
            (try row.text(0), try row.time(1))
        }
        let trip = (ContinuousClock.now - before) / .milliseconds(1), now = WallClock.nanoseconds
        guard let (role, time) = roles.first else { throw noAnswer }
        var found = CatalogCondition(
            server: server.host, version: server.version, protection: server.protection, role: role)
        (found.timeline, found.roundTrip, found.understands) = (server.timeline, trip, CatalogSchema.understands)
        found.clockAhead = (Double(now - time) / 1_000_000) - trip / 2
        found.excess = try await excess()
        guard try await mayLook() else { return found }
        let about = try await ask(live, "SELECT id, schema, speaks FROM catalog.about_v1()", []) {
            row throws(IngestError) in
            (Digits.text(try row.bytes(0)), Int(try row.int(1)), try row.ints(2).compactMap { $0.map { Int($0) } })
        }
        if let (identity, schema, speaks) = about.first {
            (found.identity, found.schema, found.speaks) = (identity, schema, speaks)
        }
        return found
    }

    /// Whether there are tables that this role may ask about; what it may not is told by the question itself.
    private func mayLook() async throws(IngestError) -> Bool {
        let sql = "SELECT count(*) > 0 FROM pg_namespace WHERE nspname = 'catalog'"
        return try await live.rows(sql) { row throws(IngestError) in try row.bool(0) }.first ?? false
    }

    /// What a role can do that a station never needs: what is stolen with it.
    private func excess() async throws(IngestError) -> [String] {
        let sql = """
            SELECT CASE WHEN rolsuper THEN 'superuser' END, CASE WHEN rolcreaterole THEN 'may make roles' END,
                CASE WHEN rolbypassrls THEN 'passes over row security' END, CASE WHEN rolreplication THEN 'may copy the whole server' END,
                (SELECT 'reads or writes the table ' || min(c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = 'catalog' AND c.relkind IN ('r', 'p', 'v') AND NOT rolsuper
                        AND has_table_privilege(session_user, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
                    HAVING count(*) > 0)
            FROM pg_roles WHERE rolname = session_user
            """
        let found = try await live.rows(sql) { row throws(IngestError) in
            var words: [String] = []
            for column in 0..<5 { if let word = try row.textOrNil(column) { words.append(word) } }
            return words
        }
        return found.first ?? []
    }

    public func migration() async throws(IngestError) -> [String] { try await tables.statements() }

    public func migrate() async throws(IngestError) -> [String] { try await tables.bringUpToDate() }
}
