import FilmgateCore

/// What was last written for the contents in hand, so that the second and third record of a file does not write its metadata again.
struct ContentCache {
    struct Entry { var id: Int64, digests: Digests?, media: MediaFacts? }
    private var entries: [String: Entry] = [:]
    private static let limit = 512

    subscript(key: ContentKey) -> Entry? {
        get { entries[key.rawValue] }
        set {
            if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
            entries[key.rawValue] = newValue
        }
    }
}

extension ChangeWriter {
    /// The content's number.
    ///
    /// What is not known now (nil) never replaces what was known before.
    func content(_ key: ContentKey, digests: Digests? = nil, media: MediaFacts? = nil) throws -> Int64 {
        guard var entry = try contents[key] ?? find(key) else {
            let id = try insert(key, digests, media)
            contents[key] = .init(id: id, digests: digests, media: media)
            return id
        }
        var changed = false
        if let digests, !digests.others.isEmpty, digests != entry.digests {
            try update(entry.id, digests)
            (entry.digests, changed) = (digests, true)
        }
        if let media, media != entry.media {
            try update(entry.id, media)
            (entry.media, changed) = (media, true)
        }
        if changed { contents[key] = entry }
        return entry.id
    }

    private func find(_ key: ContentKey) throws -> ContentCache.Entry? {
        var query = try query(.findContent)
        query.bind(key.rawValue)
        guard try query.next() else { return nil }
        let entry = ContentCache.Entry(id: query.int(), digests: nil, media: nil)
        contents[key] = entry
        return entry
    }

    private func insert(_ key: ContentKey, _ digests: Digests?, _ media: MediaFacts?) throws -> Int64 {
        let camera = try media.flatMap { try self.camera($0) }
        var query = try query(.addContent)
        query.bind(key.rawValue)
        DigestRow.bind(digests, to: &query)
        MediaRow.bind(media, camera: camera, to: &query)
        try query.execute()
        return lastID
    }

    private func update(_ id: Int64, _ digests: Digests) throws {
        var query = try query(.setDigests)
        DigestRow.bind(digests, to: &query)
        query.bind(id)
        try query.execute()
    }

    private func update(_ id: Int64, _ media: MediaFacts) throws {
        let camera = try self.camera(media)
        var query = try query(.setMedia)
        MediaRow.bind(media, camera: camera, to: &query)
        query.bind(id)
        try query.execute()
    }
}
