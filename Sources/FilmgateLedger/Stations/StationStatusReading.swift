public import FilmgateCore
import GRDB

/// What people are told of this station.
extension SQLiteReader {
    /// How many of the latest changes are looked through for cards.
    private static let looked: Int64 = 10_000

    /// What this station says of itself to the others; nil where it has joined no catalogue.
    public func stationStatus() async throws(IngestError) -> StationStatus? {
        try await scan { db in
            guard let place = try StationPlace.read(db) else { return nil }
            var cards: [StationStatus.Card] = []
            var volumes = try Query(db, Self.latestVolumes)
            volumes.bind(place.last - Self.looked)
            while cards.count < StationStatus.mostCards, try volumes.next() {
                if let card = try Self.card(db, volume: volumes.int(), path: volumes.text()) { cards.append(card) }
            }
            let targets = try OpenTarget.read(db).map(\.told), waiting = targets.reduce(0) { $0 + $1.waiting }
            return StationStatus(untold: place.waiting, waiting: waiting, cards: cards, targets: targets)
        }
    }

    /// Deliveries that wait because the catalogue cannot be asked.
    public func heldForCatalog() async throws(IngestError) -> Int {
        try await scan { db in
            var query = try Query(db, Self.absentCatalog)
            query.bind(CatalogWords.absent + "*")
            return try query.next() ? Int(query.int()) : 0
        }
    }

    /// Nil for a file that came from something else than a card.
    private static func card(_ db: Database, volume: Int64, path: String) throws -> StationStatus.Card? {
        var query = try Query(db, Self.fileOfVolume)
        query.bind(volume)
        query.bind(path)
        guard try query.next() else { return nil }
        let identity = query.text(), source = query.text(), root = query.text(), at = query.int()
        guard source == "card" else { return nil }
        let label = root.split(separator: "/").last.map(String.init) ?? root
        return StationStatus.Card(volume: identity, label: label, at: at)
    }

    /// Volumes by the time of their last file among those changes, each with the path of that.
    ///
    /// Not by the number of the change: what is told anew has its numbers in the order of the tables.
    static let latestVolumes = """
        SELECT t.volume_id, t.path, max(a.at) AS latest FROM told t CROSS JOIN asset a ON a.volume_id = t.volume_id AND a.path = t.path
        WHERE t.seq > ? GROUP BY t.volume_id ORDER BY latest DESC, t.volume_id DESC
        """
    static let fileOfVolume = """
        SELECT v.identity, p.source, p.root, a.at FROM asset a JOIN volume v ON v.id = a.volume_id JOIN place p ON p.id = a.place_id
        WHERE a.volume_id = ? AND a.path = ? ORDER BY a.at DESC LIMIT 1
        """
    static let absentCatalog =
        "SELECT count(*) FROM delivery WHERE state <> 'done' AND state = 'held' AND reason GLOB ?"
}
