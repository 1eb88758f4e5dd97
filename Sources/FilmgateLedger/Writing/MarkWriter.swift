import FilmgateCore
import GRDB

/// Writes what people say of pictures, within a transaction that its caller holds.
///
/// Only into tables that nobody else keeps in memory, and into deliveries that wait for marks: whoever has one of those
/// under way is told of the order, and judges it anew.
struct MarkWriter {
    private let db: Database, history: MarkHistory
    /// An order can be taken back until those after it have marked more.
    private let mostPictures: Int

    init(_ db: Database, mostPictures: Int = 1_500_000) {
        (self.db, history, self.mostPictures) = (db, MarkHistory(db), mostPictures)
    }

    /// The pictures of the shots that these files are of, shot by shot.
    ///
    /// A file that the ledger does not know is of none; one without a picture beside it is marked itself.
    func shots(of sha256s: [String]) throws -> [[String]] {
        var shots: [[String]] = [], seen: Set<String> = []
        for sha256 in sha256s where !seen.contains(sha256) {
            guard let shot = try pictures(besides: sha256) else { continue }
            let fresh = shot.filter { seen.insert($0).inserted }
            if !fresh.isEmpty { shots.append(fresh) }
            seen.insert(sha256)
        }
        return shots
    }

    /// Whether the order with that token has marked this shot, in whichever part.
    func isMarked(_ shot: [String], by token: String) throws -> Bool {
        guard let first = shot.first, let mark = try MarkReading.mark(of: first, db) else { return false }
        var query = try Query(db, Self.tokenOf)
        query.bind(mark.revision)
        guard try query.next() else { return false }
        return Self.whole(query.text()) == token
    }

    /// The token of the whole order.
    private static func whole(_ token: String) -> Substring { token.prefix { String($0) != partSign } }

    /// Nil where the order to undo is not known, or too old.
    func carryOut(_ order: MarkOrder, _ shots: [[String]], token: String, at: Int64) throws -> MarkOutcome? {
        switch order.order {
        case .set(let rating, let pick, let colour, _):
            let revision = try begin(token, order.by, pictures: shots.reduce(0) { $0 + $1.count }, at: at)
            for shot in shots {
                let before = try shot.map { try MarkReading.mark(of: $0, db) ?? PictureMark() }
                var mark = PictureMark.latest(of: before)
                if let rating { (mark.rating, mark.ratingRevision) = (rating, revision) }
                if let pick { (mark.pick, mark.pickRevision) = (pick, revision) }
                if let colour { (mark.colour, mark.colourRevision) = (colour, revision) }
                for (sha256, before) in zip(shot, before) {
                    try history.note(history.said(before, of: sha256) { shot }, of: sha256, by: revision)
                    try put(mark, sha256)
                }
            }
            return try end(revision, token, shots.flatMap { $0 }, at: at)
        case .undo(let undone):
            guard let found = try revisions(of: undone, order.part) else { return nil }
            let old = found.last, past = try past(old)
            let revision = try begin(token, order.by, pictures: past.count, at: at)
            var changed: [String] = []
            for one in past {
                let now = try MarkReading.mark(of: one.sha256, db) ?? PictureMark()
                let mark = try history.undo(old, one, of: now, as: revision) { try pictures(besides: one.sha256) ?? [] }
                if mark == now { continue }
                try put(mark, one.sha256)
                changed.append(one.sha256)
            }
            var outcome = try end(revision, token, changed, sparing: undone, at: at)
            if old > found.first {
                outcome.rest = MarkOrder.Part(token: outcome.undo, before: old, first: found.first)
            }
            return outcome
        }
    }

    /// A picture that was not known when its shot was marked.
    func inherit(_ mark: PictureMark, _ sha256: String) throws {
        let now = try MarkReading.mark(of: sha256, db) ?? PictureMark(), latest = now.latest(mark)
        if latest != now { try put(latest, sha256) }
    }

    // MARK: Orders

    private func begin(_ token: String, _ by: String, pictures: Int, at: Int64) throws -> Int64 {
        var query = try Query(db, Self.addOrder)
        query.bind(token)
        query.bind(by)
        query.bind(at)
        query.bind(pictures)
        try query.execute()
        return db.lastInsertedRowID
    }

    /// `undone`: the order that is taken back, whose other parts are wanted still.
    private func end(
        _ revision: Int64, _ token: String, _ sha256s: [String], sparing undone: String = "", at: Int64
    ) throws -> MarkOutcome {
        try forgetOld(sparing: undone)
        let followers = MarkFollowing(db)
        for sha256 in sha256s { try followers.follow(sha256, at: at) }
        return MarkOutcome(revision: revision, undo: String(Self.whole(token)), sha256s: sha256s)
    }

    /// The first part of an order, which is forgotten first, and its last one before a revision; nil for no order.
    ///
    /// Where orders of others had it forgotten meanwhile, what is left of it is still taken back; nil after that.
    private func revisions(of token: String, _ done: MarkOrder.Part?) throws -> (first: Int64, last: Int64)? {
        var order = try Query(db, Self.findOrder)
        order.bind(token)
        let kept = try order.next() ? order.int() : nil
        guard let first = kept ?? done?.first else { return nil }
        var part = try Query(db, Self.lastPart), before = Int64.max
        if let done { before = done.before }
        part.bind(token + Self.partSign)
        part.bind(token + Self.behindParts)
        part.bind(before)
        if try part.next() { return (first, part.int()) }
        return kept.map { ($0, $0) }
    }

