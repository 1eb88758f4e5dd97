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
    public func frameIndex() async throws(IngestError) -> FrameIndex {
        try await scan { db in
            var places = try Self.places(db), events: [String: Int32] = [:], entries: [FrameEntry] = []
            var kinds = RepeatedText(), endings = RepeatedText(), names = RepeatedText()
            var query = try Query(db, Self.frames)
            while try query.next() {
                let volume = query.int(), path = query.text()
                let (size, modified, born, inode, changed) = (query.size(), query.int(), query.int(), query.size(), query.int())
                let place = query.int(), run = query.int(), content = query.intOrNil()
                let kind = query.text(from: &kinds).flatMap { MediaKind(rawValue: $0) } ?? .other
                let ending = query.text(from: &endings).flatMap { Ending(rawValue: $0) }
                let name = query.text(from: &names).map { name -> Int32 in
                    if let known = events[name] { return known }
                    events[name] = Int32(clamping: events.count)
                    return events[name] ?? -1
                }
                let entry = FrameEntry(
                    volume: volume, path: path, size: size, modified: modified, born: born, inode: inode, changed: changed, place: place,
                    content: content, event: name ?? -1, run: run, kind: kind, ending: ending, since: query.int(), at: query.int())
                try places[place]?.count(entry, on: try Self.volume(volume, db))
                entries.append(entry)
            }
            return FrameIndex(entries, places: places, events: events.sorted { $0.value < $1.value }.map(\.key))
        }
    }

    /// The rows of these files, in their order; nil for one that the ledger no longer has as it was.
    public func rows(of entries: [FrameEntry]) async throws(IngestError) -> [AssetRow?] {
        try await scan { db in
            let targets = try Targets(db)
            var query = try Query(db, "SELECT " + AssetReading.columns + " FROM asset a" + AssetReading.joins + Self.byKey)
            return try entries.map { entry in
                query.begin()
                query.bind(entry.volume)
                query.bind(entry.path)
                query.bind(entry.size)
                query.bind(entry.modified)
                query.bind(entry.born)
                query.bind(entry.inode)
                query.bind(entry.changed)
                return try query.next() ? AssetReading.read(&query, targets) : nil
            }
        }
    }

    /// Contents whose SHA-256 begins with `text`, or that a body with that serial number made; for `FrameIndex.positions`.
    public func contents(matching text: String) async throws(IngestError) -> Set<Int64> {
        try await scan { db in
            var found: Set<Int64> = []
            let prefix = text.lowercased()
            if prefix.utf8.count >= Self.shortestPrefix,
                prefix.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            {
                var query = try Query(db, "SELECT id FROM content WHERE key >= ? AND key < ?")
                query.bind(prefix)
                query.bind(prefix + "g")
                while try query.next() { found.insert(query.int()) }
            }
            guard !text.isEmpty else { return found }
            var query = try Query(db, Self.ofSerial)
            query.bind(text)
            while try query.next() { found.insert(query.int()) }
            return found
        }
    }

    /// Of a SHA-256: fewer digits are in every other name.
    private static let shortestPrefix = 6

    private static func places(_ db: Database) throws -> [Int64: KnownPlace] {
        var query = try Query(db, "SELECT id, root, source FROM place"), places: [Int64: KnownPlace] = [:]
        while try query.next() { places[query.int()] = KnownPlace(volume: "", root: query.text(), source: query.text()) }
        return places
    }

    private static func volume(_ id: Int64, _ db: Database) throws -> String {
        var query = try Query(db, "SELECT identity FROM volume WHERE id = ?")
        query.bind(id)
        return try query.next() ? query.text() : ""
    }

    static let frames = """
        SELECT volume_id, path, size, modified, born, inode, changed, place_id, run, content_id, kind, ending, event, since, at
        FROM asset WHERE flags IS NULL OR flags <> '\(AssetFlag.made)'
        """
    static let byKey = """
        WHERE a.volume_id = ? AND a.path = ? AND a.size = ? AND a.modified = ? AND a.born = ? AND a.inode = ? AND a.changed = ?
        """
    static let ofSerial = "SELECT c.id FROM camera m CROSS JOIN content c ON c.camera_id = m.id WHERE m.serial = ?"
}

extension KnownPlace {
    /// Counts a file; its volume's name is asked for once.
    fileprivate mutating func count(_ entry: FrameEntry, on name: @autoclosure () throws -> String) rethrows {
        if files == 0 { volume = try name() }
        (files, bytes, last) = (files + 1, bytes &+ entry.size, max(last, entry.at))
        if let ending = entry.ending { endings[ending, default: 0] += 1 } else { unfinished += 1 }
    }
}
