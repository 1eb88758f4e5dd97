import FilmgateCore

/// What the catalogue's rows say of a card.
extension CardAtStation {
    /// What a later version may call an ending is none that delivered anything; no count is believed beyond what was
    /// asked for.
    init(station: String, ending letter: String?, _ count: Int64, of most: Int, at: Int64) {
        let files = Int(min(max(0, count), Int64(most)))
        self.init(station: station, endings: [CatalogLetters.ending(letter) ?? .pending: files], at: at)
    }
}
