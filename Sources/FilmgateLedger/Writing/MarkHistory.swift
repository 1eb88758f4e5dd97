import FilmgateCore
import GRDB

/// One of the words that a mark has.
enum MarkWord: CaseIterable {
    case rating, pick, colour

    /// The number of the order that stands beside it.
    func revision(in mark: PictureMark) -> Int64 {
        switch self {
        case .rating: mark.ratingRevision
        case .pick: mark.pickRevision
        case .colour: mark.colourRevision
        }
    }

    /// Takes this word of `other` over into `mark`, under that number.
    func copy(_ other: PictureMark, as revision: Int64, to mark: inout PictureMark) {
        switch self {
        case .rating: (mark.rating, mark.ratingRevision) = (other.rating, revision)
        case .pick: (mark.pick, mark.pickRevision) = (other.pick, revision)
        case .colour: (mark.colour, mark.colourRevision) = (other.colour, revision)
        }
    }

    func copy(_ other: PictureMark, to mark: inout PictureMark) { copy(other, as: revision(in: other), to: &mark) }
}

/// What was said of pictures before: of each word the orders that said it and were not taken back, the latest first.
///
/// The first one stands in `mark`, and `mark_past` has under the number of each order what its words replaced, with the
/// number of the order that said that. An order that is taken back leaves this list, and comes back to its place in it,
/// so one may go back step by step, and no other's word goes with it. Whoever takes something back is an order, too,
/// with two rows for a picture: what it took away, and under the negative number what it left instead. Words that it
/// has put into `mark` have its own number there, so that a mark's number only rises; the second row tells whose they
/// are.
final class MarkHistory {
    /// What an order did to a picture.
    struct Past {
        var sha256: String
        /// What it replaced or took away; and what it left, nil for one that said something.
        var taken: PictureMark, left: PictureMark? = nil
    }
    /// Where an order is in the list, or would be.
    private struct Place {
        /// The order before it; nil for the first.
        var above: Int64?
        /// Has its word, or that of the next one.
        var found: PictureMark
    }
    private let db: Database
    /// Orders that took something back, as far as they were asked for.
    private var undoings: [Int64: Bool] = [:]

    init(_ db: Database) { self.db = db }

    /// With the numbers of the orders that said its words, where others have put them there.
    ///
    /// `shot`: the pictures beside it, which share their marks.
    func said(_ now: PictureMark, of sha256: String, shot: () throws -> [String]) throws -> PictureMark {
        var said = now
        for word in MarkWord.allCases {
            let revision = word.revision(in: now)
            guard try isUndoing(revision), let left = try left(by: revision, sha256, shot) else { continue }
            word.copy(now, as: word.revision(in: left), to: &said)
        }
        return said
    }

    /// What an order that took something back left there.
    private func left(by revision: Int64, _ sha256: String, _ shot: () throws -> [String]) throws -> PictureMark? {
        if let left = try row(-revision, sha256) { return left }
        // It came later, and took its marks from another.
        for other in try shot() { if let left = try row(-revision, other) { return left } }
        return nil
    }

    func note(_ replaced: PictureMark, of sha256: String, by revision: Int64) throws {
        var query = try Query(db, Self.put)
        query.bind(revision)
        query.bind(sha256)
        MarkReading.bind(replaced, to: &query)
        try query.execute()
    }

    /// What an order did to a picture; nil where it did nothing.
    func row(_ revision: Int64, _ sha256: String) throws -> PictureMark? {
        var query = try Query(db, Self.one)
        query.bind(revision)
        query.bind(sha256)
        return try query.next() ? MarkReading.read(&query) : nil
    }

    func isUndoing(_ revision: Int64) throws -> Bool {
        if revision <= 0 { return false }
        if let known = undoings[revision] { return known }
        var query = try Query(db, Self.any)
        query.bind(-revision)
        let isUndoing = try query.next()
        undoings[revision] = isUndoing
        return isUndoing
    }

    /// Takes back what the order `old` did to a picture, as the order `revision`; returns its mark then.
    ///
    /// That is another one only where `old` stands first for one of the words.
    func undo(
        _ old: Int64, _ past: Past, of now: PictureMark, as revision: Int64, shot: () throws -> [String]
    ) throws -> PictureMark {
        let said = try said(now, of: past.sha256, shot: shot)
        var mark = now, taken = said, left = said
        for word in MarkWord.allCases {
            guard let step = try undo(word, old, past, of: said) else { continue }
            word.copy(step.taken, to: &taken)
            word.copy(step.left, to: &left)
            if step.isFirst { word.copy(step.left, as: revision, to: &mark) }
        }
        if taken != left {
            try note(taken, of: past.sha256, by: revision)
            try note(left, of: past.sha256, by: -revision)
        }
        return mark
    }

    /// Takes an order out of the list of one word, or puts it back; nil where there is nothing to do.
    private func undo(
        _ word: MarkWord, _ old: Int64, _ past: Past, of said: PictureMark
    ) throws -> (taken: PictureMark, left: PictureMark, isFirst: Bool)? {
        let before = word.revision(in: past.taken), after = past.left.map { word.revision(in: $0) } ?? old
        if before == after { return nil }
        let isPutBack = before > after, order = max(before, after)
        guard let spot = try place(of: order, word, below: said, past.sha256),
            (word.revision(in: spot.found) == order) != isPutBack
        else { return nil }
        let next = try isPutBack ? past.taken : row(order, past.sha256) ?? past.taken
        if isPutBack {
            try change(order, past.sha256, word, to: spot.found)
        } else if word.revision(in: next) >= order {
            return nil
        }
        if let above = spot.above { try change(above, past.sha256, word, to: next) }
        return (spot.found, next, spot.above == nil)
    }

    /// Something else lies below that order now.
    private func change(_ order: Int64, _ sha256: String, _ word: MarkWord, to next: PictureMark) throws {
        guard var row = try row(order, sha256) else { return }
        word.copy(next, to: &row)
        try note(row, of: sha256, by: order)
    }

    /// Nil where the list is not known down to there.
    private func place(of order: Int64, _ word: MarkWord, below first: PictureMark, _ sha256: String) throws -> Place? {
        var place = Place(above: nil, found: first)
        while word.revision(in: place.found) > order {
            let above = word.revision(in: place.found)
            guard let next = try row(above, sha256), word.revision(in: next) < above else { return nil }
            place = Place(above: above, found: next)
        }
        return place
    }

    static let one = "SELECT \(MarkReading.columns) FROM mark_past WHERE revision = ? AND sha256 = ?"
    static let any = "SELECT 1 FROM mark_past WHERE revision = ? LIMIT 1"
    static let put = """
        INSERT INTO mark_past (revision, sha256, \(MarkReading.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (revision, sha256) DO UPDATE SET \(MarkReading.names.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """
}
