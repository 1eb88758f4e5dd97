public import FilmgateCore
import GRDB

/// Lists for people: they may be long.
extension SQLiteReader {
    public func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow] {
        try await scan { db in
            try AssetReading.all(db, from: filter.run == nil ? "asset" : Self.ofRun, Self.clauses(filter)) { query in
                if let run = filter.run {
                    query.bind(run)
                    query.bind(run)
                }
                if let endings = filter.endings { for ending in endings { query.bind(ending.rawValue) } }
                if let root = filter.root { query.bind(root) }
                if let content = filter.content { query.bind(content.rawValue) }
                query.bind(max(0, filter.limit))
            }
        }
    }

    public func assets(sha256: String) async throws(IngestError) -> [AssetRow] {
        // Nearly every file that a shoot brings is new, and asked about here: that costs no snapshot.
        let isKnown = try look { db in
            var query = try Query(db, Self.isKnown)
            query.bind(keysOf: sha256)
            return try query.next()
        }
        if !isKnown { return [] }
        return try await scan { db in
            try AssetReading.all(db, Self.bySHA256) { query in
                query.bind(keysOf: sha256)
            }
        }
    }

    public func runs(limit: Int) async throws(IngestError) -> [RunRow] {
        try await scan { db in
            var query = try Query(db, "SELECT " + RunRow.columns + " FROM run ORDER BY id DESC LIMIT ?")
            var rows: [RunRow] = []
            query.bind(max(0, limit))
            while try query.next() { rows.append(RunRow(&query)) }
            return rows
        }
    }

    public func notes(of asset: AssetID?, limit: Int) async throws(IngestError) -> [NoteRow] {
        try await scan { db in
            var query = try Query(db, Self.latestNotes(ofAsset: asset != nil)), rows: [NoteRow] = []
            if let asset { query.bind(asset.rawValue) }
            query.bind(max(0, limit))
            while try query.next() {
                rows.append(
                    NoteRow(asset: query.textOrNil().map { AssetID(rawValue: $0) }, at: query.int(), text: query.text())
                )
            }
            return rows
        }
    }

    public func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow] {
        try await scan { db in
            if prefix.isEmpty {
                return try DeliveryReading.all(db, "WHERE d.state = 'done' ORDER BY d.target_id, d.content_id") { _ in }
            }
            var folder = prefix
            while folder.utf8.last == UInt8(ascii: "/") { folder.removeLast() }
            return try DeliveryReading.all(db, Self.below) { query in
                for bound in [folder, folder + "/", folder + "0"] { query.bind(bound) }
            }
        }
    }

    static func latestNotes(ofAsset: Bool) -> String {
        "SELECT asset, at, text FROM note \(ofAsset ? "WHERE asset = ? " : "")ORDER BY at DESC, id DESC LIMIT ?"
    }

    static func clauses(_ filter: AssetFilter) -> String {
        var terms: [String] = []
        if let endings = filter.endings {
            // In the very words of the index: which endings are bound, SQLite does not know when it looks for one.
            if filter.run == nil, endings.isSubset(of: [.pending, .setAside]) { terms.append(isOpen) }
            terms.append("a.ending IN (\(endings.map { _ in "?" }.joined(separator: ", ")))")
        }
        if filter.root != nil { terms.append("a.place_id IN (SELECT id FROM place WHERE root = ?)") }
        if filter.content != nil { terms.append("a.content_id = (SELECT id FROM content WHERE key = ?)") }
        if filter.latest { terms.append("(a.flags IS NULL OR a.flags <> '\(AssetFlag.made)')") }
        let order = filter.latest ? "a.at DESC" : "a.run DESC, a.since, a.path"
        return (terms.isEmpty ? "" : "WHERE " + terms.joined(separator: " AND ")) + " ORDER BY \(order) LIMIT ?"
    }

    private static let isOpen = "a.ending IN ('pending', 'setAside')"
    /// What a run did: also with files that a later one went on with.
    static let ofRun = "(SELECT * FROM asset WHERE run = ? UNION ALL SELECT * FROM past WHERE run = ?)"

    private static let ofSHA256 = "FROM content WHERE key = ? OR (key >= ? AND key < ?)"
    static let isKnown = "SELECT 1 \(ofSHA256) LIMIT 1"
    static let bySHA256 = "WHERE a.content_id IN (SELECT id \(ofSHA256)) ORDER BY a.content_id, a.run DESC, a.at DESC"
    /// `0` is the byte after `/`.
    static let below = """
        WHERE d.state = 'done' AND (d.receipt_path = ? OR (d.receipt_path >= ? AND d.receipt_path < ?))
        ORDER BY d.target_id, d.content_id
        """
}
