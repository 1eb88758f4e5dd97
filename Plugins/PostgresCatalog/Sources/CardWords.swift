import FilmgateCore

/// What the catalogue's rows say of a card.
extension CardAtStation {
    /// What a later version may call an ending is none that delivered anything; no count is believed beyond what was
    /// asked for.
    init(station: String, ending letter: String?, _ count: Int64, of most: Int, at: Int64) {
        let files = Int(min(max(0, count), Int64(most)))
        self.init(station: station, endings: [CatalogLetters.ending(letter) ?? .pending: files], at: at)
    }

    /// One value for each station, by name.
    static func together(_ words: [CardAtStation]) -> [CardAtStation] {
        var found: [String: CardAtStation] = [:]
        for word in words { found[word.station] = found[word.station]?.and(word) ?? word }
        return found.values.sorted { $0.station < $1.station }
    }
}
