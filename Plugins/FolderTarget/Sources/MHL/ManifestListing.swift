import FileKit
public import FilmgateCore

/// The files that manifests vouch for: ASC MHL 2.0 histories of any program, and MHL 1.1 files lying in the folder
/// itself.
public struct ManifestListing: Sendable {
    public struct File: Sendable, Hashable {
        public var path: String, size: UInt64?
        /// One digest, the most telling of those that the first manifest had.
        public var algorithm: DigestAlgorithm, digest: String
    }
    /// By absolute path, in the manifests' order.
    public private(set) var files: [File] = []

    /// All manifests at `folder`, below it, and of the folders around it.
    ///
    /// Empty where there are none. `corruptData` when a history's seals are broken or a manifest cannot be read.
    /// Blocks.
    public static func below(_ folder: String) throws(IngestError) -> ManifestListing {
        var listing = ManifestListing()
        var outer = Paths.folder(folder)
        // Folders around it may be closed to us: those have nothing to say.
        while true {
            if (try? hasManifests(outer)) == true { try listing.add(outer, only: folder) }
            if outer == Paths.folder(outer) { break }
            outer = Paths.folder(outer)
        }
        if try FileFacts.of(folder)?.kind == .directory { try listing.walk(folder, depth: 0) }
        return listing
    }

    private mutating func walk(_ folder: String, depth: Int) throws(IngestError) {
        guard depth < 64 else { return }
        try add(folder, only: nil)
        for name in try FileSystem.names(in: folder) where name != History.folderName && !name.hasPrefix(".") {
            let path = Paths.join(folder, name)
            if try FileFacts.of(path)?.kind == .directory { try walk(path, depth: depth + 1) }
        }
    }

    private static func hasManifests(_ folder: String) throws(IngestError) -> Bool {
        if try FileFacts.of(Paths.join(folder, History.folderName))?.kind == .directory { return true }
        return try !oldManifests(folder).isEmpty
    }

    private static func oldManifests(_ folder: String) throws(IngestError) -> [String] {
        try FileSystem.names(in: folder).filter { $0.hasSuffix(".mhl") && !$0.hasPrefix(".") }.map {
            Paths.join(folder, $0)
        }
    }

    private mutating func add(_ folder: String, only: String?) throws(IngestError) {
        var said: [ManifestReader.File] = []
        if try FileFacts.of(Paths.join(folder, History.folderName))?.kind == .directory {
            said = try History.load(folder).files
        }
        for path in try Self.oldManifests(folder) {
            guard let bytes = try FileSystem.contents(of: path, limit: 512 << 20) else { continue }
            said += try ManifestReader.read(bytes).files
        }
        let renamed = Set(said.compactMap(\.previous))
        var first: [String: Int] = [:]
        for (index, file) in said.enumerated() where !file.digests.isEmpty && first[file.path] == nil {
            first[file.path] = index
        }
        var told = Set<String>()
        for file in said where !renamed.contains(file.path) && told.insert(file.path).inserted {
            // The first hash of a file is the one that counts (ASC MHL 2.0, 4.3); a renamed one has it under its old
            // name.
            let original =
                [first[file.path], file.previous.flatMap { first[$0] }].compactMap { $0 }.min().map { said[$0] } ?? file
            guard let (algorithm, digest) = Self.best(original.digests), Self.staysBelow(file.path) else { continue }
            let path = Paths.join(folder, file.path)
            if let only, Paths.relative(path, to: only) == nil { continue }
            files.append(File(path: path, size: file.size, algorithm: algorithm, digest: digest))
        }
    }

    private static func best(_ digests: [DigestAlgorithm: String]) -> (DigestAlgorithm, String)? {
        let order: [DigestAlgorithm] = [.c4, .xxh128, .sha1, .md5, .xxh3, .xxh64]
        return order.lazy.compactMap { algorithm in digests[algorithm].map { (algorithm, $0) } }.first
    }

    /// A manifest is from outside: it may not name files elsewhere.
    private static func staysBelow(_ path: String) -> Bool {
        !path.utf8.starts(with: "/".utf8) && !path.split(separator: "/").contains("..")
    }
}
