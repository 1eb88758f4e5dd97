import FilmgateCore
import HTTPKit

/// An entry, and where it lies when it is an ordinary local file.
struct ListedEntry: Sendable {
    var entry: SourceEntry, file: String?
}

/// Makes of a child's lines what the engine takes.
struct EntryReader: Sendable {
    let place: SourcePlace, volume: String, module: String

    /// `unavailable` when the line is not what the protocol wants: a listing with a hole in it is no listing.
    func read(_ value: JSONValue) throws(IngestError) -> ListedEntry {
        guard let given = value["path"]?.string, let size = value["size"]?.whole.flatMap({ UInt64(exactly: $0) }) else {
            throw IngestError(.unavailable, "The module `\(module)` lists a file without its path or its size.")
        }
        let parts = given.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard given.utf8.count <= 4096, !given.utf8.contains(0),
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else {
            throw IngestError(
                .unavailable, "The module `\(module)` lists `\(Reported.shown(given))`, which is no path below a place."
            )
        }
        let path = parts.map(SafeName.component).joined(separator: "/"), name = SafeName.component(parts.last ?? "")
        let seconds = value["modified"]?.real ?? 0
        let origin = Origin(
            source: place.source, volume: volume, root: place.address, path: path, size: size,
            modified: abs(seconds) < 9e9 ? Int64((seconds * 1e9).rounded()) : 0, volumePath: given)
        let kind = value["kind"]?.string.flatMap { MediaKind(rawValue: $0) } ?? MediaKind(fileName: name)
        var entry = SourceEntry(
            origin: origin, kind: kind, shot: shot(parts.dropLast().joined(separator: "/"), name, kind))
        if let reason = value["skip"]?.string { entry.fate = .filtered(Reported.shown(reason)) }
        if let reason = value["unreadable"]?.string { entry.fate = .unreadable(Reported.shown(reason)) }
        let file = value["file"]?.string.flatMap { $0.hasPrefix("/") ? $0 : nil }
        return ListedEntry(entry: entry, file: file)
    }

    private func shot(_ folder: String, _ name: String, _ kind: MediaKind) -> ShotPlace {
        var file = FileName(name), sidecarOf: String?
        if kind == .sidecar, ![MediaKind.other, .sidecar].contains(MediaKind(fileName: file.stem)) {
            let inner = FileName(file.stem)
            (file, sidecarOf) = (inner, inner.ext)
        }
        return ShotPlace(
            key: SafeName.folded("\(volume)/\(folder)/\(file.stem)"), stem: file.stem, sidecarOf: sidecarOf)
    }
}
