import FileKit
import FilmgateCore

/// Decides what an entry is and what becomes of it, by its name, its type and where it lies.
struct Classifier {
    let hidden: Bool

    /// `promised` = what the entry's name alone says it is.
    func verdict(on entry: ScanEntry, promised: MediaKind, in tree: ClipTree?) -> (
        kind: MediaKind, fate: SourceEntry.Fate
    ) {
        let kind =
            entry.type == .folder
            ? .other : tree?.kind(of: entry.path, promised: promised) ?? plain(promised, entry.path)
        if let problem = entry.problem { return (kind, .unreadable(problem)) }
        if let reason = Junk.reason(entry.name, isFolder: entry.type == .folder) { return (.other, .filtered(reason)) }
        if let reason = oddity(entry) { return (.other, .filtered(reason)) }
        if !hidden, entry.name.utf8.first == 0x2E { return (kind, .filtered("hidden: its name begins with a dot")) }
        if tree == nil, kind == .other || kind == .sidecar, let reason = Housekeeping.reason(entry.path) {
            return (.other, .filtered(reason))
        }
        return (kind, .take)
    }

    private func plain(_ promised: MediaKind, _ path: String) -> MediaKind {
        promised == .other && Housekeeping.isEditing(path) ? .sidecar : promised
    }

    private func oddity(_ entry: ScanEntry) -> String? {
        switch entry.type {
        case .file: nil
        case .folder where entry.isBoundary: "another file system is mounted here; name it as a path of its own"
        case .folder: nil
        case .link: "a symbolic link, which is never followed"
        case .fifo: "a FIFO, not a file"
        case .socket: "a socket, not a file"
        case .device: "a device, not a file"
        case .unknown: "neither a file nor a folder"
        }
    }
}
