import FilmgateCore
import GRDB

/// Reads rows of `asset` with all that hangs on them.
enum AssetReading {
    /// What `read` expects, in its order.
    static let columns = """
        v.identity, a.path, a.size, a.modified, a.born, a.inode, a.changed, p.source, p.root, a.root_path, a.run, a.kind, a.shot, a.stem,
            a.inner_path, a.sidecar_of, a.flags, a.wanted, a.ending, a.reason, a.twin, a.event, a.photographer, a.at,
            c.key, \((DigestRow.names + MediaRow.names).map { "c." + $0 }.joined(separator: ", ")), m.make, m.model, m.serial, m.owner
        """
    static let joins = """
         JOIN volume v ON v.id = a.volume_id JOIN place p ON p.id = a.place_id
        LEFT JOIN content c ON c.id = a.content_id LEFT JOIN camera m ON m.id = c.camera_id\u{20}
        """

    static func read(_ query: inout Query, _ targets: Targets) -> AssetRow {
        let volume = query.text(), path = query.text()
        var origin = Origin(
            source: "", volume: volume, root: "", path: path, size: query.size(), modified: query.int(),
            born: query.int(), inode: query.size(), changed: query.int(), volumePath: path)
        (origin.source, origin.root, origin.path) = (query.text(), query.text(), query.textOrNil() ?? path)
        let run = query.int(), kind = MediaKind(rawValue: query.text()) ?? .other
        let shot = ShotPlace(
            key: query.text(), stem: query.text(), innerPath: query.textOrNil(), sidecarOf: query.textOrNil())
        var row = AssetRow(origin: origin, run: run, kind: kind, shot: shot, at: 0)
        row.flags = Set(WordList.decode(query.textOrNil()))
        row.wanted = targets.identities(query.textOrNil())
        row.ending = query.textOrNil().flatMap { Ending(rawValue: $0) }
        (row.reason, row.twin, row.event, row.photographer) = (
            query.textOrNil(), query.textOrNil(), query.textOrNil(), query.textOrNil()
        )
        row.at = query.int()
        guard let key = query.textOrNil() else { return row }
        let content = ContentKey(rawValue: key)
        row.content = content
        row.digests = DigestRow.read(&query, of: content)
        row.media = MediaRow.read(&query)
        row.media?.make = query.textOrNil()
        row.media?.model = query.textOrNil()
        row.media?.serial = query.textOrNil()
        row.media?.owner = query.textOrNil()
        return row
    }

    static func all(
        _ db: Database, from source: String = "asset", _ clauses: String, bind: (inout Query) -> Void
    ) throws -> [AssetRow] {
        let targets = try Targets(db)
        var query = try Query(db, "SELECT " + columns + " FROM \(source) a" + joins + clauses), rows: [AssetRow] = []
        bind(&query)
        while try query.next() { rows.append(read(&query, targets)) }
        return rows
    }
}

/// The identities of the targets, by their number in the ledger.
struct Targets {
    private var identity: [Int64: String] = [:], name: [Int64: String] = [:]

    init(_ db: Database) throws {
        var query = try Query(db, "SELECT id, identity, name FROM target")
        while try query.next() {
            let id = query.int()
            (identity[id], name[id]) = (query.text(), query.text())
        }
    }

    subscript(id: Int64) -> String? { identity[id] }

    /// Its name in the pipeline file when last used.
    func name(of id: Int64) -> String { name[id] ?? "" }

    /// Reads a list such as `1,2`, the form in which `asset.wanted` keeps it.
    func identities(_ list: String?) -> [String] {
        guard let list else { return [] }
        var seen: Set<Int64> = []
        return list.split(separator: ",").compactMap { Int64($0) }.filter { seen.insert($0).inserted }.compactMap {
            identity[$0]
        }
    }
}
