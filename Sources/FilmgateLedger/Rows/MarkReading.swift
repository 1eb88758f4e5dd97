import FilmgateCore
import GRDB

/// Reads rows of `mark` and of what stood before an order.
enum MarkReading {
    /// What `read` expects, in its order.
    static let columns = "rating, rating_revision, pick, pick_revision, colour, colour_revision"
    static let names = columns.split(separator: ",").map { $0.drop { $0 == " " } }

    static func read(_ query: inout Query) -> PictureMark {
        var mark = PictureMark()
        (mark.rating, mark.ratingRevision) = (query.intOrNil().map { Int($0) }, query.int())
        (mark.pick, mark.pickRevision) = (query.textOrNil().flatMap { PictureMark.Pick(rawValue: $0) }, query.int())
        (mark.colour, mark.colourRevision) = (query.intOrNil().map { Int($0) }, query.int())
        return mark
    }

    static func bind(_ mark: PictureMark, to query: inout Query) {
        query.bind(mark.rating)
        query.bind(mark.ratingRevision)
        query.bind(mark.pick?.rawValue)
        query.bind(mark.pickRevision)
        query.bind(mark.colour)
        query.bind(mark.colourRevision)
    }

    /// Nothing for a picture that nobody has marked.
    static func mark(of sha256: String, _ db: Database) throws -> PictureMark? {
        var query = try Query(db, one)
        query.bind(sha256)
        return try query.next() ? read(&query) : nil
    }

    /// Every mark, by the content's number: few pictures are marked, and most cards have none.
    static func ofContents(_ db: Database) throws -> [Int64: PictureMark] {
        var query = try Query(db, all), marks: [Int64: PictureMark] = [:]
        while try query.next() { marks[query.int()] = read(&query) }
        return marks
    }

    static let one = "SELECT \(columns) FROM mark WHERE sha256 = ?"
    static let all =
        "SELECT c.id, \(names.map { "m." + $0 }.joined(separator: ", ")) FROM mark m CROSS JOIN content c ON c.key = m.sha256"
}
