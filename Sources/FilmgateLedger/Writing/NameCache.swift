import FilmgateCore

/// The numbers of targets, volumes and places: few, asked for with every row.
struct NameCache {
    var volumes: [Bytes: Int64] = [:]
    var places: [Place: Int64] = [:]
    var targets: [Bytes: (id: Int64, name: String)] = [:]
    /// Forgotten when there are more than any studio has: a hostile card may name a new one in every file.
    var cameras: [Camera: Int64] = [:]
    /// The last list of wanted targets, and the text that stands for it: nearly always the same.
    var wanted: (identities: [String], text: String?) = ([], nil)

    struct Place: Hashable { var root: Bytes, source: Bytes }
    struct Camera: Hashable { var make: Bytes?, model: Bytes?, serial: Bytes?, owner: Bytes? }
}

/// Text that is compared as the database compares it, byte by byte.
struct Bytes: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: Self, b: Self) -> Bool { a.text.isSpelled(as: b.text) }
    func hash(into hasher: inout Hasher) { text.hashSpelling(into: &hasher) }
}

extension ChangeWriter {
    func volume(_ identity: String) throws -> Int64 {
        let key = Bytes(identity)
        if let id = names.volumes[key] { return id }
        let id = try number(.findVolume, .addVolume, [identity])
        names.volumes[key] = id
        return id
    }

    func place(source: String, root: String) throws -> Int64 {
        let key = NameCache.Place(root: Bytes(root), source: Bytes(source))
        if let id = names.places[key] { return id }
        let id = try number(.findPlace, .addPlace, [root, source])
        names.places[key] = id
        return id
    }

    /// The target's number; `name` is remembered as the one last used, nil leaves it as it is.
    func target(_ identity: String, name: String? = nil) throws -> Int64 {
        let key = Bytes(identity)
        guard let known = try names.targets[key] ?? findTarget(identity) else {
            let id = try add(.addTarget, [identity, name ?? ""])
            names.targets[key] = (id, name ?? "")
            return id
        }
        names.targets[key] = known
        if let name, !name.isSpelled(as: known.name) {
            var query = try query(.nameTarget)
            query.bind(name)
            query.bind(known.id)
            try query.execute()
            names.targets[key] = (known.id, name)
        }
        return known.id
    }

    func write(disk: String, of identity: String, _ name: String) throws {
        let id = try target(identity, name: name)
        var query = try query(.setDisk)
        query.bind(disk)
        query.bind(id)
        try query.execute()
    }

    /// The number of the body and owner that made a file; nil where it tells of neither.
    func camera(_ media: MediaFacts) throws -> Int64? {
        let texts = [media.make, media.model, media.serial, media.owner]
        if texts.allSatisfy({ $0 == nil }) { return nil }
        let key = NameCache.Camera(
            make: media.make.map(Bytes.init), model: media.model.map(Bytes.init), serial: media.serial.map(Bytes.init),
            owner: media.owner.map(Bytes.init))
        if let id = names.cameras[key] { return id }
        if names.cameras.count >= 1000 { names.cameras = [:] }
        let id = try number(.findCamera, .addCamera, texts)
        names.cameras[key] = id
        return id
    }

    /// A list of targets as `asset.wanted` keeps it: their numbers, `1,2`; nil for none.
    func wanted(_ identities: [String]) throws -> String? {
        let last = names.wanted.identities
        if identities.count == last.count, zip(identities, last).allSatisfy({ $0.isSpelled(as: $1) }) { return names.wanted.text }
        let text = try identities.map { String(try target($0)) }.joined(separator: ",")
        names.wanted = (identities, text.isEmpty ? nil : text)
        return names.wanted.text
    }

    private func findTarget(_ identity: String) throws -> (id: Int64, name: String)? {
        var query = try query(.findTarget)
        query.bind(identity)
        return try query.next() ? (query.int(), query.text()) : nil
    }

    private func number(_ find: Command, _ add: Command, _ values: [String?]) throws -> Int64 {
        var query = try query(find)
        for value in values { query.bind(value) }
        return try query.next() ? query.int() : self.add(add, values)
    }

    private func add(_ command: Command, _ values: [String?]) throws -> Int64 {
        var query = try query(command)
        for value in values { query.bind(value) }
        try query.execute()
        return lastID
    }
}
