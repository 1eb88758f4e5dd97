import FilmgateCore
import PQKit

/// How much room the tables take at the server, which every role may ask.
enum TableSizes {
    private static let sql = """
        SELECT c.relname::text, pg_total_relation_size(c.oid), greatest(c.reltuples, 0)::bigint
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'catalog' AND c.relkind = 'r' ORDER BY 2 DESC, 1
        """

    /// Asking a table's size waits for whoever changes its form, and nothing depends on the answer.
    static func read(_ connection: PQConnection) async throws(IngestError) -> [CatalogSize] {
        try await connection.rows(sql, within: .seconds(2)) { row throws(IngestError) in
            CatalogSize(
                table: try row.text(0), bytes: UInt64(max(0, try row.int(1))), rows: max(0, try row.int(2)))
        }
    }
}
