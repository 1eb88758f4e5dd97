public import FilmgateCore
import Glibc

/// A file that stands for something that only one may change at a time, by agreement (`flock`), until the last
/// reference goes; then it is removed.
///
/// On a share such a lock holds for all machines, which that of a folder does not: it has to be open for writing there.
public final class LockFile: Sendable {
    private let file: OpenFile

    /// Waits for its turn; blocks.
    ///
    /// Makes the folder where it is missing. File systems without locks grant it to everyone.
    public init(_ path: String) throws(IngestError) {
        while true {
            try DurableFile.makeDirectories(parent(of: path))
            let (descriptor, code) = withCPath(path) { name in
                let descriptor = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
                return (descriptor, errno)
            }
            // Whoever was there before has removed the folder, which was empty.
            if descriptor < 0, code == ENOENT { continue }
            if descriptor < 0 { throw .writing(path, code) }
            let file = OpenFile(owning: descriptor, path)
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            // Whoever had it has removed it.
            guard let named = try FileFacts.of(path), named.inode == (try file.facts().inode) else { continue }
            self.file = file
            return
        }
    }

    /// While it is held: nobody takes another file for it.
    deinit {
        _ = withCPath(file.path) { unlink($0) }
        _ = withCPath(parent(of: file.path)) { rmdir($0) }
    }
}
