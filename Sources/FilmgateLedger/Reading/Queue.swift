public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] {
        try await scan { db in
            let targets = try Targets(db)
            var query = try Query(db, Self.queue(states)), rows: [QueuedDelivery] = []
            for state in states { query.bind(state.rawValue) }
            while try query.next() {
                let delivery = DeliveryReading.read(&query)
                // Every asset with these bytes has a row, the latest first.
                if let last = rows.last?.delivery, last.content == delivery.content, last.target == delivery.target { continue }
                let asset = query.isNull() ? Self.stand(for: delivery) : AssetReading.read(&query, targets)
                rows.append(QueuedDelivery(delivery: delivery, asset: asset))
            }
            return rows
        }
    }

    /// The index on what is not done serves every query that says so; done deliveries are no queue, but may be asked for.
    static func queue(_ states: Set<Receipt.State>) -> String {
        """
        SELECT \(DeliveryReading.columns), a.volume_id, \(AssetReading.columns)
        FROM delivery d\(DeliveryReading.joins) LEFT JOIN camera m ON m.id = c.camera_id LEFT JOIN asset a ON a.content_id = d.content_id
            LEFT JOIN volume v ON v.id = a.volume_id LEFT JOIN place p ON p.id = a.place_id
        WHERE \(states.contains(.done) ? "" : "d.state <> 'done' AND ")d.state IN (\(states.map { _ in "?" }.joined(separator: ", ")))
        ORDER BY d.at, d.content_id, d.target_id, a.run DESC, a.at DESC
        """
    }

    /// A delivery never drops out of the queue because its file was recorded again with other bytes: it then stands for itself.
    private static func stand(for delivery: DeliveryRow) -> AssetRow {
        let path = delivery.path.isEmpty ? delivery.file ?? "" : delivery.path
        let origin = Origin(source: "", volume: "", root: "", path: path, size: delivery.size, modified: 0)
        let shot = ShotPlace(key: path, stem: FileName(origin.name).stem)
        var row = AssetRow(origin: origin, run: 0, kind: MediaKind(fileName: path), shot: shot, at: delivery.receipt.at)
        row.content = delivery.content
        row.digests = Digests(sha256: delivery.content.sha256)
        row.event = delivery.event
        return row
    }
}
