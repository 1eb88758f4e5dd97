import FileKit
public import FilmgateCore
import Synchronization

/// Whether a file still lies at its source with the bytes that were taken from there: asked before the last copy of
/// them goes, or before somebody's word about what lies there is taken for one about them.
///
/// Size and modification time do not tell: another card may be mounted at the same path, with frames of the same
/// number and size by a camera whose clock was never set. What tells is ``Evidence`` on the same volume, as at an
/// import; where there is none, the bytes.
///
/// For one question, also about many files: what is mounted at a place is looked up once.
public final class OriginalCheck: Sendable {
    private static let pool = BlockingPool(width: 2)
    /// By the folders that the files were taken from.
    private let volumes = Mutex<[String: Volume?]>([:])

    public init() {}

    /// True when the file at its path can only be the one that was taken; reads it where nothing else proves that.
    public func isThere(_ origin: Origin, _ sha256: String) -> Bool {
        guard origin.root.hasPrefix("/"), let facts = try? FileFacts.of(origin.absolutePath), facts.kind == .regular,
            facts.size == origin.size
        else { return false }
        if isProven(origin, facts) { return true }
        return (try? Reread.digests(of: origin.absolutePath).sha256) == sha256
    }

    /// The same, on a thread that may block.
    func isThereNow(_ origin: Origin, _ sha256: String) async -> Bool {
        (try? await Self.pool.run { () throws(IngestError) in self.isThere(origin, sha256) }) ?? false
    }

    /// Which of `assets`, all of the same bytes, still lie at their sources.
    func originals(among assets: [Asset], _ sha256: String) async -> Set<AssetID> {
        var found: Set<AssetID> = []
        for asset in assets { if await isThereNow(asset.origin, sha256) { found.insert(asset.id) } }
        return found
    }

    /// What the file system says now is what it said then, and belongs to that file alone.
    private func isProven(_ origin: Origin, _ facts: FileFacts) -> Bool {
        guard let volume = volume(of: origin.root), volume.identity == origin.volume else { return false }
        let path = origin.absolutePath, hasInodes = volume.hasStableInodes
        return Evidence.proves(
            Fingerprint(
                path: volume.isRemovable ? volume.mount.pathOnVolume(path) ?? path : path, size: facts.size,
                modified: facts.modified, born: volume.isFAT ? facts.born : 0, inode: hasInodes ? facts.inode : 0,
                changed: hasInodes ? facts.changed : 0),
            isSameAs: origin.fingerprint)
    }

    private func volume(of root: String) -> Volume? {
        if let known = volumes.withLock({ $0[root] }) { return known }
        let found = try? Volumes.current().volume(of: FileSystem.canonical(root))
        volumes.withLock { $0[root] = .some(found) }
        return found
    }
}
