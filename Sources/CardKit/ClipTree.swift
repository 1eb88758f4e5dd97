import FileKit
import FilmgateCore

/// A clip tree that was found on a card.
final class ClipTree: Sendable {
    let kind: ClipTreeKind
    /// The tree's root as the card spells it; `CLIP` for the open form.
    let name: String
    /// Bytes of a path that lie above the tree; when the place that was opened lies inside it, `above` holds what is
    /// missing.
    let cut: Int
    let above: String
    /// Path of the tree on its volume, ending in `/`.
    let home: String

    init(kind: ClipTreeKind, name: String, cut: Int = 0, above: String = "", home: String) {
        (self.kind, self.name, self.cut, self.above, self.home) = (kind, name, cut, above, home)
    }

    /// Path from the tree's root folder on, that folder included: `PRIVATE/M4ROOT/CLIP/C0001.MP4` →
    /// `M4ROOT/CLIP/C0001.MP4`.
    func innerPath(_ path: String) -> String { above + String(Substring(path.utf8.dropFirst(cut))) }

    /// What a file inside the tree is: the clip itself, a sound, or something that goes where the clip goes.
    ///
    /// `kind` = what its name alone promises.
    func kind(of path: String, promised kind: MediaKind) -> MediaKind {
        let folders = innerPath(path).utf8.split(separator: 0x2F).dropLast().map {
            SafeName.folded(String(Substring($0)))
        }
        if folders.contains(where: ClipTreeKind.sounds.contains) {
            return kind == .video || kind == .audio ? .audio : .sidecar
        }
        if folders.contains(where: ClipTreeKind.standIns.contains) { return .sidecar }
        return kind == .video || kind == .raw || kind == .audio ? kind : .sidecar
    }

    /// The key of the clip that a file belongs to; `clips` are the folded stems of the tree's clips.
    func key(of path: String, stem: String, clips: Set<String>) -> String {
        if let folder = clipFolder(of: path) { return home + folder }
        if clips.contains(stem) { return home + stem }
        for suffix in kind.suffixes {
            guard let captured = suffix.captured(Array(stem.utf8)) else { continue }
            let clip = String(decoding: captured.text, as: UTF8.self)
            if clips.contains(clip) { return home + clip }
        }
        return home + stem
    }

    private func clipFolder(of path: String) -> String? {
        guard let depth = kind.clipDepth else { return nil }
        let parts = SafeName.folded(innerPath(path)).utf8.split(separator: 0x2F)
        guard parts.count > depth + 1, kind.clipFolders.map({ $0.matches(Array(parts[1])) }) ?? true else { return nil }
        return String(decoding: Array(parts[1..<depth + 1].joined(separator: [0x2F])), as: UTF8.self)
    }
}
