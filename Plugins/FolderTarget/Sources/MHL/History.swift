import FileKit
import FilmgateCore

/// The ASC MHL 2.0 history in `ascmhl` below a folder: its generations, and what they say of each file.
struct History {
    struct Generation: Hashable {
        var number: Int
        var name: String, c4: String
    }
    /// The first hash of a file in the one format that we write; nil when the history has only others.
    struct Known: Hashable { var xxh128: String? }

    let root: String
    var generations: [Generation] = []
    var known: [String: Known] = [:]
    var ignore: [String] = []
    /// All that its manifests say, the oldest first.
    private(set) var files: [ManifestReader.File] = []
    /// False when the chain does not name the last manifest yet.
    private(set) var isSealed = true
    /// The chain file as it was read; nil when there was none.
    private var chain: [UInt8]?

    static let folderName = "ascmhl", chainName = "ascmhl_chain.xml"
    static let ignored = [".DS_Store", "ascmhl", "ascmhl/", StagingArea.hidden]
    var folder: String { Paths.join(root, Self.folderName) }
    /// The last generation's patterns, and at least those that keep our own files out.
    var ignorePatterns: [String] { ignore + Self.ignored.filter { !ignore.contains($0) } }

    /// Reads the whole history and checks its seals: `corruptData` when a manifest is missing, was changed, or is not
    /// in the chain.
    ///
    /// One unsealed manifest that would be the next generation is what an interrupted run left: it is taken in.
    static func load(_ root: String) throws(IngestError) -> History {
        var history = History(root: root)
        let names = try FileSystem.names(in: history.folder).filter { $0.hasSuffix(".mhl") && !$0.hasPrefix("._") }
            .sorted()
        history.chain = try history.readChain()
        let sealed = try history.sealed(history.chain)
        for generation in sealed { try history.read(generation.name, sealed: generation) }
        for name in names where !sealed.contains(where: { $0.name == name }) {
            guard history.generations.count == sealed.count, number(of: name) == history.nextNumber else {
                throw broken(Paths.join(history.folder, name), "is not in the chain")
            }
            try history.read(name, sealed: nil)
            history.isSealed = false
        }
        return history
    }

    private var chainPath: String { Paths.join(folder, Self.chainName) }

    private func readChain() throws(IngestError) -> [UInt8]? {
        try FileSystem.contents(of: chainPath, limit: 64 << 20)
    }

    private func sealed(_ chain: [UInt8]?) throws(IngestError) -> [Generation] {
        guard let chain else { return [] }
        return try Self.located(chainPath) { () throws(IngestError) in try Chain.parse(chain) }
    }

    /// Nobody has added to the chain since it was read.
    func isCurrent() throws(IngestError) -> Bool { try readChain() == chain }

    /// Whether the chain, as it is now, names that manifest.
    func names(_ generation: Generation) throws(IngestError) -> Bool {
        try sealed(try readChain()).contains { $0.name == generation.name }
    }

    var nextNumber: Int { (generations.map(\.number).max() ?? 0) + 1 }

    private mutating func read(_ name: String, sealed: Generation?) throws(IngestError) {
        let path = Paths.join(folder, name)
        guard !name.contains("/"), let bytes = try FileSystem.contents(of: path, limit: MHLDocument.limit) else {
            throw Self.broken(path, "is missing")
        }
        let c4 = C4.id(of: bytes)
        guard sealed == nil || sealed?.c4 == c4 else { throw Self.broken(path, "was changed after it was sealed") }
        let content = try Self.located(path) { () throws(IngestError) in try ManifestReader.read(bytes) }
        for file in content.files {
            for name in [file.path, file.previous].compactMap({ $0 }) where known[name]?.xxh128 == nil {
                known[name] = Known(xxh128: file.digests[.xxh128])
            }
        }
        files += content.files
        if !content.ignore.isEmpty { ignore = content.ignore }
        generations.append(
            Generation(number: sealed?.number ?? Self.number(of: name) ?? nextNumber, name: name, c4: c4))
    }

    /// The leading digits of a manifest's name.
    static func number(of name: String) -> Int? {
        let digits = name.prefix { $0.isASCII && $0.isNumber }
        return digits.count >= 4 ? Int(digits) : nil
    }

    private static func broken(_ path: String, _ how: String) -> IngestError {
        IngestError(
            .corruptData, "The ASC MHL history is broken: \(PathText.shown(path)) \(how).",
            advice: "Restore it from a backup, or move the `ascmhl` folder away to begin a new history.")
    }

    private static func located<Value>(_ path: String, _ body: () throws(IngestError) -> Value) throws(IngestError)
        -> Value
    {
        do throws(IngestError) { return try body() } catch {
            throw broken(path, "cannot be read (\(error.message))")
        }
    }
}
