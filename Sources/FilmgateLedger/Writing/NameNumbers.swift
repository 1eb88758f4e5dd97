import FilmgateCore

/// The numbers that stand for volumes, places, targets and cameras in the ledger's rows: few, asked for with every row.
///
/// Looked up once and remembered; who is new gets a row. Used on the writing connection's queue only.
final class NameNumbers {
    private let statements: Statements
    private var volumes: [Bytes: Int64] = [:]
    private var places: [Place: Int64] = [:]
    private var targets: [Bytes: (id: Int64, name: String)] = [:]
    /// Forgotten when there are more than any studio has: a hostile card may name a new one in every file.
    private var cameras: [Camera: Int64] = [:]
    /// The last list of wanted targets, and the text that stands for it: nearly always the same.
    private var lastWanted: (identities: [String], text: String?) = ([], nil)

    private struct Place: Hashable { var root: Bytes, source: Bytes }
    private struct Camera: Hashable { var make: Bytes?, model: Bytes?, serial: Bytes?, owner: Bytes? }

    init(_ statements: Statements) { self.statements = statements }

    /// Those given in a transaction that was rolled back do not exist.
    func forget() {
        volumes = [:]
        places = [:]
        targets = [:]
        cameras = [:]
        lastWanted = ([], nil)
    }

    func volume(_ identity: String) throws -> Int64 {
        let key = Bytes(identity)
        if let id = volumes[key] { return id }
        let id = try number(.findVolume, .addVolume, [identity])
        volumes[key] = id
        return id
    }

    func place(source: String, root: String) throws -> Int64 {
        let key = Place(root: Bytes(root), source: Bytes(source))
        if let id = places[key] { return id }
        let id = try number(.findPlace, .addPlace, [root, source])
        places[key] = id
        return id
    }

    /// The target's number; `name` is remembered as the one last used, nil leaves it as it is.
    func target(_ identity: String, name: String? = nil) throws -> Int64 {
        let key = Bytes(identity)
        guard let known = try targets[key] ?? findTarget(identity) else {
            let id = try add(.addTarget, [identity, name ?? ""])
            targets[key] = (id, name ?? "")
            return id
        }
        targets[key] = known
        if let name, !name.isSpelled(as: known.name) {
            var query = try statements.query(.nameTarget)
            query.bind(name)
            query.bind(known.id)
            try query.execute()
            targets[key] = (known.id, name)
        }
        return known.id
    }

    /// The number of the body and owner that made a file; nil where it tells of neither.
    func camera(_ media: MediaFacts) throws -> Int64? {
        let texts = [media.make, media.model, media.serial, media.owner]
        if texts.allSatisfy({ $0 == nil }) { return nil }
        let key = Camera(
            make: media.make.map(Bytes.init), model: media.model.map(Bytes.init), serial: media.serial.map(Bytes.init),
            owner: media.owner.map(Bytes.init))
        if let id = cameras[key] { return id }
        if cameras.count >= 1000 { cameras = [:] }
        let id = try number(.findCamera, .addCamera, texts)
        cameras[key] = id
        return id
    }

    /// A list of targets as `asset.wanted` keeps it: their numbers, `1,2`; nil for none.
    func wanted(_ identities: [String]) throws -> String? {
        let last = lastWanted.identities
        if identities.count == last.count, zip(identities, last).allSatisfy({ $0.isSpelled(as: $1) }) {
            return lastWanted.text
        }
        let text = try identities.map { String(try target($0)) }.joined(separator: ",")
        lastWanted = (identities, text.isEmpty ? nil : text)
        return lastWanted.text
    }

    private func findTarget(_ identity: String) throws -> (id: Int64, name: String)? {
        var query = try statements.query(.findTarget)
        query.bind(identity)
        return try query.next() ? (query.int(), query.text()) : nil
    }

    private func number(_ find: Command, _ add: Command, _ values: [String?]) throws -> Int64 {
        var query = try statements.query(find)
        for value in values { query.bind(value) }
        return try query.next() ? query.int() : self.add(add, values)
    }

    private func add(_ command: Command, _ values: [String?]) throws -> Int64 {
        var query = try statements.query(command)
        for value in values { query.bind(value) }
        try query.execute()
        return statements.lastID
    }
}

/// Text that is compared as the database compares it, byte by byte.
struct Bytes: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: Self, b: Self) -> Bool { a.text.isSpelled(as: b.text) }
    func hash(into hasher: inout Hasher) { text.hashSpelling(into: &hasher) }
}
