public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func marks(of sha256s: [String]) async throws(IngestError) -> [String: PictureMark] {
        try look { db in
            var found: [String: PictureMark] = [:]
            guard let first = sha256s.first else { return found }
            guard sha256s.count > 1 else {
                found[first] = try MarkReading.mark(of: first, db)
                return found
            }
            // One transaction: each statement by itself would lock and unlock the file.
            try db.inTransaction(.deferred) {
                for sha256 in sha256s { found[sha256] = try MarkReading.mark(of: sha256, db) }
                return .commit
            }
            return found
        }
    }

    /// Contents whose marks are later than that revision, those with deliveries that follow such marks, and the latest
    /// revision; nil where the ledger names more than `limit` of them, each as often as it names it.
    public func contentsMarked(since revision: Int64, limit: Int) async throws(IngestError) -> (
        latest: Int64, contents: Set<Int64>?
    ) {
        try look { db in
            var query = try Query(db, Self.marked), contents: Set<Int64> = [], latest = revision, count = 0
            query.bind(revision)
            query.bind(revision)
            query.bind(Int64(limit) + 1)
            while try query.next() {
                contents.insert(query.int())
                latest = max(latest, query.int())
                count += 1
            }
            return count > limit ? (try Self.latestMark(db), nil) : (latest, contents)
        }
    }

    /// The revision of the latest mark; 0 where there is none.
    public func latestMark() async throws(IngestError) -> Int64 { try look { db in try Self.latestMark(db) } }

    private static func latestMark(_ db: Database) throws -> Int64 {
        var last = try Query(db, "SELECT coalesce(max(revision), 0) FROM mark")
        return try last.next() ? last.int() : 0
    }

    /// Who gave these orders.
    public func authors(ofMarks revisions: Set<Int64>) async throws(IngestError) -> [Int64: MarkAuthor] {
        try look { db in
            var found: [Int64: MarkAuthor] = [:], query = try Query(db, Self.author)
            for revision in revisions where revision > 0 {
                query.begin()
                query.bind(revision)
                if try query.next() { found[revision] = MarkAuthor(by: query.text(), at: query.int()) }
            }
            return found
        }
    }

    /// The orders that begin so and can be taken back, at most four.
    public func orders(beginning prefix: String) async throws(IngestError) -> [PastMarkOrder] {
        try look { db in
            var query = try Query(db, Self.ordersBeginning), found: [PastMarkOrder] = []
            query.bind(prefix)
            query.bind(prefix + "g")
            while try query.next() {
                found.append(
                    PastMarkOrder(
                        token: query.text(), by: query.text(), at: query.int(), pictures: Int(query.int())))
            }
            return found
        }
    }

    /// The SHA-256 of the pictures that begin so, at most three.
    public func pictures(beginning prefix: String) async throws(IngestError) -> [String] {
        try look { db in
            var query = try Query(db, Self.beginning), found: [String] = []
            query.bind(prefix)
            query.bind(prefix + "g")
            while try query.next() { found.append(query.text()) }
            return found
        }
    }

    /// The SHA-256 of the contents with these numbers.
    public func sha256s(of contents: [Int64]) async throws(IngestError) -> [String] {
        try await keys(of: contents).map(\.sha256)
    }

    /// The contents with these numbers.
    ///
    /// The same sidecar beside several pictures is a content for each of them.
    public func keys(of contents: [Int64]) async throws(IngestError) -> [ContentKey] {
        // Off the caller's thread: all that a filter finds may be very many.
        try await scan { db in
            var query = try Query(db, "SELECT key FROM content WHERE id = ?"), found: [ContentKey] = []
            found.reserveCapacity(contents.count)
            for content in contents {
                query.begin()
                query.bind(content)
                if try query.next() { found.append(ContentKey(rawValue: query.text())) }
            }
            return found
        }
    }

    /// The numbers of the contents with each of these SHA-256 of which there is a file, in their order.
    public func contents(of sha256s: [String]) async throws(IngestError) -> [[Int64]] {
        try await scan { db in
            var query = try Query(db, Self.contentsWithFiles)
            return try sha256s.map { sha256 in
                var found: [Int64] = []
                query.begin()
                query.bind(keysOf: sha256)
                while try query.next() { found.append(query.int()) }
                return found
            }
        }
    }

    /// One statement, which sees one moment: a later order must not hide what an earlier one marked.
    static let marked = """
        SELECT c.id, m.revision FROM mark m CROSS JOIN content c ON c.key = m.sha256 WHERE m.revision > ?
        UNION ALL
        SELECT d.content_id, m.revision FROM mark m CROSS JOIN delivery d ON d.mark_of = m.sha256 WHERE m.revision > ?
        LIMIT ?
        """
    /// Not the parts of one, which count with it.
    static let ordersBeginning = """
        SELECT token, said_by, at, pictures + coalesce((
            SELECT sum(part.pictures) FROM mark_order part
            WHERE part.token > one.token || '.' AND part.token < one.token || '/'), 0)
        FROM mark_order one WHERE token >= ? AND token < ? AND kept = 1 AND instr(token, '.') = 0
        ORDER BY token LIMIT 4
        """
    static let contentsWithFiles = """
        SELECT c.id FROM content c WHERE (c.key = ? OR (c.key >= ? AND c.key < ?))
            AND EXISTS (SELECT 1 FROM asset a WHERE a.content_id = c.id)
        """
    static let author = "SELECT said_by, at FROM mark_order WHERE revision = ?"
    static let beginning = "SELECT DISTINCT substr(key, 1, 64) FROM content WHERE key >= ? AND key < ? LIMIT 3"
}
