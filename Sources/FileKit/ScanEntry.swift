/// One name in a folder, as a directory scan meets it.
public struct ScanEntry: Sendable, Hashable {
    public enum FileType: Sendable, Hashable { case file, folder, link, fifo, socket, device, unknown }

    /// Path below the scan's root, `/` between parts (see ``PathText``).
    public var path: String
    /// The last part of `path`.
    public var name: String
    /// 0 for what lies in the root itself.
    public var depth: Int
    public var type: FileType
    /// Bytes; meaningless for anything but files.
    public var size: UInt64 = 0
    public var inode: UInt64 = 0, device: UInt64 = 0
    /// Nanoseconds since 1970; `born` is 0 where the file system does not say.
    public var modified: Int64 = 0, changed: Int64 = 0, born: Int64 = 0
    /// Nobody may write it: so FAT's read-only mark shows, which cameras set on frames that are protected.
    public var isReadOnly = false
    /// A folder of another file system than the scan's root: a mount point or a subvolume.
    ///
    /// Entered only on `.cross`.
    public var isBoundary = false
    /// Why it cannot be looked at or entered, in words; nil when all is well.
    public var problem: String?

    public init(path: String, name: String, depth: Int, type: FileType) {
        (self.path, self.name, self.depth, self.type) = (path, name, depth, type)
    }
}

/// What to do after an entry.
public enum ScanStep: Sendable, Hashable {
    /// Go on; a folder of the same file system is entered.
    case proceed
    /// Go on; a folder is entered even if it belongs to another file system.
    case cross
    /// Go on; a folder is not entered.
    case skip
    /// End the scan.
    case stop
}