    private func past(_ revision: Int64) throws -> [MarkHistory.Past] {
        var marks: [MarkHistory.Past] = []
        var query = try Query(db, Self.findPast)
        query.bind(revision)
        while try query.next() {
            let sha256 = query.text()
            marks.append(MarkHistory.Past(sha256: sha256, taken: MarkReading.read(&query)))
        }
        if try history.isUndoing(revision) {
            for index in marks.indices { marks[index].left = try history.row(-revision, marks[index].sha256) }
        }
        // What joined a shot since has its marks.
        var seen = Set(marks.map(\.sha256))
        for one in marks {
            for late in try pictures(besides: one.sha256) ?? [] where seen.insert(late).inserted {
                marks.append(MarkHistory.Past(sha256: late, taken: one.taken, left: one.left))
            }
        }
        return marks
    }

    private func put(_ mark: PictureMark, _ sha256: String) throws {
        var query = try Query(db, Self.putMark)
        query.bind(sha256)
        MarkReading.bind(mark, to: &query)
        query.bind(mark.revision)
        try query.execute()
    }

    /// What stood before the latest orders is kept, and of no more pictures than a large ledger has.
    ///
    /// Of an order in parts the first one goes first, and a few go at a time: it may be long, and others want to write.
    private func forgetOld(sparing undone: String) throws {
        var query = try Query(db, Self.oldOrders), old: [Int64] = []
        query.bind(mostPictures)
        query.bind(undone)
        while try query.next() { old.append(query.int()) }
        for revision in old {
            for (sql, bound) in [
                (Self.forget, revision), (Self.forget, -revision),
                ("UPDATE mark_order SET kept = 0 WHERE revision = ?", revision),
            ] {
                var query = try Query(db, sql)
                query.bind(bound)
                try query.execute()
            }
        }
    }

    // MARK: Shots

    private struct File { var volume: Int64, path: String, shot: String }

    private func pictures(besides sha256: String) throws -> [String]? {
        var query = try Query(db, Self.files), files: [File] = []
        query.bind(keysOf: sha256)
        while try query.next() { files.append(File(volume: query.int(), path: query.text(), shot: query.text())) }
        if files.isEmpty { return nil }
        var pictures: Set<String> = []
        for file in files { pictures.formUnion(try self.pictures(of: file)) }
        return pictures.isEmpty ? [sha256] : pictures.sorted()
    }

    /// Files of a shot lie in one folder and have one stem, however it is spelled.
    private func pictures(of file: File) throws -> Set<String> {
        let cut = file.path.utf8.lastIndex(of: 0x2F).map { file.path.utf8.index(after: $0) } ?? file.path.startIndex
        let folder = file.path[..<cut], stem = FileName(String(file.path[cut...])).stem
        // A sidecar may be called after a whole file: its shot has the stem.
        let named = file.shot.split(separator: "/").last.map(String.init) ?? stem
        var found: Set<String> = [], query = try Query(db, Self.besides)
        for spelled in Set([stem, named].flatMap { [$0, $0.uppercased(), $0.lowercased()] }) {
            query.begin()
            query.bind(file.volume)
            query.bind(folder + spelled)
            query.bind(folder + spelled + "\u{10FFFF}")
            query.bind(file.shot)
            while try query.next() {
                let kind = MediaKind(rawValue: query.text()) ?? .other
                if !kind.follows { found.insert(ContentKey(rawValue: query.text()).sha256) }
            }
        }
        return found
    }

    static let addOrder = "INSERT INTO mark_order (token, said_by, at, pictures, kept) VALUES (?, ?, ?, ?, 1)"
    static let findOrder = "SELECT revision FROM mark_order WHERE token = ? AND kept = 1"
    /// Between the token of an order and what a part of it adds, and the next sign.
    static let partSign = ".", behindParts = "/"
    static let tokenOf = "SELECT token FROM mark_order WHERE revision = ?"
    static let lastPart = """
        SELECT revision FROM mark_order WHERE token > ? AND token < ? AND kept = 1 AND revision < ?
        ORDER BY revision DESC LIMIT 1
        """
    static let findPast = "SELECT sha256, \(MarkReading.columns) FROM mark_past WHERE revision = ?"
    static let forget = "DELETE FROM mark_past WHERE revision = ?"
    static let putMark = """
        INSERT INTO mark (sha256, \(MarkReading.columns), revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (sha256) DO UPDATE SET \((MarkReading.names + ["revision"]).map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """
    static let oldOrders = """
        WITH whole AS (
            SELECT substr(token, 1, 32) AS name, max(revision) AS latest, sum(pictures) AS pictures FROM mark_order
            WHERE kept = 1 GROUP BY name
        ), placed AS (
            SELECT name, sum(pictures) OVER latest - pictures AS later, row_number() OVER latest AS place FROM whole
            WINDOW latest AS (ORDER BY latest DESC)
        )
        SELECT revision FROM mark_order WHERE kept = 1 AND substr(token, 1, 32) IN (
            SELECT name FROM placed WHERE (place > 1000 OR later > ?) AND name <> ?)
        ORDER BY revision LIMIT 2
        """
    static let files = """
        SELECT a.volume_id, a.path, a.shot FROM asset a
        WHERE a.content_id IN (SELECT id FROM content WHERE key = ? OR (key >= ? AND key < ?))
        """
    static let besides = """
        SELECT a.kind, c.key FROM asset a CROSS JOIN content c ON c.id = a.content_id
        WHERE a.volume_id = ? AND a.path >= ? AND a.path < ? AND a.shot = ?
        """
}
