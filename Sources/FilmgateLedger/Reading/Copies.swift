public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func copies(
        volume: String, below folder: String, _ tell: @escaping @Sendable (DeliveredCopy) -> Void
    ) async throws(IngestError) {
        try await scan { db in
            let range = VolumeRange(volume, below: folder), contents = try ContentSpan(db, range)
            guard let contents else { return }
            // Going through deliveries that lie side by side costs a third of looking each one up.
            if contents.isDense, try !Self.hasDenials(db) { return try Self.neighbours(db, contents, tell) }
            try Self.each(db, range, tell)
        }
    }

    private static func each(_ db: Database, _ range: VolumeRange, _ tell: (DeliveredCopy) -> Void) throws {
        var query = try Query(db, copies), target = RepeatedText(), name = RepeatedText()
        range.bind(to: &query)
        while try query.next() {
            let identity = query.text(from: &target) ?? "", called = query.text(from: &name) ?? ""
            let path = query.textOrNil()
            let denial = DeliveryReading.denial(&query), content = query.textOrNil().map { ContentKey(rawValue: $0) }
            tell(DeliveredCopy(target: identity, targetName: called, path: path, denial: denial, content: content))
        }
    }

    private static func neighbours(_ db: Database, _ contents: ContentSpan, _ tell: (DeliveredCopy) -> Void) throws {
        let targets = try Targets(db)
        var query = try Query(db, copiesOfSpan)
        query.bind(contents.first)
        query.bind(contents.last)
        while try query.next() {
            let content = query.int(), target = query.int()
            guard contents.holds(content), let identity = targets[target] else { continue }
            tell(
                DeliveredCopy(
                    target: identity, targetName: targets.name(of: target), path: query.textOrNil(), denial: nil))
        }
    }

    private static func hasDenials(_ db: Database) throws -> Bool {
        var query = try Query(db, "SELECT EXISTS (SELECT 1 FROM denial)")
        return try query.next() && query.int() == 1
    }

    static let copies = """
        SELECT t.identity, t.name, d.receipt_path, n.kind, n.reason, n.at,
            (SELECT key FROM content WHERE id = n.content_id)
        FROM delivery d JOIN target t ON t.id = d.target_id\(DeliveryReading.denials)
        WHERE d.content_id IN (SELECT a.content_id FROM asset a WHERE \(VolumeRange.condition)) AND +d.state = 'done'
            AND (d.receipt_path IS NOT NULL OR n.kind IS NOT NULL)
        ORDER BY d.receipt_path
        """
    static let copiesOfSpan = """
        SELECT content_id, target_id, receipt_path FROM delivery
        WHERE content_id BETWEEN ? AND ? AND +state = 'done' AND receipt_path IS NOT NULL ORDER BY receipt_path
        """
}

/// The numbers of the contents of a volume's files.
struct ContentSpan {
    let first: Int64, last: Int64
    /// A card's files were mostly recorded one after the other: then they are most of those between the first and the
    /// last.
    let isDense: Bool
    /// One bit for each number from the first to the last; empty unless they are dense.
    private var bits: [UInt64] = []

    /// Nil where no file has been read.
    init?(_ db: Database, _ range: VolumeRange) throws {
        var query = try Query(db, Self.numbers), all: [Int64] = []
        range.bind(to: &query)
        while try query.next() { all.append(query.int()) }
        guard let first = all.min(), let last = all.max() else { return nil }
        (self.first, self.last, isDense) = (first, last, Self.isDense(first, last, all.count))
        guard isDense else { return }
        bits = Array(repeating: 0, count: Int(last - first) / 64 + 1)
        for number in all { bits[Int(number - first) / 64] |= 1 << UInt64((number - first) % 64) }
    }

    static func isDense(_ first: Int64, _ last: Int64, _ count: Int) -> Bool { last - first < Int64(count) * 4 }

    func holds(_ number: Int64) -> Bool { bits[Int(number - first) / 64] & 1 << UInt64((number - first) % 64) != 0 }

    static let numbers = "SELECT a.content_id FROM asset a WHERE \(VolumeRange.condition) AND a.content_id IS NOT NULL"
}
