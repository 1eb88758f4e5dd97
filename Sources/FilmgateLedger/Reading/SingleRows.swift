public import FilmgateCore
import GRDB

/// What is asked once or more for every file: one short statement each.
extension SQLiteReader {
    public func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
        try look { db in try DeliveryReading.all(db, Self.deliveriesOfContent) { $0.bind(content.rawValue) } }
    }

    public func twin(of content: ContentKey) async throws(IngestError) -> String? {
        try look { db in
            var query = try Query(db, Self.twin)
            query.bind(content.rawValue)
            guard try query.next() else { return nil }
            let root = query.text(), path = query.text()
            return root.hasSuffix("/") ? root + path : root + "/" + path
        }
    }

    public func neighbour(of picture: String, withSidecar sha256: String) async throws(IngestError) -> String? {
        try look { db in
            var query = try Query(db, Self.neighbour)
            for bound in [sha256 + ":", sha256 + ";", picture] { query.bind(bound) }
            guard try query.next() else { return nil }
            return String(query.text().dropFirst(sha256.utf8.count + 1))
        }
    }

    public func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey? {
        try look { db in
            var query = try Query(db, Self.holder)
            query.bind(PathKey.folded(path))
            query.bind(target)
            return try query.next() ? ContentKey(rawValue: query.text()) : nil
        }
    }

    public func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? {
        try look { db in
            var query = try Query(db, Self.shotName)
            for text in [target, event ?? "", shot] { query.bind(text) }
            guard try query.next() else { return nil }
            return ShotName(counter: Int(query.int()), suffix: Int(query.int()), base: query.text())
        }
    }

    public func shotNames(
        below prefix: String, at target: String, event: String?
    ) async throws(IngestError) -> [(shot: String, name: ShotName)] {
        try look { db in
            var query = try Query(db, Self.shotNames), found: [(shot: String, name: ShotName)] = []
            for text in [target, event ?? "", prefix, prefix] { query.bind(text) }
            while try query.next() {
                let shot = query.text()
                found.append((shot, ShotName(counter: Int(query.int()), suffix: Int(query.int()), base: query.text())))
            }
            return found
        }
    }

    public func files(named stem: String, at target: String) async throws(IngestError) -> [NamedFile] {
        try look { db in
            var query = try Query(db, Self.filesNamed), found: [NamedFile] = []
            let folded = PathKey.folded(stem)
            for text in [target, folded + ".", folded + "/"] { query.bind(text) }
            while try query.next() {
                let content = ContentKey(rawValue: query.text()), kind = MediaKind(rawValue: query.text()) ?? .other
                let volume = query.text(), shot = ShotPlace(key: query.text(), stem: query.text())
                found.append(
                    NamedFile(
                        content: content, kind: kind, volume: volume, shot: shot, serial: query.textOrNil(),
                        captured: query.textOrNil().flatMap { CivilTime($0) },
                        isWish: query.int() == DeliveryRow.unasked))
            }
            return found
        }
    }

    public func counter(at target: String, event: String?) async throws(IngestError) -> Int {
        try look { db in
            var query = try Query(db, Self.counter)
            for text in [target, event ?? ""] { query.bind(text) }
            return try query.next() ? Int(query.int()) : 0
        }
    }

    public func uses(ofTargets prefix: String) async throws(IngestError) -> [TargetUse] {
        try await scan { db in
            var query = try Query(db, Self.uses), found: [TargetUse] = []
            for text in [prefix, prefix] { query.bind(text) }
            while try query.next() {
                var use = TargetUse(identity: query.text(), event: query.textOrNil(), isDelivered: query.int() == 1)
                (use.isWaiting, use.name) = (query.int() == 1, query.text())
                found.append(use)
            }
            return found
        }
    }

    public func disk(of target: String) async throws(IngestError) -> String? {
        try look { db in
            var query = try Query(db, "SELECT disk FROM target WHERE identity = ?")
            query.bind(target)
            return try query.next() ? query.textOrNil() : nil
        }
    }

    public func disks(ofTargets prefix: String) async throws(IngestError) -> [TargetDisk] {
        try look { db in
            var query = try Query(db, Self.disks), found: [TargetDisk] = []
            for text in [prefix, prefix] { query.bind(text) }
            while try query.next() {
                found.append(TargetDisk(identity: query.text(), name: query.text(), disk: query.text()))
            }
            return found
        }
    }

    public func bodies(make: String?, model: String) async throws(IngestError) -> [String] {
        try await scan { db in
            var query = try Query(db, Self.bodies), serials: [String] = []
            query.bind(model)
            query.bind(make)
            while try query.next() { serials.append(query.text()) }
            return serials
        }
    }

    static let uses = """
        SELECT t.identity, (SELECT d.event FROM delivery d WHERE d.target_id = t.id LIMIT 1),
            EXISTS (SELECT 1 FROM delivery d WHERE d.target_id = t.id AND d.state = 'done'),
            EXISTS (SELECT 1 FROM delivery d WHERE d.target_id = t.id AND d.state <> 'done'
                AND d.state IN ('pending', 'held')), t.name
        FROM target t WHERE substr(t.identity, 1, length(?)) = ?
        AND EXISTS (SELECT 1 FROM delivery d WHERE d.target_id = t.id) ORDER BY t.identity
        """
    static let disks = """
        SELECT identity, name, disk FROM target WHERE substr(identity, 1, length(?)) = ? AND disk <> '' ORDER BY id
        """
    /// A studio has few bodies.
    static let bodies =
        "SELECT DISTINCT serial FROM camera WHERE model = ? AND make IS ? AND serial <> '' ORDER BY serial LIMIT 100"
    static let deliveriesOfContent = "WHERE d.content_id = (SELECT id FROM content WHERE key = ?) ORDER BY d.target_id"
    static let twin = """
        SELECT p.root, coalesce(a.root_path, a.path) FROM asset a JOIN place p ON p.id = a.place_id
        WHERE a.content_id = (SELECT id FROM content WHERE key = ?) ORDER BY a.since, a.path LIMIT 1
        """
    /// Both pictures must be of one moment: a formatted card counts its shots anew.
    ///
    /// `;` is the byte after `:`. Of very many sidecars with the same bytes some are looked at.
    static let neighbour = """
        SELECT c.key FROM content c
        CROSS JOIN content b ON c.id IN (SELECT id FROM content WHERE key >= ? AND key < ? LIMIT 1000) AND b.key = substr(c.key, 66)
        CROSS JOIN asset x ON x.content_id = c.id
        CROSS JOIN content p ON p.key = ? AND p.captured = b.captured
        CROSS JOIN asset a ON a.content_id = p.id AND a.volume_id = x.volume_id AND a.shot = x.shot
        WHERE EXISTS (SELECT 1 FROM delivery d WHERE d.content_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM asset o WHERE o.content_id = b.id AND o.volume_id = a.volume_id AND o.path = a.path) LIMIT 1
        """
    /// An excluded delivery holds no name; a failed one does, since it keeps its name when it is tried again.
    ///
    /// Whose target said that the name is free outranks who only wishes for it.
    static let holder = """
        SELECT c.key FROM delivery d JOIN content c ON c.id = d.content_id
        WHERE d.path_folded = ? AND d.path_folded <> '' AND d.state <> 'excluded'
            AND d.target_id = (SELECT id FROM target WHERE identity = ?)
        ORDER BY d.state = 'done' DESC, d.attempts <> \(DeliveryRow.unasked) DESC, d.at DESC LIMIT 1
        """
    static let shotName = """
        SELECT counter, suffix, base FROM shot_name
        WHERE target_id = (SELECT id FROM target WHERE identity = ?) AND event = ? AND shot = ?
        """
    /// What follows the prefix is a time or nothing: never a scalar behind `~`.
    static let shotNames = """
        SELECT shot, counter, suffix, base FROM shot_name
        WHERE target_id = (SELECT id FROM target WHERE identity = ?) AND event = ? AND shot >= ? AND shot < ? || '~' LIMIT 1000
        """
    /// All extensions of one stem in one folder: `/` is the byte after `.`.
    ///
    /// A file may have been recorded again with other bytes since: then nobody knows whose the delivered ones are.
    static let filesNamed = """
        SELECT c.key, a.kind, v.identity, a.shot, a.stem, m.serial, c.captured, d.attempts FROM delivery d
        CROSS JOIN content c ON c.id = d.content_id
        LEFT JOIN asset a ON a.content_id = d.content_id
        LEFT JOIN volume v ON v.id = a.volume_id
        LEFT JOIN camera m ON m.id = c.camera_id
        WHERE d.target_id = (SELECT id FROM target WHERE identity = ?) AND d.path_folded >= ? AND d.path_folded < ?
            AND d.state <> 'excluded' LIMIT 200
        """
    static let counter = """
        SELECT max(counter) FROM shot_name
        WHERE target_id = (SELECT id FROM target WHERE identity = ?) AND event = ? AND counter > 0
        """
}
