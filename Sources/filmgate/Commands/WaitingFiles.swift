import FileKit
import FilmgateCore
import FilmgateEngine

/// Which of what waits is meant by the names that `retry` and `assign` are given.
///
/// A file is found as `cancel` and `mark` find it: by its path at its source or a folder of it, by a copy of it, by its
/// SHA-256 or how that begins; and by its name alone, where only one that waits is called so.
///
/// The same sidecar may lie beside many pictures: its SHA-256 means those beside pictures that are named with it by
/// theirs. `SHA-256:SHA-256` is the sidecar beside that picture, and no other.
struct WaitingFiles {
    /// What people read of it.
    static let naming =
        "by their path at their source or a folder of it, a copy at a target, their name, or their SHA-256 or its "
        + "beginning; `-`: those that standard input names, one a line"

    /// What the names mean, and those of which nothing waits.
    struct Found {
        var contents: Set<ContentKey> = [], idle: [String] = []
    }

    private let waiting: [QueuedDelivery], reader: any LedgerReader, start: UserPath
    private let bySHA256: [String: Set<ContentKey>]

    /// `start`: where relative paths start.
    init(_ waiting: [QueuedDelivery], _ reader: any LedgerReader, from start: UserPath) {
        (self.waiting, self.reader, self.start) = (waiting, reader, start)
        bySHA256 = waiting.reduce(into: [:]) { found, one in
            found[one.delivery.content.sha256, default: []].insert(one.delivery.content)
        }
    }

    /// Throws `misconfigured` for a name that fits nothing, or that several different frames have.
    func found(_ names: [String]) async throws(IngestError) -> Found {
        var found = Found(), places: WaitingPlaces?
        let pictures = Set(names.filter(OrderChoice.isDigest))
        for name in names {
            let contents = try await contents(of: name, beside: pictures, &places)
            if contents.isEmpty { found.idle.append(name) } else { found.contents.formUnion(contents) }
        }
        return found
    }

    /// Empty for what is known, and waits for nothing.
    ///
    /// `pictures`: what is named with it by its SHA-256; `places`: where what lies, as soon as that was read.
    private func contents(
        of name: String, beside pictures: Set<String>, _ places: inout WaitingPlaces?
    ) async throws(IngestError) -> Set<ContentKey> {
        if OrderChoice.isDigest(name) { return try await contents(ofSHA256: name, beside: pictures) }
        if let key = Self.sidecar(name) { return try await contents(of: key) }
        let known = if let places { places } else { try await WaitingPlaces(waiting, reader, from: start) }
        places = known
        let path = start.recorded(name), meant = try chosen(path, known)
        if !meant.isEmpty { return Set(meant.map(\.delivery.content)) }
        let facts = try FileFacts.of(path)
        if facts?.kind == .directory { return [] }
        if facts == nil, let contents = known.byName[name] { return try one(of: contents, called: name) }
        let sha256: String
        do throws(IngestError) { sha256 = try await PictureSearch(reader: reader, start: start).sha256(name) } catch {
            guard facts == nil, let hint = hint(for: name, path, known) else { throw error }
            throw unknown(name, hint)
        }
        return try await contents(ofSHA256: sha256, beside: pictures)
    }

    private func chosen(_ path: String, _ places: WaitingPlaces) throws(IngestError) -> [QueuedDelivery] {
        do { return try places.chosen(path) } catch {
            throw IngestError(.misconfigured, (error as? Refusal)?.message ?? "\(error)")
        }
    }

    /// A sidecar that is named by its SHA-256 and, behind a colon, that of its picture.
    private static func sidecar(_ name: String) -> ContentKey? {
        let key = ContentKey(rawValue: name)
        guard name.utf8.count == 129, name.utf8.dropFirst(64).first == UInt8(ascii: ":"),
            OrderChoice.isDigest(key.sha256), let picture = key.beside, OrderChoice.isDigest(picture)
        else { return nil }
        return key
    }

