import CardKit
import FileKit
import FilmgateCore
import Glibc
import Logging

/// Turns the paths of a configuration into folders to open.
struct PlaceFinder: Sendable {
    struct Found: Hashable {
        /// Absolute, without links.
        var folder: String
        var label: String
        /// The files that were asked for by name; nil = all of the folder.
        var names: Set<String>?
        /// By a pattern, or because it is mounted.
        var isFound = false
        /// Which mount holds it.
        var mount = ""
    }

    let logger: Logger
    /// Where cards are looked for when no path is given.
    var homes = ["/media", "/run/media", "/mnt"]
    var volumes: @Sendable () throws(IngestError) -> Volumes = { () throws(IngestError) in try Volumes.current() }

    /// Blocks for the disk; `notFound` for a path that is written out and not there.
    func places(_ paths: [String]) throws(IngestError) -> [Found] {
        let volumes = try volumes()
        let folders = paths.isEmpty ? cards(volumes) : try merged(paths)
        return try withoutNested(folders, volumes.table).map { found throws(IngestError) in
            let volume = try volumes.volume(of: found.folder)
            var found = found
            found.mount = "\(volume.mount.device) \(volume.mount.id)"
            found.label = volume.mount.point == found.folder ? volume.label : Paths.name(found.folder)
            return found
        }
    }

    /// The names that `paths` ask for one by one in `folder`; nil = all of it.
    func names(in folder: String, of paths: [String]) throws(IngestError) -> Set<String>? {
        paths.isEmpty ? nil : try merged(paths).first { $0.folder == folder }?.names
    }

    /// What is mounted now and looks like a card.
    private func cards(_ volumes: Volumes) -> [Found] {
        volumes.removable.filter { mount in
            homes.contains { Paths.relative(mount.point, to: $0) != nil } && looksLikeCard(mount.point)
        }.map { Found(folder: $0.point, label: "", isFound: true) }
    }

    /// The mount point of the card that `folder`, or what was named in it, is only a part of.
    func card(around folder: String, takesAll: Bool) throws(IngestError) -> String? {
        guard let point = try volumes().table.mount(of: folder)?.point, point != "/", point != folder || !takesAll
        else { return nil }
        return looksLikeCard(point) ? point : nil
    }

    /// The folder that looks like a card's root, and that `folder`, or what was named in it, is only a part of.
    func whole(around folder: String, takesAll: Bool) -> String? {
        if !takesAll, looksLikeCard(folder) { return folder }
        var part = folder
        while part.count > 1 {
            let above = Paths.folder(part)
            if ClipTreeKind.isCardFolder(Paths.name(part)), looksLikeCard(above) { return above }
            part = above
        }
        return nil
    }

    private func looksLikeCard(_ folder: String) -> Bool {
        var found = false
        do throws(IngestError) {
            try DirectoryScan(root: folder).run { entry in
                found = entry.type == .folder && ClipTreeKind.isCardFolder(entry.name)
                return found ? .stop : .skip
            }
        } catch {
            logger.warning("A removable volume cannot be read.", metadata: ["path": "\(folder)", "error": "\(error)"])
        }
        return found
    }

    /// Each folder once, in the order of `paths`; files asked for by name join the entry of their folder.
    private func merged(_ paths: [String]) throws(IngestError) -> [Found] {
        var result: [Found] = []
        for path in paths {
            for found in try expanded(path) {
                guard let index = result.firstIndex(where: { $0.folder == found.folder }) else {
                    result.append(found)
                    continue
                }
                result[index].isFound = result[index].isFound && found.isFound
                if let old = result[index].names, let new = found.names {
                    result[index].names = old.union(new)
                } else {
                    result[index].names = nil
                }
            }
        }
        return result
    }

    /// The paths that are no patterns and no single files.
    func spelledOut(_ paths: [String]) -> [String] {
        paths.compactMap { try? withHome($0) }.filter { path in
            let kind = try? FileFacts.of(FileSystem.canonical(path))?.kind
            return kind == .directory || kind == nil && !Self.isPattern(path)
        }
    }

    private static func isPattern(_ path: String) -> Bool {
        path.utf8.contains { $0 == 0x2A || $0 == 0x3F || $0 == 0x5B }
    }

    private func expanded(_ path: String) throws(IngestError) -> [Found] {
        let path = try withHome(path)
        if Self.isPattern(path), try FileFacts.of(path) == nil {
            return matches(path).map { Found(folder: FileSystem.canonical($0), label: "", isFound: true) }
        }
        let real = FileSystem.canonical(path)
        switch try FileFacts.of(real)?.kind {
        case .directory: return [Found(folder: real, label: "")]
        case .regular: return [Found(folder: Paths.folder(real), label: "", names: [Paths.name(real)])]
        case .link, .other: throw IngestError(.notFound, "\(PathText.shown(path)) is neither a folder nor a file.")
        case nil:
            let isMount = ["/media/", "/run/media/", "/mnt/"].contains(where: path.hasPrefix)
            let advice =
                isMount
                ? "Is the card in its reader and mounted? `lsblk -f` shows what is; desktops mount cards below /media or /run/media."
                : "Look at the spelling; cards are mounted below /media or /run/media."
            throw IngestError(.notFound, "\(PathText.shown(path)) is not there.", advice: advice)
        }
    }

    private func withHome(_ path: String) throws(IngestError) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        guard let home = getenv("HOME") else {
            throw IngestError(
                .misconfigured, "`~` stands for the home folder, but HOME is not set.", advice: "Write the path out.")
        }
        return String(cPath: home) + path.dropFirst()
    }

    /// Folders that match a glob, in natural order.
    private func matches(_ pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard withCPath(pattern, { glob($0, GLOB_ONLYDIR | GLOB_NOSORT, nil, &found) }) == 0, let names = found.gl_pathv
        else { return [] }
        let paths = (0..<Int(found.gl_pathc)).compactMap { names[$0].map { String(cPath: $0) } }
        return paths.filter { (try? FileFacts.of(FileSystem.canonical($0)))?.kind == .directory }.sorted(
            by: NaturalOrder.precedes)
    }

    /// Leaves out what a whole folder of the same mount holds already: nothing is listed twice.
    private func withoutNested(_ found: [Found], _ table: MountTable) -> [Found] {
        found.filter { inner in
            !found.contains { outer in
                outer.names == nil && outer.folder != inner.folder
                    && Paths.relative(inner.folder, to: outer.folder) != nil
                    && table.mount(of: outer.folder) == table.mount(of: inner.folder)
            }
        }
    }
}
