import CLinux
public import FilmgateCore
import Glibc

/// What the file system says of one name, links not followed.
public struct FileFacts: Sendable, Hashable {
    public enum Kind: Sendable, Hashable { case regular, directory, link, other }
    public var kind: Kind
    /// Bytes.
    public var size: UInt64
    /// Nanoseconds since 1970; `born` is 0 where unknown.
    public var modified: Int64, changed: Int64, born: Int64
    public var inode: UInt64, device: UInt64, links: UInt32
    /// Permission bits.
    public var mode: UInt32

    /// The facts of `path`; nil when nothing is there.
    ///
    /// A few microseconds on a local disk.
    public static func of(_ path: String) throws(IngestError) -> FileFacts? {
        var raw = fg_stat()
        let code = withCPath(path) { fg_stat_at(AT_FDCWD, $0, &raw) }
        if code == ENOENT || code == ENOTDIR { return nil }
        if code != 0 { throw .reading(path, code) }
        return FileFacts(raw)
    }

    /// True when the bytes can be the same as at the time of `other`: same file, size and modification time.
    public func unchanged(since other: FileFacts) -> Bool {
        (size, modified, inode, device) == (other.size, other.modified, other.inode, other.device)
    }
}

extension FileFacts {
    init(_ raw: fg_stat) {
        (size, inode, device, links) = (raw.size, raw.inode, raw.device, raw.links)
        (modified, changed, born) = (raw.modified_ns, raw.changed_ns, raw.born_ns)
        mode = raw.mode & 0o7777
        kind = Kind(mode: raw.mode)
    }

    init(_ raw: stat) {
        (size, inode, device, links) = (
            UInt64(raw.st_size), UInt64(raw.st_ino), UInt64(raw.st_dev), UInt32(truncatingIfNeeded: raw.st_nlink)
        )
        modified = Int64(raw.st_mtim.tv_sec) * 1_000_000_000 + Int64(raw.st_mtim.tv_nsec)
        changed = Int64(raw.st_ctim.tv_sec) * 1_000_000_000 + Int64(raw.st_ctim.tv_nsec)
        born = 0
        mode = raw.st_mode & 0o7777
        kind = Kind(mode: raw.st_mode)
    }
}

extension FileFacts.Kind {
    init(mode: UInt32) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .link
        default: self = .other
        }
    }
}
