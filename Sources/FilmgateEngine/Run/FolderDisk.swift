import FileKit

/// Where the folder of a target lies: on which disk, and where that is mounted.
struct FolderDisk: Sendable, Hashable {
    /// The disk, and the folder's path on it, as `Volumes` names them.
    var place: String
    /// Nil where an earlier version noted the place alone.
    var mountPoint: String?

    private static let separator: Character = "\u{1F}"

    /// As it is now; nil where the kernel names no mounts.
    init?(of folder: String) {
        guard let volumes = try? Volumes.current(), let place = volumes.place(of: folder) else { return nil }
        (self.place, mountPoint) = (place, volumes.table.mount(of: folder)?.point)
    }

    /// What the ledger keeps; nil for an empty text, which stands for a disk that somebody gave up.
    init?(text: String) {
        if text.isEmpty { return nil }
        guard let end = text.lastIndex(of: Self.separator) else {
            place = text
            return
        }
        (place, mountPoint) = (String(text[..<end]), String(text[text.index(after: end)...]))
    }

    /// Nothing is mounted any more where the disk was.
    var isAway: Bool {
        guard let mountPoint, mountPoint != "/", let volumes = try? Volumes.current() else { return false }
        return !volumes.table.isMountPoint(mountPoint)
    }

    /// Whether that is a place above it on the same disk: the folder is there, whatever was mounted once in between, as
    /// services see their own folders.
    func isBelow(_ other: String?) -> Bool {
        guard let other else { return false }
        return place == other || place.hasPrefix(other.hasSuffix(":") ? other : other + "/")
    }

    var text: String { mountPoint.map { "\(place)\(Self.separator)\($0)" } ?? place }
}
