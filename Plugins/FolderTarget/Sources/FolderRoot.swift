import FileKit
import FilmgateCore

/// The folder that nothing may leave.
struct FolderRoot: Sendable {
    /// Canonical: links resolved as far as it exists.
    let path: String
    /// Unfinished copies wait here, on the target's own file system and out of sight.
    var staging: String { StagingArea.directory(below: path) }

    init(_ path: String) { self.path = path }

    /// The absolute path of `relative`; `rejected` when it would leave the folder or could not exist.
    func resolve(_ relative: String) throws(IngestError) -> String {
        let parts = relative.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map { String(Substring($0)) }
        for part in parts where part.isEmpty || part == "." || part == ".." || part.utf8.contains(0) {
            throw IngestError(.rejected, "\(PathText.shown(relative)) is no path below the folder.")
        }
        for part in parts where PathText.bytes(of: part).count > 255 {
            throw IngestError(.rejected, "\(PathText.shown(part)) is longer than 255 bytes.")
        }
        guard let first = parts.first, !SafeName.isOwnFolder(first) else {
            throw IngestError(
                .rejected, "\(StagingArea.hidden) is Filmgate's own folder.",
                advice: "Choose another name in the template.")
        }
        let full = Paths.join(path, relative)
        try requireInside(folder(of: full))
        return full
    }

    /// Refuses a folder that a link below the root leads out of it.
    func requireInside(_ folder: String) throws(IngestError) {
        let real = FileSystem.canonical(folder)
        guard Paths.relative(real, to: path) != nil else {
            throw IngestError(
                .rejected,
                "\(PathText.shown(folder)) leads out of \(PathText.shown(path)), to \(PathText.shown(real)).",
                advice: "Remove the link, or deliver to its destination directly.")
        }
    }

    func folder(of full: String) -> String {
        guard let slash = full.utf8.lastIndex(of: 0x2F), slash != full.startIndex else { return "/" }
        return String(full[..<slash])
    }
}
