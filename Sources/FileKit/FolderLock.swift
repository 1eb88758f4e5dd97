import CLinux
public import FilmgateCore
import Glibc

/// A folder that this process alone may change by agreement (`flock`), until the last reference goes.
///
/// Two owners in one process exclude each other too.
public final class FolderLock: Sendable {
    private let folder: OpenFile

    /// Waits for its turn; blocks.
    ///
    /// File systems without locks grant it to everyone.
    public init(_ path: String) throws(IngestError) {
        let (descriptor, code) = withCPath(path) { name in
            let descriptor = fg_open_directory(name)
            return (descriptor, errno)
        }
        if descriptor < 0 { throw .writing(path, code) }
        folder = OpenFile(owning: descriptor, path)
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    }

    /// Nil where another owner has it, or where there is no such folder; does not wait.
    public init?(free path: String) {
        let descriptor = withCPath(path) { fg_open_directory($0) }
        guard descriptor >= 0 else { return nil }
        folder = OpenFile(owning: descriptor, path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return nil }
    }

    // A program that is being started just now has the descriptor, too, until it is replaced: to close it is not enough.
    deinit { _ = flock(folder.descriptor, LOCK_UN) }
}
