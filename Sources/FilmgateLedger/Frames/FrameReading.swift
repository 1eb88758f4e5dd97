public import FilmgateCore
import GRDB

/// What a page with lists asks.
extension SQLiteReader {
    /// A number that is another one after somebody else changed the ledger.
    public func changeNumber() async throws(IngestError) -> Int64 {
        do {
            return try await scans.unsafeRead { db in
                var query = try Query(db, "PRAGMA data_version")
                return try query.next() ? query.int() : 0
            }
        } catch { throw failure(error) }
    }

    /// Every file that was seen; without those that were made here.
    ///
    /// `key`: what files' numbers are made with.
    public func frameIndex(_ key: SipKey) async throws(IngestError) -> FrameIndex {
        try await scan { db in
            var index = try Self.knownContents(db), places = FramePlaces(db),
                reading = FrameRowReading(key, hasBody: false)
            var query = try Query(db, Self.frames)
            while try query.next() {
                let row = reading.read(&query)
                if !index.knows(place: row.place) {
                    index.know([row.place: try places.place(row.place, on: row.volume)])
                }
                index.load(row)
            }
            index.settle()
            return index
        }
    }

    /// What lists need of all bytes, without a file.
    ///
    /// In a row by their numbers; asked for with each file it would take as long as the files.
    private static func knownContents(_ db: Database) throws -> FrameIndex {
        var bodies = FrameBodies(), verdicts = FrameVerdicts(), moments = FrameMoments()
        var makers = try Query(db, Self.makers)
        while try makers.next() {
            let content = makers.int()
            bodies.note(makers.intOrNil(), of: content)
            verdicts.note(FrameVerdict(camera: makers.intOrNil().map { Int($0) }), of: content)
            moments.note(makers.textOrNil(), of: content)
        }
        var marks = try Query(db, MarkReading.all)
        while try marks.next() {
            let content = marks.int(), camera = verdicts[UInt32(clamping: content)]
            verdicts.note(camera.marked(MarkReading.read(&marks)), of: content)
        }
        return FrameIndex(bodies, verdicts, moments)
    }

    /// What the ledger has of these files now, and of files with these contents; of each content only some.
    public func frames(of keys: [FrameKey], contents: [Int64] = [], _ key: SipKey) async throws(IngestError)
        -> FrameRows
    {
        try await scan { db in
            var found = FrameRows(), places = FramePlaces(db), reading = FrameRowReading(key)
            var query = try Query(db, Self.frame)
            for file in keys {
                query.begin()
                file.bind(to: &query)
                if try query.next() {
                    try found.add(reading.read(&query), &places)
                } else {
                    found.missing.append(file.number(key))
                }
            }
            var others = try Query(db, Self.framesOfContent)
            for content in contents {
                others.begin()
                others.bind(content)
                while try others.next() { try found.add(reading.read(&others), &places) }
            }
            return found
        }
    }

    /// The files with one of these contents; nil where there are more than `most`.
    public func frames(ofContents contents: Set<Int64>, most: Int, _ key: SipKey) async throws(IngestError)
        -> FrameRows?
    {
        try await scan { db in
            var found = FrameRows(), places = FramePlaces(db), reading = FrameRowReading(key)
            var query = try Query(db, Self.allOfContent)
            for content in contents {
                query.begin()
                query.bind(content)
                while try query.next() {
                    if found.rows.count == most { return nil }
                    try found.add(reading.read(&query), &places)
                }
            }
            return found
        }
    }

    /// Files that this run or a later one met, and that were recorded at `time` or later; nil where there are more than
    /// `most`.
    public func frames(sinceRun run: Int64, time: Int64, most: Int, _ key: SipKey) async throws(IngestError)
        -> FrameRows?
    {
        try await scan { db in
            var found = FrameRows(), places = FramePlaces(db), reading = FrameRowReading(key)
            var query = try Query(db, Self.framesOfRuns)
            query.bind(run)
            query.bind(time)
            while try query.next() {
                if found.rows.count == most { return nil }
                try found.add(reading.read(&query), &places)
            }
            return found
        }
    }

    /// The rows of these files, in their order; nil for one that the ledger no longer has as it was.
    public func rows(of entries: [FrameEntry], _ key: SipKey) async throws(IngestError) -> [AssetRow?] {
        try await scan { db in
            let targets = try Targets(db)
            var query = try Query(
                db, "SELECT " + AssetReading.columns + " FROM asset a" + AssetReading.joins + Self.byPath)
            return try entries.map { entry in
                query.begin()
                query.bind(entry.volume)
                query.bind(entry.path)
                query.bind(entry.size)
                // One name may have had several files of one size.
                while try query.next() {
                    let row = AssetReading.read(&query, targets)
                    if FrameKey(row.origin, volume: entry.volume).number(key) == entry.number { return row }
                }
                return nil
            }
        }
    }

