import FilmgateCore

/// What a manifest says that matters for the next one.
struct ManifestReader {
    private(set) var hashes: [String: String?] = [:]
    private(set) var ignore: [String] = []
    private var path: String?, previous: String?, hash: String?
    private var isFile = false

    static func read(_ bytes: [UInt8]) throws(IngestError) -> ManifestReader {
        var scanner = XMLScanner(bytes), reader = ManifestReader()
        var isManifest = false
        while let event = try scanner.next() {
            if case .begin("hashlist", _) = event { isManifest = true }
            reader.take(event)
        }
        guard isManifest else { throw IngestError(.corruptData, "It is no ASC MHL manifest.") }
        return reader
    }

    private mutating func take(_ event: XMLScanner.Event) {
        switch event {
        case .begin("hash", _): (isFile, path, previous, hash) = (true, nil, nil, nil)
        case .end("path", let text) where isFile: path = text
        case .end("previousPath", let text) where isFile: previous = text
        case .end("xxh128", let text) where isFile: hash = text.lowercased()
        case .end("pattern", let text): ignore.append(text)
        case .end("hash", _):
            isFile = false
            for name in [path, previous] { if let name { hashes[name] = .some(hash) } }
        default: break
        }
    }
}
