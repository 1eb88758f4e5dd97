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
        (found.timeline, found.roundTrip, found.understands) = (
            server.history?.timeline, trip, CatalogSchema.understands
        )
        found.clockAhead = (Double(now - time) / 1_000_000) - trip / 2
        let rights = RoleRights(live: live)
        found.excess = try await rights.excess()
        guard try await rights.mayLook() else { return found }
        do throws(IngestError) {
            guard let about = try await AboutCatalog.read(live) else { return found }
            (found.identity, found.schema, found.speaks) = (about.identity, about.schema, about.speaks)
        } catch { throw CatalogRefusal.ofAbout(error, place) }
        return found
    }

    public func sizes() async throws(IngestError) -> [CatalogSize] { try await TableSizes.read(live) }

    public func migration() async throws(IngestError) -> [String] { try await tables.statements() }

    public func migrate() async throws(IngestError) -> [String] { try await tables.bringUpToDate() }
}
