public import FilmgateCore
import PQKit

/// What whoever keeps the catalogue does to a station; needs the owner's role, which no station has.
extension PostgresCatalog {
    public func revoke(_ station: String) async throws(IngestError) -> Bool {
        let sql = """
            WITH gone AS (UPDATE catalog.station SET revoked = coalesce(revoked, now()) WHERE name = $1 RETURNING id),
                over AS (UPDATE catalog.session SET until = clock_timestamp() WHERE station IN (SELECT id FROM gone))
            SELECT count(*) FROM gone
            """
        return try await asOwner { () async throws(IngestError) in
            try await ask(live, sql, [.text(station)]) { row throws(IngestError) in try row.int(0) > 0 }.first ?? false
        }
    }

    public func release(claimsOf station: String) async throws(IngestError) -> Int? {
        let living = """
            SELECT coalesce(s.until > clock_timestamp(), false) FROM catalog.station t LEFT JOIN catalog.session s ON s.station = t.id
            WHERE t.name = $1
            """
        let found = try await asOwner { () async throws(IngestError) in
            try await ask(live, living, [.text(station)]) { row throws(IngestError) in try row.bool(0) }
        }
        guard let isLiving = found.first else { return nil }
        if isLiving {
            throw IngestError(
                .stateLocked, "catalog: \(station) is there now and may be sending what it has claimed.",
                advice: "Stop it first, or wait a minute after it was lost.")
        }
        do throws(IngestError) { return try await freed("SELECT catalog.give_free($1)", station) } catch {
            guard CatalogRefusal.isOlder(error) else { throw error }
            return try await freed(Self.earlierFreeing, station)
        }
    }

    private func freed(_ sql: String, _ station: String) async throws(IngestError) -> Int {
        try await asOwner { () async throws(IngestError) in
            try await ask(live, sql, [.text(station)]) { row throws(IngestError) in Int(try row.int(0)) }.first ?? 0
        }
    }

    /// For tables of before, in which a claim takes the place of nothing.
    private static let earlierFreeing = """
        WITH gone AS (
            DELETE FROM catalog.delivery d USING catalog.station t WHERE t.name = $1 AND d.station = t.id AND d.state = 'c'
                AND NOT EXISTS (SELECT FROM catalog.session s WHERE s.token = d.token AND s.until > clock_timestamp()) RETURNING 1)
        SELECT count(*) FROM gone
        """

    /// A station's role is told which role may do it.
    private func asOwner<Value: Sendable>(
        _ body: () async throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        do throws(IngestError) { return try await body() } catch { throw CatalogRefusal.ofOwning(error) }
    }
}
