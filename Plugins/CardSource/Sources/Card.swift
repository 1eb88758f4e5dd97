import FileKit
import FilmgateCore

/// A place that was opened, and how its files are known again.
struct Card: Sendable {
    let root: String
    let volume: Volume
    /// What stands before a path below `root` to make it a path on the volume: empty at the top of a card, else ending in `/`.
    let volumePrefix: String
    private let keepsBirth: Bool, keepsInodes: Bool

    /// On removable volumes paths count from the volume's top, so that it may be mounted anywhere; in dumps they are absolute.
    init(root: String, volume: Volume) {
        (self.root, self.volume) = (root, volume)
        (keepsBirth, keepsInodes) = (volume.isFAT, volume.hasStableInodes)
        let top = volume.isRemovable ? volume.mount.pathOnVolume(root) ?? root : root
        volumePrefix = top.isEmpty || top.hasSuffix("/") ? top : top + "/"
    }

    func volumePath(_ path: String) -> String { volumePrefix.isEmpty ? path : volumePrefix + path }

    /// The identity of an entry: FAT keeps a birth time but no inode numbers.
    func origin(of entry: ScanEntry) -> Origin {
        Origin(
            source: CardSource.name, volume: volume.identity, root: root, path: entry.path,
            size: entry.type == .file ? entry.size : 0, modified: entry.modified, born: keepsBirth ? entry.born : 0,
            inode: keepsInodes ? entry.inode : 0, changed: keepsInodes ? entry.changed : 0, volumePath: volumePath(entry.path))
    }
}