    /// Contents whose SHA-256 begins with `text`; with `serials` also bodies that have it as their serial number.
    public func finds(_ text: String, serials: Bool) async throws(IngestError) -> FrameFinds {
        try await scan { db in
            var found = FrameFinds()
            let prefix = text.lowercased()
            if prefix.utf8.count >= Self.shortestPrefix,
                prefix.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            {
                var query = try Query(db, "SELECT id FROM content WHERE key >= ? AND key < ?")
                query.bind(prefix)
                query.bind(prefix + "g")
                while try query.next() { found.contents.insert(query.int()) }
            }
            guard serials, !text.isEmpty else { return found }
            var query = try Query(db, Self.ofSerial)
            query.bind(text)
            while try query.next() { found.bodies.insert(query.int()) }
            return found
        }
    }

    /// Of a SHA-256: fewer digits are in every other name.
    private static let shortestPrefix = 6

    private static let frameColumns = """
        SELECT volume_id, path, size, modified, born, inode, changed, place_id, run, content_id, kind, ending, event, since, at,
            shot
        """
    private static let listed = "(flags IS NULL OR flags <> '\(AssetFlag.made)')"
    private static let withBody =
        frameColumns
        + ", c.camera_id, c.rating, c.captured, m.rating, m.pick FROM asset LEFT JOIN content c ON c.id = content_id "
        + "LEFT JOIN mark m ON m.sha256 = c.key "
    static let frames = frameColumns + " FROM asset WHERE " + listed
    static let frame = """
        \(withBody)
        WHERE volume_id = ? AND path = ? AND size = ? AND modified = ? AND born = ? AND inode = ? AND changed = ? AND \(listed)
        """
    static let allOfContent = withBody + "WHERE content_id = ? AND " + listed
    /// The same bytes may be very many files, such as empty ones.
    static let framesOfContent = allOfContent + " LIMIT 20"
    static let framesOfRuns = withBody + "WHERE run >= ? AND at >= ? AND " + listed
    static let byPath = "WHERE a.volume_id = ? AND a.path = ? AND a.size = ?"
    static let makers = """
        SELECT id, camera_id, rating, captured FROM content
        WHERE camera_id IS NOT NULL OR rating IS NOT NULL OR captured IS NOT NULL
        """
    static let ofSerial = "SELECT id FROM camera WHERE serial = ?"
}

extension FrameKey {
    fileprivate func bind(to query: inout Query) {
        query.bind(volume)
        query.bind(path)
        query.bind(size)
        query.bind(modified)
        query.bind(born)
        query.bind(inode)
        query.bind(changed)
    }
}

extension FrameRows {
    fileprivate mutating func add(_ row: FrameRow, _ known: inout FramePlaces) throws {
        if places[row.place] == nil { places[row.place] = try known.place(row.place, on: row.volume) }
        rows.append(row)
    }
}

/// Reads the columns of a file, of which many repeat those of the file before.
private struct FrameRowReading {
    private let key: SipKey, hasBody: Bool
    private var kinds = RepeatedText(), endings = RepeatedText(), events = RepeatedText()
    private var kind = (text: "", kind: MediaKind.other), ending = (text: "", ending: Ending?.none)

    /// `hasBody`: the body that made it comes last, with what is thought of it.
    init(_ key: SipKey, hasBody: Bool = true) { (self.key, self.hasBody) = (key, hasBody) }

    mutating func read(_ query: inout Query) -> FrameRow {
        let file = FrameKey(
            volume: query.int(), path: query.text(), size: query.size(), modified: query.int(), born: query.int(),
            inode: query.size(), changed: query.int())
        let place = query.int(), run = query.int(), content = query.intOrNil()
        let kindText = query.text(from: &kinds) ?? "", endingText = query.text(from: &endings) ?? ""
        if kind.text != kindText { kind = (kindText, MediaKind(rawValue: kindText) ?? .other) }
        if ending.text != endingText { ending = (endingText, Ending(rawValue: endingText)) }
        let event = query.text(from: &events)
        var row = FrameRow(
            number: file.number(key), volume: file.volume, path: file.path, size: file.size, place: place, run: run,
            content: content, kind: kind.kind, ending: ending.ending, event: event, since: query.int(), at: query.int(),
            shot: file.number(ofShot: query.text(), key))
        guard hasBody else { return row }
        row.body = query.intOrNil()
        let camera = query.intOrNil().map { Int($0) }
        row.captured = query.textOrNil()
        var mark = PictureMark()
        mark.rating = query.intOrNil().map { Int($0) }
        mark.pick = query.textOrNil().flatMap { PictureMark.Pick(rawValue: $0) }
        row.verdict = FrameVerdict(mark, camera: camera)
        return row
    }
}

/// Names of places, each asked for once.
private struct FramePlaces {
    private let db: Database
    init(_ db: Database) { self.db = db }

    /// `volume`: of one of its files.
    mutating func place(_ id: Int64, on volume: Int64) throws -> KnownPlace {
        var query = try Query(
            db, "SELECT p.root, p.source, v.identity FROM place p JOIN volume v ON v.id = ? WHERE p.id = ?")
        query.bind(volume)
        query.bind(id)
        guard try query.next() else { return KnownPlace(volume: "", root: "", source: "") }
        let (root, source) = (query.text(), query.text())
        return KnownPlace(volume: query.text(), root: root, source: source)
    }
}
