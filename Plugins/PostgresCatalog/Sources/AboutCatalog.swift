import FilmgateCore
import PQKit

/// What a catalogue says of itself to every version of this program.
struct AboutCatalog: Sendable, Hashable {
    var identity: String, schema: Int
    /// Versions of the functions that work there.
    var speaks: [Int]

    /// Nil where it says nothing.
    static func read(_ connection: PQConnection) async throws(IngestError) -> AboutCatalog? {
        let sql = "SELECT id, schema, speaks FROM catalog.about_v1()"
        return try await connection.rows(sql) { row throws(IngestError) in
            AboutCatalog(
                identity: Digits.text(try row.bytes(0)), schema: Int(try row.int(1)),
                speaks: try row.ints(2).compactMap { $0.map { Int($0) } })
        }
        .first
    }

    /// Which side has to be updated where one of this program's functions is missing there.
    ///
    /// Functions come with new tables also where their version stays the same.
    var older: CatalogSide {
        let understands = CatalogSchema.understands
        if Set(speaks).isDisjoint(with: understands) {
            return CatalogSide.older(understands: understands, speaks: speaks)
        }
        return schema > CatalogSchema.newest ? .program : .catalogue
    }
}
