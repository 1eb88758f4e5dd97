public import FilmgateCore
import GRDB

/// What the ledger says of one delivery, and where its copy lies.
public struct DeliveryStanding: Sendable, Hashable {
    public var content: ContentKey, target: String, event: String?, state: Receipt.State
    public var path: String?, denial: Denial?
}

extension SQLiteReader {
    /// All deliveries of these bytes, in an order; of a sidecar's also those beside any other picture.
    ///
    /// Reads here and now, which takes microseconds for each: hundreds at once are enough.
    public func standings(of sha256s: [String]) throws(IngestError) -> [DeliveryStanding] {
        try look { db in
            var found: [DeliveryStanding] = []
            // One transaction: each statement by itself would lock and unlock the file.
            try db.inTransaction(.deferred) {
                var query = try Query(db, Self.standings)
                for sha256 in sha256s {
                    query.begin()
                    query.bind(keysOf: sha256)
                    while try query.next() { found.append(Self.standing(&query)) }
                }
                return .commit
            }
            return found
        }
    }

    private static func standing(_ query: inout Query) -> DeliveryStanding {
        let content = ContentKey(rawValue: query.text()), target = query.text(), event = query.textOrNil()
        let state = Receipt.State(rawValue: query.text()) ?? .failed, path = query.textOrNil()
        return DeliveryStanding(
            content: content, target: target, event: event, state: state, path: path,
            denial: DeliveryReading.denial(&query))
    }

    static let standings = """
        SELECT c.key, t.identity, d.event, d.state, d.receipt_path, n.kind, n.reason, n.at FROM content c
        CROSS JOIN delivery d ON d.content_id = c.id
        CROSS JOIN target t ON t.id = d.target_id\(DeliveryReading.denials)
        WHERE c.key = ? OR (c.key >= ? AND c.key < ?) ORDER BY c.key, d.target_id
        """
}
