import FilmgateCore
import PQKit

/// What the role that a station signs in with may do at the server.
struct RoleRights {
    let live: PQConnection

    /// Whether there are tables that this role may ask about; what it may not is told by the question itself.
    func mayLook() async throws(IngestError) -> Bool {
        let sql = "SELECT count(*) > 0 FROM pg_namespace WHERE nspname = 'catalog'"
        return try await live.rows(sql) { row throws(IngestError) in try row.bool(0) }.first ?? false
    }

    /// What a role can do that a station never needs: what is stolen with it.
    func excess() async throws(IngestError) -> [String] {
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
}
