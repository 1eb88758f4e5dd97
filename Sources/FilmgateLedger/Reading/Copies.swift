public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func copies(
        volume: String, below folder: String, _ tell: @escaping @Sendable (DeliveredCopy) -> Void
    ) async throws(IngestError) {
        try await scan { db in
            var query = try Query(db, Self.copies), target = RepeatedText(), name = RepeatedText()
            VolumeRange(volume, below: folder).bind(to: &query)
            while try query.next() {
                let identity = query.text(from: &target) ?? "", called = query.text(from: &name) ?? "", path = query.textOrNil()
                tell(DeliveredCopy(target: identity, targetName: called, path: path, denial: DeliveryReading.denial(&query)))
            }
        }
    }

    static let copies = """
        SELECT t.identity, t.name, d.receipt_path, n.kind, n.reason, n.at
        FROM delivery d JOIN target t ON t.id = d.target_id\(DeliveryReading.denials)
        WHERE d.content_id IN (SELECT a.content_id FROM asset a WHERE \(VolumeRange.condition)) AND +d.state = 'done'
            AND (d.receipt_path IS NOT NULL OR n.kind IS NOT NULL)
        ORDER BY d.receipt_path
        """
}
