public import FilmgateCore
import PQKit

extension PostgresCatalog {
    public func card(
        _ volume: String, _ files: [AssetID], _ session: Int64
    ) async throws(IngestError) -> [CardAtStation] {
        if files.isEmpty { return [] }
        let most = files.count, ids = PQValue.uuids(files.map { CatalogLetters.number(of: $0) })
        let values: [PQValue] = [.int8(session), .int8(CatalogLetters.number(of: volume)), ids]
        let sql = "SELECT teller, ending, files, latest FROM catalog.card_v1($1, $2, $3)"
        do throws(IngestError) {
            let words = try await ask(live, sql, values) { row throws(IngestError) in
                CardAtStation(
                    station: try row.text(0), ending: try row.textOrNil(1), try row.int(2), of: most, at: try row.int(3)
                )
            }
            return CardAtStation.together(words)
        } catch {
            guard CatalogRefusal.isOlder(error) else { throw error }
            return []
        }
    }
}
