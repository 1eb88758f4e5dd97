import FilmgateCore

/// The numbers that stand for contents in the ledger's rows, and what was last written for those in hand, so that the
/// second and third record of a file does not write its metadata again.
///
/// Used on the writing connection's queue only.
final class ContentNumbers {
    private struct Entry { var id: Int64, digests: Digests?, media: MediaFacts? }
    private let statements: Statements
    private let names: NameNumbers
    private var known: [String: Entry] = [:]
    private static let limit = 512

    init(_ statements: Statements, _ names: NameNumbers) {
        self.statements = statements
        self.names = names
    }

    /// Those given in a transaction that was rolled back do not exist.
    func forget() { known = [:] }

    private func remember(_ entry: Entry, of key: ContentKey) {
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        known[key.rawValue] = entry
    }

    /// The content's number.
    ///
    /// What is not known now (nil) never replaces what was known before.
    func number(of key: ContentKey, digests: Digests? = nil, media: MediaFacts? = nil) throws -> Int64 {
        guard var entry = try known[key.rawValue] ?? find(key) else {
            let id = try insert(key, digests, media)
            remember(Entry(id: id, digests: digests, media: media), of: key)
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
        if changed { remember(entry, of: key) }
        return entry.id
    }

    private func find(_ key: ContentKey) throws -> Entry? {
        var query = try statements.query(.findContent)
        query.bind(key.rawValue)
        guard try query.next() else { return nil }
        let entry = Entry(id: query.int(), digests: nil, media: nil)
        remember(entry, of: key)
        return entry
    }

    private func insert(_ key: ContentKey, _ digests: Digests?, _ media: MediaFacts?) throws -> Int64 {
        let camera = try media.flatMap { try names.camera($0) }
        var query = try statements.query(.addContent)
        query.bind(key.rawValue)
        DigestRow.bind(digests, to: &query)
        MediaRow.bind(media, camera: camera, to: &query)
        try query.execute()
        return statements.lastID
    }

    private func update(_ id: Int64, _ digests: Digests) throws {
        var query = try statements.query(.setDigests)
        DigestRow.bind(digests, to: &query)
        query.bind(id)
        try query.execute()
    }

    private func update(_ id: Int64, _ media: MediaFacts) throws {
        let camera = try names.camera(media)
        var query = try statements.query(.setMedia)
        MediaRow.bind(media, camera: camera, to: &query)
        query.bind(id)
        try query.execute()
    }
}
