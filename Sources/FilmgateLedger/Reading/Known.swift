public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func known(volume: String) async throws(IngestError) -> [KnownFile] {
        try await scan { db in try KnownFiles(db).read(volume) }
    }
}

/// One pass over the files of a volume: a card's worth in milliseconds, so nothing is decoded twice and repeated words are shared.
struct KnownFiles {
    private let db: Database
    private let targets: Targets
    private var make = RepeatedText(), model = RepeatedText(), serial = RepeatedText(), owner = RepeatedText()
    private var kind = RepeatedText(), ending = RepeatedText()
    private var lastKind = ("", MediaKind.other), lastEnding = ("", Ending?.none)
    private var lastDone: (ids: [Int64], names: [String]) = ([], [])

    init(_ db: Database) throws { (self.db, targets) = (db, try Targets(db)) }

    /// One row for each file and done delivery; a file without one has one row.
    ///
    /// Rows of a file follow each other.
    static let sql = """
        SELECT a.id, d.target_id, a.path, a.size, a.modified, a.born, a.inode, a.changed, a.shot, a.kind, a.ending,
            c.key, c.make, c.model, c.serial, c.owner, c.captured
        FROM asset a LEFT JOIN content c ON c.id = a.content_id
            LEFT JOIN delivery d ON d.content_id = a.content_id AND +d.state = 'done'
        WHERE a.volume_id = (SELECT id FROM volume WHERE identity = ?)
        """

    consuming func read(_ volume: String) throws -> [KnownFile] {
        var query = try Query(db, Self.sql)
        query.bind(volume)
        var files: [KnownFile] = [], last: Int64?, done: [Int64] = []
        while try query.next() {
            let id = query.int(), target = query.intOrNil()
            if id != last {
                finish(&files, done)
                done = []
                last = id
                files.append(file(&query))
            }
            if let target { done.append(target) }
        }
        finish(&files, done)
        return files
    }

    private mutating func finish(_ files: inout [KnownFile], _ done: [Int64]) {
        guard !files.isEmpty else { return }
        if done != lastDone.ids { lastDone = (done, done.compactMap { targets[$0] }) }
        files[files.count - 1].done = lastDone.names
    }

    private mutating func file(_ query: inout Query) -> KnownFile {
        let mark = Fingerprint(
            path: query.text(), size: query.size(), modified: query.int(), born: query.int(), inode: query.size(), changed: query.int())
        let shot = query.text()
        let kindName = query.text(from: &kind) ?? "", endingName = query.text(from: &ending) ?? ""
        if kindName != lastKind.0 { lastKind = (kindName, MediaKind(rawValue: kindName) ?? .other) }
        if endingName != lastEnding.0 { lastEnding = (endingName, Ending(rawValue: endingName)) }
        return KnownFile(
            fingerprint: mark, content: query.textOrNil().map { ContentKey(rawValue: $0) }, kind: lastKind.1, ending: lastEnding.1,
            make: query.text(from: &make), model: query.text(from: &model), serial: query.text(from: &serial),
            owner: query.text(from: &owner), captured: query.textOrNil().flatMap { CivilTime($0) }, done: [], shot: shot)
    }
}