    private func contents(of key: ContentKey) async throws(IngestError) -> Set<ContentKey> {
        if bySHA256[key.sha256]?.contains(key) == true { return [key] }
        if try await reader.deliveries(of: key).isEmpty { throw unknown(key.rawValue, "") }
        return []
    }

    private func contents(
        ofSHA256 sha256: String, beside pictures: Set<String>
    ) async throws(IngestError) -> Set<ContentKey> {
        if let waiting = bySHA256[sha256] {
            let meant = waiting.filter { $0.beside.map(pictures.contains) ?? true }
            if !meant.isEmpty { return meant }
        }
        let files = try await reader.assets(sha256: sha256)
        if files.isEmpty { throw unknown(sha256, "") }
        // What lies beside a picture that is named waits for nothing; what does is another one's.
        if files.contains(where: { $0.content?.beside.map(pictures.contains) == true }) { return [] }
        let waiting = bySHA256[sha256] ?? []
        if waiting.count > 1 { throw severalPictures(sha256, waiting) }
        return waiting
    }

    private func severalPictures(_ name: String, _ sidecars: Set<ContentKey>) -> IngestError {
        var told: Set<ContentKey> = []
        let orders = waiting.filter { one in
            sidecars.contains(one.delivery.content) && told.insert(one.delivery.content).inserted
        }
        let list = orders.prefix(5).map { one in
            "\(one.delivery.content.rawValue) (\(Describe.name(one.asset.origin.absolutePath)))"
        }
        return IngestError(
            .misconfigured,
            "\(name) does not say which sidecar is meant: \(orders.count) that wait have these bytes, each beside "
                + "another picture. Name it with its picture: " + list.joined(separator: ", ")
                + (orders.count > list.count ? " …" : "") + ".")
    }

    /// The same, unless they are different frames.
    private func one(of contents: Set<ContentKey>, called name: String) throws(IngestError) -> Set<ContentKey> {
        if Set(contents.map(\.sha256)).count == 1 {
            if Set(contents.compactMap(\.beside)).count <= 1 { return contents }
            throw severalPictures(Describe.name(name), contents)
        }
        let meant = waiting.filter { contents.contains($0.delivery.content) }
        throw IngestError(
            .misconfigured, OrderChoice.severalFrames(name, meant, because: "Several that wait are called so"))
    }

    /// What may have been meant: a file that waits, as it was named.
    private func hint(for name: String, _ path: String, _ places: WaitingPlaces) -> String? {
        name.contains("/")
            ? PathHint(places.paths).words(for: path)
            : nearest(name, among: places.byName.keys).map { " Did you mean `\(Describe.name($0))`?" }
    }

    private func unknown(_ name: String, _ hint: String) -> IngestError {
        IngestError(
            .misconfigured, "Nothing that waits is called \(Describe.name(name)), and no such file is known.\(hint)",
            advice: "Files are named \(Self.naming).")
    }
}

/// The path that somebody probably meant, part by part, among those that are known.
struct PathHint {
    private let known: [[Substring]]

    /// `known`: absolute paths of files.
    init(_ known: [String]) {
        self.known = Set(known).filter { $0.hasPrefix("/") }.map { $0.split(separator: "/") }
    }

    /// Nil where no part of the path is a slip of the fingers, and where it is known itself.
    func path(for path: String) -> String? {
        var left = known, meant: [Substring] = []
        for (depth, part) in path.split(separator: "/").enumerated() {
            let names = Set(left.compactMap { $0.count > depth ? $0[depth] : nil })
            guard let name = names.contains(part) ? part : nearest(String(part), among: names.map(String.init))?[...]
            else { return nil }
            meant.append(name)
            left.removeAll { $0.count <= depth || $0[depth] != name }
        }
        let found = "/" + meant.joined(separator: "/")
        return found == path ? nil : found
    }

    func words(for path: String) -> String? { self.path(for: path).map { " Did you mean `\(Describe.name($0))`?" } }
}
