import FilmgateCore
import PQKit

/// Makes the tables and functions of a catalogue, and brings them up to date.
struct CatalogMigration: Sendable {
    let connection: PQConnection
    /// The server and its database, and the role, as a person names them.
    let place: String, role: String

    /// What `bringUpToDate` would run; nothing where the tables are up to date.
    func statements() async throws(IngestError) -> [String] {
        try await making { () throws(IngestError) in CatalogSchema.statements(from: try await present()) }
    }

    /// What was done; nothing where the tables are up to date.
    func bringUpToDate() async throws(IngestError) -> [String] {
        try await making { () throws(IngestError) in
            let before = try await present(), statements = CatalogSchema.statements(from: before)
            return statements.isEmpty ? [] : try await run(statements, from: before)
        }
    }

    private func run(_ statements: [String], from before: Int) async throws(IngestError) -> [String] {
        let sql = "BEGIN;\n" + statements.joined(separator: ";\n") + ";\nCOMMIT"
        do throws(IngestError) { try await connection.run(sql, within: .seconds(120)) } catch {
            // A failed statement leaves its transaction open.
            await connection.close()
            // Somebody else may have done the same at the same moment.
            if try await present() == CatalogSchema.newest { return [] }
            throw CatalogRefusal.told(error, place)
        }
        await connection.close()
        return before == 0
            ? ["made the tables of version \(CatalogSchema.newest)"] : ["tables \(before) → \(CatalogSchema.newest)"]
    }

    /// A role that may not is told which one may.
    private func making(
        _ body: () async throws(IngestError) -> [String]
    ) async throws(IngestError) -> [String] {
        do throws(IngestError) { return try await body() } catch {
            throw CatalogRefusal.ofMaking(error, as: role, at: place)
        }
    }

    /// The number of the tables there; `misconfigured` where a newer program made them.
    private func present() async throws(IngestError) -> Int {
        let sql =
            "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = 'catalog' AND relname = 'meta'"
        let tables = try await connection.rows(sql) { row throws(IngestError) in try row.int(0) }
        guard tables.first == 1 else { return 0 }
        let number = try await version()
        guard number <= CatalogSchema.newest else {
            throw IngestError(
                .misconfigured,
                "The catalogue at \(place) has tables of version \(number); this program knows \(CatalogSchema.newest).",
                advice: "Update this program.")
        }
        return number
    }

    private func version() async throws(IngestError) -> Int {
        do throws(IngestError) {
            let about = try await connection.rows("SELECT schema FROM catalog.about_v1()") { row throws(IngestError) in
                Int(try row.int(0))
            }
            return about.first ?? 0
        } catch { throw CatalogRefusal.ofAbout(error, place) }
    }
}
