import CLinux
import FilmgateCore
import Glibc

/// Durable before it counts: the one place that decides how bytes and names reach the disk.
///
/// One flush per file, which 2 to 4 threads hide well; a slow medium that gains from batches would get them here.
enum Flush {
    /// Returns when the file's bytes and length survive a power cut.
    ///
    /// Blocks for the disk.
    static func data(of file: OpenFile, size: UInt64 = 0) throws(IngestError) {
        while fdatasync(file.descriptor) != 0 {
            let code = errno
            if code == EINTR { continue }
            if unsupported(code) { return }
            throw .writing(file.path, code, size: size)
        }
    }

    /// Returns when the names in folder `path` survive a power cut.
    ///
    /// Blocks for the disk.
    static func directory(_ path: String) throws(IngestError) {
        let (descriptor, failure) = withCPath(path) { name in
            let descriptor = fg_open_directory(name)
            return (descriptor, errno)
        }
        if descriptor < 0 { throw .writing(path, failure) }
        let directory = OpenFile(owning: descriptor, path)
        while fsync(directory.descriptor) != 0 {
            let code = errno
            if code == EINTR { continue }
            if unsupported(code) { return }
            throw .writing(path, code)
        }
    }

    /// File systems without such a flush (some through FUSE) say so in one of these ways.
    private static func unsupported(_ code: Int32) -> Bool { code == EINVAL || code == ENOSYS || code == EOPNOTSUPP }
}
