public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func known(volume: String) async throws(IngestError) -> [KnownFile] {
        try await known(volume: volume, below: "")
    }

    public func known(volume: String, below folder: String) async throws(IngestError) -> [KnownFile] {
        try await scan { db in
            var reader = KnownFiles(db, VolumeRange(volume, below: folder))
            return try reader.read()
        }
    }
}

/// A card's worth of files in milliseconds: one pass over the files, one over their deliveries, and no text that
/// repeats is made twice.
struct KnownFiles {
    private let db: Database
    private let range: VolumeRange
    private var kind = RepeatedText(), ending = RepeatedText(), event = RepeatedText()
    private var lastKind = ("", MediaKind.other), lastEnding = ("", Ending?.none)
    private var cameras: [Int64: KnownCamera] = [:]
    private var last: KnownFile?

    init(_ db: Database, _ range: VolumeRange) { (self.db, self.range) = (db, range) }

    static let sql = """
        SELECT a.path, a.size, a.modified, a.born, a.inode, a.changed, a.shot, a.kind, a.ending, a.content_id, c.key, c.camera_id, c.captured, a.flags,
            c.known, c.rating, c.width, c.height, a.event, a.since
        FROM asset a LEFT JOIN content c ON c.id = a.content_id WHERE \(VolumeRange.condition)
        """
    static let camera = "SELECT make, model, serial, owner FROM camera WHERE id = ?"

    mutating func read() throws -> [KnownFile] {
        var query = try Query(db, Self.sql), files: [KnownFile] = [], contents: [Int64?] = [], states: [Int64] = []
        range.bind(to: &query)
        while try query.next() {
            let (file, content, isNext) = try file(&query), since = query.int()
            // Of one path they come by size and time, and clocks are set back.
            if isNext { states.removeAll(keepingCapacity: true) }
            let later = states.reversed().prefix { $0 > since }.count
            states.insert(since, at: states.count - later)
            files.insert(file, at: files.count - later)
            contents.insert(content, at: contents.count - later)
        }
        let done = try DoneTargets(db).read(contents, in: range)
        for (index, content) in contents.enumerated() {
            if let content, let targets = done[content] { files[index].done = targets }
        }
        let marks = try MarkReading.ofContents(db)
        if !marks.isEmpty {
            for (index, content) in contents.enumerated() {
                if let content, let mark = marks[content] { files[index].mark = mark }
            }
        }
        let cancelled = try CancelledTargets.read(db)
        if cancelled.isEmpty { return files }
        for (index, content) in contents.enumerated() {
            if let content, let targets = cancelled[content] { files[index].cancelled = targets }
        }
        return files
    }

    /// `isNext`: it lies at another path than the one before.
    private mutating func file(_ query: inout Query) throws -> (KnownFile, content: Int64?, isNext: Bool) {
        let mark = Fingerprint(
            path: query.text(), size: query.size(), modified: query.int(), born: query.int(), inode: query.size(),
            changed: query.int())
        let isNext = last?.liesAt(mark.path) != true
        let shot = query.text(), kindName = query.text(from: &kind) ?? "", endingName = query.text(from: &ending) ?? ""
        if kindName != lastKind.0 { lastKind = (kindName, MediaKind(rawValue: kindName) ?? .other) }
        if endingName != lastEnding.0 { lastEnding = (endingName, Ending(rawValue: endingName)) }
        let content = query.intOrNil(), key = query.textOrNil().map { ContentKey(rawValue: $0) }
        let camera = try query.intOrNil().map { try self.camera($0) }
        let captured = query.textOrNil().flatMap { CivilTime($0) }
        var known = KnownFile(mark, key, lastKind.1, lastEnding.1, camera, captured, shot: shot, beside: last)
        if let flags = query.textOrNil().map(WordList.decode) {
            known.zoneAssumed = flags.contains(AssetFlag.zoneAssumed)
            known.isProtected = flags.contains(AssetFlag.protected)
        }
        (known.isRead, known.rating) = (query.intOrNil() == 1, query.intOrNil().map { Int($0) })
        (known.width, known.height) = (query.intOrNil().map { Int($0) }, query.intOrNil().map { Int($0) })
        known.take(event: query.text(from: &event), beside: last)
        last = known
        return (known, content, isNext)
    }

    private mutating func camera(_ id: Int64) throws -> KnownCamera {
        if let camera = cameras[id] { return camera }
        var query = try Query(db, Self.camera)
        query.bind(id)
        let isThere = try query.next()
        func text() -> String? { isThere ? query.textOrNil() : nil }
        let camera = KnownCamera(make: text(), model: text(), serial: text(), owner: text())
        cameras[id] = camera
        return camera
    }
}

/// The files of a volume below one folder, as a range of the key of `asset`.
struct VolumeRange: Sendable {
    private let volume: String, folder: String

    init(_ volume: String, below folder: String) { (self.volume, self.folder) = (volume, folder) }

    /// `0` is the byte after `/`; text sorts below every blob.
    static let condition = "a.volume_id = (SELECT id FROM volume WHERE identity = ?) AND a.path >= ? AND a.path < ?"

    func bind(to query: inout Query) {
        query.bind(volume)
        query.bind(folder.isEmpty ? "" : folder + "/")
        if folder.isEmpty { query.bindEndOfText() } else { query.bind(folder + "0") }
    }
}
