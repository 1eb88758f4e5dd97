public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] {
        try await scan { db in
            try Self.rows(db, Self.queue(states)) { query in for state in states { query.bind(state.rawValue) } }
        }
    }

    public func queue(judgedBy sha256s: Set<String>?) async throws(IngestError) -> [QueuedDelivery] {
        try await scan { db in
            guard let sha256s else {
                return try Self.rows(db, Self.queue("d.mark_of IS NOT NULL AND " + Self.open)) { _ in }
            }
            return try sha256s.sorted().flatMap { sha256 in
                try Self.rows(db, Self.queue("d.mark_of = ? AND " + Self.open)) { $0.bind(sha256) }
            }
        }
    }

    private static func rows(_ db: Database, _ sql: String, bind: (inout Query) -> Void) throws -> [QueuedDelivery] {
        let targets = try Targets(db)
        var query = try Query(db, sql), rows: [QueuedDelivery] = []
        bind(&query)
        while try query.next() {
            let delivery = DeliveryReading.read(&query)
            // Every asset with these bytes has a row, the latest first.
            if let last = rows.last?.delivery, last.content == delivery.content, last.target == delivery.target {
                continue
            }
            let asset = query.isNull() ? try stand(for: delivery, db) : AssetReading.read(&query, targets)
            rows.append(QueuedDelivery(delivery: delivery, asset: asset))
        }
        return rows
    }

    static let open = "d.state IN ('pending', 'held')"

    /// The index on what is not done serves every query that says so; done deliveries are no queue, but may be asked
    /// for.
    static func queue(_ states: Set<Receipt.State>) -> String {
        let open = states.contains(.done) ? "" : "d.state <> 'done' AND "
        return queue(open + "d.state IN (\(states.map { _ in "?" }.joined(separator: ", ")))")
    }

    static func queue(_ condition: String) -> String {
        """
        SELECT \(DeliveryReading.columns), a.volume_id, \(AssetReading.columns)
        FROM delivery d\(DeliveryReading.joins) LEFT JOIN camera m ON m.id = c.camera_id LEFT JOIN asset a ON a.content_id = d.content_id
            LEFT JOIN volume v ON v.id = a.volume_id LEFT JOIN place p ON p.id = a.place_id
        WHERE \(condition)
        ORDER BY d.at, d.content_id, d.target_id, a.run DESC, a.at DESC
        """
    }

    /// A delivery never drops out of the queue because its file was recorded again as another content: it then stands
    /// for itself.
    ///
    /// A sidecar whose picture came after it is such a file. Which shot it is of is still known by its bytes, and
    /// counts for its name; where files of several shots have them, by the name as well, or not at all.
    private static func stand(for delivery: DeliveryRow, _ db: Database) throws -> AssetRow {
        let path = delivery.path.isEmpty ? delivery.file ?? "" : delivery.path, sha256 = delivery.content.sha256
        // Other bytes may have been meant for that name at another target.
        var origin = Origin(
            source: "", volume: "", root: "", path: path, size: delivery.size, modified: 0,
            inode: mark(of: delivery.content))
        let stem = FileName(origin.name).stem
        let same = try AssetReading.all(db, bySHA256) { query in
            query.bind(keysOf: sha256)
        }
        let file =
            one(of: same)
            ?? one(of: same.filter { SafeName.folded(FileName($0.origin.name).stem) == SafeName.folded(stem) })
        if let file { origin.volume = file.origin.volume }
        let shot = file?.shot ?? ShotPlace(key: path, stem: stem)
        var row = AssetRow(
            origin: origin, run: 0, kind: file?.kind ?? MediaKind(fileName: path), shot: shot, at: delivery.receipt.at)
        row.content = delivery.content
        (row.digests, row.media) = (Digests(sha256: sha256), file?.media)
        row.event = delivery.event
        return row
    }

    /// The latest of files that are all of one shot; nil where they are of several.
    private static func one(of files: [AssetRow]) -> AssetRow? {
        let shots = Set(files.map { $0.origin.volume + "\u{1F}" + $0.shot.key })
        return shots.count == 1 ? files.max { ($0.run, $0.at) < ($1.run, $1.at) } : nil
    }

    private static func mark(of content: ContentKey) -> UInt64 { FNV1a.hash(content.rawValue.utf8) }
}
