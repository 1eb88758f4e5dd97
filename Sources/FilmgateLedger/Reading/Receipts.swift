public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func receipts(of contents: [ContentKey]) async throws(IngestError) -> [[NamedReceipt]] {
        try look { db in
            var found: [[NamedReceipt]] = []
            // One transaction: each statement by itself would lock and unlock the file.
            try db.inTransaction(.deferred) {
                found = try Self.receipts(of: contents, db)
                return .commit
            }
            return found
        }
    }

    private static func receipts(of contents: [ContentKey], _ db: Database) throws -> [[NamedReceipt]] {
        let numbers = try numbers(of: contents, db), targets = try Targets(db)
        let known = zip(numbers, contents).lazy.compactMap { number, content in number.map { ($0, content) } }
        let keys = Dictionary(known) { first, _ in first }
        guard let first = keys.keys.min(), let last = keys.keys.max() else { return contents.map { _ in [] } }
        var found: [Int64: [NamedReceipt]] = [:], query = try Query(db, receipts)
        // Files that are asked for together were mostly recorded one after the other.
        let spans = ContentSpan.isDense(first, last, keys.count) ? [(first, last)] : keys.keys.map { ($0, $0) }
        for (first, last) in spans {
            query.begin()
            query.bind(first)
            query.bind(last)
            while try query.next() {
                let number = query.int(), target = query.int()
                guard let content = keys[number] else { continue }
                let receipt = DeliveryReading.receipt(&query, of: content)
                found[number, default: []].append(NamedReceipt(target: targets.name(of: target), receipt: receipt))
            }
        }
        return numbers.map { number in number.flatMap { found[$0] } ?? [] }
    }

    private static func numbers(of contents: [ContentKey], _ db: Database) throws -> [Int64?] {
        var query = try Query(db, number), numbers: [Int64?] = []
        numbers.reserveCapacity(contents.count)
        for content in contents {
            query.begin()
            query.bind(content.rawValue)
            numbers.append(try query.next() ? query.int() : nil)
        }
        return numbers
    }

    static let number = "SELECT id FROM content WHERE key = ?"
    static let receipts = """
        SELECT content_id, target_id, state, receipt_path, url, remote_id, sha256, own_sha256, verified, at, reason, existed
        FROM delivery WHERE content_id BETWEEN ? AND ? ORDER BY content_id, target_id
        """
}
