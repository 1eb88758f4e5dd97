import FilmgateCore
import XMLKit

/// What a manifest says of its files; reads ASC MHL 2.0 and the older MHL 1.1.
struct ManifestReader {
    struct File: Hashable {
        var path: String
        var previous: String?, size: UInt64?
        var digests: [DigestAlgorithm: String] = [:]
    }
    private(set) var files: [File] = []
    private(set) var ignore: [String] = []
    private var open: File?

    /// Element names of both versions; XXH64 was written with its byte order in 1.1.
    private static let formats: [String: DigestAlgorithm] = [
        "xxh128": .xxh128, "xxh3": .xxh3, "xxh64": .xxh64, "xxhash64be": .xxh64, "sha1": .sha1, "md5": .md5, "c4": .c4,
    ]

    static func read(_ bytes: [UInt8]) throws(IngestError) -> ManifestReader {
        var reader = ManifestReader(), isManifest = false
        try MHLDocument.read(bytes) { event in
            if case .begin("hashlist", _) = event { isManifest = true }
            reader.take(event)
        }
        guard isManifest else { throw IngestError(.corruptData, "It is no ASC MHL manifest.") }
        return reader
    }

    private mutating func take(_ event: XMLReader.Event) {
        switch event {
        case .begin("hash", _): open = File(path: "")
        case .begin("path", let attributes): open?.size = attributes["size"].flatMap(UInt64.init)
        case .end("path", let text), .end("file", let text): open?.path = text
        case .end("size", let text): open?.size = UInt64(text)
        case .end("previousPath", let text): open?.previous = text
        case .end("pattern", let text): ignore.append(text)
        case .end("hash", _):
            if let file = open, !file.path.isEmpty { files.append(file) }
            open = nil
        case .end(let name, let text):
            if let format = Self.formats[name] { open?.digests[format] = format == .c4 ? text : text.lowercased() }
        default: break
        }
    }
}

/// The XML of a history: manifests and their chain.
enum MHLDocument {
    /// More than manifests of a million files have.
    static let limit = 512 << 20

    /// `corruptData` for what is no XML, has a document type, or elements more than 64 deep.
    static func read(_ bytes: [UInt8], _ body: (XMLReader.Event) -> Void) throws(IngestError) {
        do throws(XMLFault) { try XMLReader.read(bytes, upTo: limit, body) } catch {
            throw IngestError(.corruptData, "The XML is damaged: \(error.reason).")
        }
    }
}
