import FileKit
import FilmgateCore

/// The history of a folder and those of folders below it; a file belongs to the innermost.
struct HistoryTree {
    let root: String
    /// Called between a manifest and its seal, for tests.
    var beforeSeal: () -> Void = {}
    /// How often is begun anew where others write into the history.
    private static let tries = 8

    /// Writes one generation into each history that has news, innermost first; those around refer to it.
    ///
    /// Files that a history has with the same hash are left out unless they are `fresh`: those were hashed again and
    /// are `verified`.
    func record(_ files: [Journal.Entry], fresh: Set<String>) throws(IngestError) {
        // The one among users of this machine, the other among the machines of a share. Where that is another user's,
        // looking at the chain again has to do.
        let lock = try FolderLock(root), shared = sharedLock()
        defer { withExtendedLifetime((lock, shared)) {} }
        var groups: [String: [Journal.Entry]] = [:]
        for file in files {
            let home = self.home(of: file.path)
            groups[home, default: []].append(file)
            for outer in around(home) where groups[outer] == nil { groups[outer] = [] }
        }
        var references: [String: [MHLManifest.Reference]] = [:]
        for home in groups.keys.sorted(by: { ($0.utf8.count, $0) > ($1.utf8.count, $1) }) {
            let written = try write(groups[home] ?? [], in: home, fresh: fresh, references[home] ?? [])
            guard let written, let outer = around(home).first else { continue }
            let path = Paths.join(
                Paths.relative("/" + home, to: "/" + outer) ?? home, "\(History.folderName)/\(written.name)")
            references[outer, default: []].append(MHLManifest.Reference(path: path, c4: written.c4))
        }
    }

    private func sharedLock() -> LockFile? {
        let folder = Paths.join(root, StagingArea.hidden)
        // A link may lead out of the folder.
        guard let there = try? FileFacts.of(folder)?.kind ?? .directory, there == .directory else { return nil }
        return try? LockFile(Paths.join(folder, "mhl.lock"))
    }

    /// Writes the next generation of the history at `home` (below the root); nil when there is nothing to say.
    ///
    /// Begins anew where somebody else has added one meanwhile: no lock holds everywhere.
    private func write(
        _ entries: [Journal.Entry], in home: String, fresh: Set<String>, _ references: [MHLManifest.Reference]
    ) throws(IngestError) -> History.Generation? {
        for _ in 0..<Self.tries {
            let history = try History.load(Paths.join(root, home))
            let files = news(entries, in: home, fresh, history)
            if files.isEmpty, references.isEmpty {
                if history.isSealed { return nil }
                if try seal(history) { return nil }
                continue
            }
            let hashes = Dictionary(files.map { ($0.path, $0.xxh128) }) { first, _ in first }
            let isAll = Set(history.ignorePatterns) == Set(History.ignored)
            let manifest = MHLManifest(
                files: files, folders: isAll ? FolderHashes.of(history.root, hashes) : [], references: references,
                ignore: history.ignorePatterns, created: WallClock.nanoseconds)
            if let written = try publish(manifest, history) { return written }
        }
        throw IngestError(
            .unavailable, "Others write into the ASC MHL history of \(PathText.shown(Paths.join(root, home))).",
            advice: "What was delivered stands in the history after the next run.")
    }

    /// What the history does not say yet.
    private func news(
        _ entries: [Journal.Entry], in home: String, _ fresh: Set<String>, _ history: History
    ) -> [MHLManifest.File] {
        var files: [MHLManifest.File] = []
        for entry in entries {
            guard let path = home.isEmpty ? entry.path : Paths.relative(entry.path, to: home), let hash = entry.xxh128
            else { continue }
            let known = history.known[path]
            if known?.xxh128 == hash, !fresh.contains(entry.path) { continue }
            let action = known == nil ? "original" : known?.xxh128 == hash ? "verified" : "failed"
            files.append(
                MHLManifest.File(
                    path: path, size: entry.size, modified: entry.modified, hashed: entry.at, xxh128: hash,
                    action: action))
        }
        return files
    }

    /// Nil where somebody else was faster; then nothing of it is left.
    private func publish(_ manifest: MHLManifest, _ history: History) throws(IngestError) -> History.Generation? {
        try DurableFile.makeDirectories(history.folder)
        for name in try FileSystem.names(in: history.folder) where DurableFile.isPart(name) {
            FileSystem.remove(Paths.join(history.folder, name))
        }
        var history = history
        let number = history.nextNumber, bytes = Array(manifest.text.utf8)
        let name = MHLManifest.name(number, of: history.root, at: manifest.created)
        let path = Paths.join(history.folder, name)
        do throws(IngestError) { try DurableFile.create(bytes.span.bytes, at: path) } catch {
            if error.code == .nameTaken { return nil }
            throw error
        }
        let generation = History.Generation(number: number, name: name, c4: C4.id(of: bytes))
        history.generations.append(generation)
        beforeSeal()
        if try seal(history) { return generation }
        // Whoever was faster may have taken it in, as what a killed run left.
        if try history.names(generation) { return generation }
        FileSystem.remove(path)
        return nil
    }

    /// False where the chain is another one than was read.
    private func seal(_ history: History) throws(IngestError) -> Bool {
        guard try history.isCurrent() else { return false }
        let chain = Array(Chain.text(history.generations).utf8)
        try DurableFile.atomicWrite(chain.span.bytes, to: Paths.join(history.folder, History.chainName))
        return true
    }

    /// The innermost folder around `path` that has a history of its own; "" is the root.
    private func home(of path: String) -> String {
        var home = ""
        for folder in Self.folders(above: path) where isHistory(folder) { home = folder }
        return home
    }

    /// The histories around the one at `home`, the nearest first; empty for the root.
    private func around(_ home: String) -> [String] {
        home.isEmpty ? [] : Self.folders(above: home).filter(isHistory).reversed() + [""]
    }

    private func isHistory(_ folder: String) -> Bool {
        (try? FileFacts.of(Paths.join(Paths.join(root, folder), History.folderName)))?.kind == .directory
    }

    /// `a`, `a/b` for `a/b/c`.
    private static func folders(above path: String) -> [String] {
        path.utf8.indices.filter { path.utf8[$0] == 0x2F }.map { String(path[..<$0]) }
    }
}
