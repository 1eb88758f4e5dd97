public import FilmgateCore
import PQKit

extension PostgresCatalog {
    public func card(
        _ volume: String, _ files: [AssetID], _ session: Int64
    ) async throws(IngestError) -> [CardAtStation] {
        if files.isEmpty { return [] }
        let most = files.count
        let values: [PQValue] = [
            .int8(session), .int8(CatalogLetters.number(of: volume)),
            .uuids(files.map { CatalogLetters.number(of: $0) }),
        ]
        let sql = "SELECT teller, ending, files, latest FROM catalog.card_v1($1, $2, $3)"
        do throws(IngestError) {
            let words = try await ask(live, sql, values) { row throws(IngestError) in
                CardAtStation(
                    station: try row.text(0), endings: Self.endings(try row.textOrNil(1), try row.int(2), of: most),
                    at: try row.int(3))
            }
            return Self.together(words)
        } catch {
            guard CatalogRefusal.isOlder(error) else { throw error }
            return []
        }
    }

    /// What a later version may call an ending is none that delivered anything; no count is believed beyond what was
    /// asked for.
    private static func endings(_ letter: String?, _ count: Int64, of most: Int) -> [Ending: Int] {
        [CatalogLetters.ending(letter) ?? .pending: Int(min(max(0, count), Int64(most)))]
    }

    /// One value for each station, by name.
    private static func together(_ words: [CardAtStation]) -> [CardAtStation] {
        var found: [String: CardAtStation] = [:]
        for word in words { found[word.station] = found[word.station]?.and(word) ?? word }
        return found.values.sorted { $0.station < $1.station }
    }
}
