public import FilmgateCore
import PQKit

extension PostgresCatalog {
    public func applied(
        of membership: StationMembership, last session: Int64?
    ) async throws(IngestError) -> Int64? {
        let values: [PQValue] = [
            .uuid(Digits.bytes(membership.uuid)), .int4(Int32(clamping: membership.epoch)), .int8(session),
        ]
        let sql = "SELECT catalog.standing_v1($1, $2, $3)"
        do throws(IngestError) {
            return try await ask(live, sql, values) { row throws(IngestError) in try row.natural(0) }.first
        } catch {
            guard CatalogRefusal.isOlder(error) else { throw error }
            return nil
        }
    }
}
