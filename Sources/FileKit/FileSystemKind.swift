import CLinux

/// What can be expected of a file system by its kind.
extension FileSystem {
    /// True where changes that others make are not told of: network file systems, and those that a program serves.
    ///
    /// `path` may lie on any file system; unknown ones count as local.
    public static func hidesChanges(_ path: String) -> Bool {
        // statfs(2): NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, AFS, Coda
        let remote: Set<UInt64> = [
            0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x7375_7245,
        ]
        return remote.contains(withCPath(path) { fg_fs_type($0) })
    }

    /// True where files lie in memory and are gone when the machine is: tmpfs and ramfs.
    public static func isInMemory(_ path: String) -> Bool {
        [0x0102_1994, 0x8584_58F6].contains(withCPath(path) { fg_fs_type($0) })
    }
}
