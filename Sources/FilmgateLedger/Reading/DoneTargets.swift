import FilmgateCore
import GRDB

/// Which targets have which contents of a volume.
struct DoneTargets {
    private let db: Database
    private let targets: Targets

    init(_ db: Database) throws { (self.db, targets) = (db, try Targets(db)) }

    /// The identities of the targets by the content's number, for those of `contents` that any target has.
    func read(_ contents: [Int64?], in range: VolumeRange) throws -> [Int64: [String]] {
        let numbers = contents.lazy.compactMap { $0 }
        guard let first = numbers.min(), let last = numbers.max() else { return [:] }
        // Files of one card were nearly always recorded one after the other: then their deliveries lie side by side,
        // and going through them all beats looking each one up.
        if last - first < Int64(contents.count) * 4 {
            var query = try Query(db, Self.range)
            query.bind(first)
            query.bind(last)
            return try collect(&query, contents.count)
        }
        var query = try Query(db, Self.each)
        range.bind(to: &query)
        return try collect(&query, contents.count)
    }

    /// Rows of one content follow each other; few lists are different, so they are shared.
    private func collect(_ query: inout Query, _ count: Int) throws -> [Int64: [String]] {
        var result: [Int64: [String]] = [:], content: Int64?, ids: [Int64] = []
        var last: (ids: [Int64], names: [String]) = ([], [])
        result.reserveCapacity(count)
        func finish() {
            guard let content else { return }
            if ids != last.ids { last = (ids, ids.compactMap { targets[$0] }) }
            result[content] = last.names
        }
        while try query.next() {
            let next = query.int()
            if next != content {
                finish()
                content = next
                ids.removeAll(keepingCapacity: true)
            }
            ids.append(query.int())
        }
        finish()
        return result
    }

    static let range =
        "SELECT content_id, target_id FROM delivery WHERE content_id BETWEEN ? AND ? AND +state = 'done' ORDER BY content_id"
    static let each = """
        SELECT content_id, target_id FROM delivery WHERE +state = 'done' AND content_id IN (
            SELECT a.content_id FROM asset a WHERE \(VolumeRange.condition))
        ORDER BY content_id
        """
}

/// The deliveries that somebody took back: few, if any.
enum CancelledTargets {
    /// The identities of the targets by the content's number.
    static func read(_ db: Database) throws -> [Int64: [String]] {
        var query = try Query(db, sql), result: [Int64: [String]] = [:]
        while try query.next() { result[query.int(), default: []].append(query.text()) }
        return result
    }

    static let sql = """
        SELECT d.content_id, t.identity FROM delivery d JOIN target t ON t.id = d.target_id
        WHERE d.state <> 'done' AND d.state = 'excluded'
            AND d.attempts NOT IN (\(DeliveryRow.retired), \(DeliveryRow.unwanted), \(DeliveryRow.unwantedThere))
        """
}
