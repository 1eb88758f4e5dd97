import FileKit
import FilmgateCore

/// The hashes of a folder as ASC MHL defines them: of its contents alone, and of its contents with their names.
struct FolderHash: Hashable {
    /// Below the root; "" is the root.
    var path: String
    var content: String, structure: String
}

/// Computes folder hashes where a generation can vouch for every file: a folder with a single file from elsewhere gets
/// none, since nobody hashed that file now.
struct FolderHashes {
    private let root: String
    private let files: [String: String]
    private var found: [FolderHash] = []

    /// The hashes of the complete folders below `root`; `files` gives XXH128 by path below it.
    ///
    /// In order, contents before their folder; the root, if it is complete, is last.
    static func of(_ root: String, _ files: [String: String]) -> [FolderHash] {
        var hashes = FolderHashes(root: root, files: files)
        _ = hashes.visit("", depth: 0)
        return hashes.found
    }

    private init(root: String, files: [String: String]) { (self.root, self.files) = (root, files) }

    private mutating func visit(_ path: String, depth: Int) -> FolderHash? {
        guard depth < 64, let names = try? FileSystem.names(in: Paths.join(root, path)) else { return nil }
        var content: [String] = [], structure: [String] = []
        var isComplete = true
        for name in names.sorted() where !History.ignored.contains(name) {
            let child = Paths.join(path, name)
            if let hash = files[child] {
                content.append(hash)
                structure.append(Self.named(name, hash))
            } else if isFolder(child), !isHistory(child), let folder = visit(child, depth: depth + 1) {
                content.append(folder.content)
                structure.append(Self.named(name, folder.structure))
            } else {
                isComplete = false
            }
        }
        guard isComplete else { return nil }
        let hash = FolderHash(path: path, content: Self.hash(of: content), structure: Self.hash(of: structure))
        found.append(hash)
        return hash
    }

    private func isFolder(_ path: String) -> Bool { (try? FileFacts.of(Paths.join(root, path)))?.kind == .directory }

    private func isHistory(_ path: String) -> Bool { isFolder(Paths.join(path, History.folderName)) }

    private static func named(_ name: String, _ hash: String) -> String {
        MultiHasher.digest(of: Array(name.utf8) + bytes(hash), .xxh128)
    }

    private static func hash(of list: [String]) -> String {
        MultiHasher.digest(of: list.sorted().flatMap(bytes), .xxh128)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { $0.hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
