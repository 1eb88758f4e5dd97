package import FileKit
package import FilmgateCore

/// A place that was opened, and how its files are known again.
///
/// A class, though it never changes: it is large, and handed to closures that run elsewhere.
package final class Card: Sendable {
    package let root: String, volume: Volume
    /// Registered name of the module that opened it.
    package let source: String
    /// What stands before a path below `root` to make it a path on the volume: empty at the top of a card, else ending
    /// in `/`.
    package let volumePrefix: String
    private let keepsBirth: Bool, keepsInodes: Bool

    /// On removable volumes paths count from the volume's top, so that it may be mounted anywhere; in dumps they are
    /// absolute.
    package init(root: String, volume: Volume, source: String) {
        (self.root, self.volume, self.source) = (root, volume, source)
        (keepsBirth, keepsInodes) = (volume.isFAT, volume.hasStableInodes)
        let top = volume.isRemovable ? volume.mount.pathOnVolume(root) ?? root : root
        volumePrefix = top.isEmpty || top.hasSuffix("/") ? top : top + "/"
    }

    /// The same without the `/` at its end.
    package var home: String {
        volumePrefix.hasSuffix("/") ? String(Substring(volumePrefix.utf8.dropLast())) : volumePrefix
    }

    package func volumePath(_ path: String) -> String { volumePrefix.isEmpty ? path : volumePrefix + path }

    /// The identity of an entry: FAT keeps a birth time but no inode numbers.
    package func origin(of entry: ScanEntry) -> Origin {
        Origin(
            source: source, volume: volume.identity, root: root, path: entry.path,
            size: entry.type == .file ? entry.size : 0, modified: entry.modified, born: keepsBirth ? entry.born : 0,
            inode: keepsInodes ? entry.inode : 0, changed: keepsInodes ? entry.changed : 0,
            volumePath: volumePath(entry.path))
    }
}
