public import FilmgateCore
import Glibc

/// A lock file that processes agree on (`flock`): goes with its holder, whatever ends it.
public final class FileLock: Sendable {
    private let descriptor: CInt

    private init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Lets the next one in; the object going does the same.
    public func release() { flock(descriptor, LOCK_UN) }

    /// Waits for its turn, blocking: for locks held for milliseconds.
    public static func wait(_ path: String) throws(IngestError) -> FileLock {
        let descriptor = try opened(path)
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return FileLock(descriptor: descriptor)
    }

    /// Waits for its turn without holding a thread; `cancelled` with the task.
    public static func turn(_ path: String) async throws(IngestError) -> FileLock {
        let lock = FileLock(descriptor: try opened(path))
        while flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
            // File systems without locks grant it to everyone.
            if errno != EWOULDBLOCK, errno != EINTR { break }
            do { try await Task.sleep(for: .milliseconds(20)) } catch {
                throw IngestError(.cancelled, "Stopped while waiting for another process.")
            }
        }
        return lock
    }

    private static func opened(_ path: String) throws(IngestError) -> CInt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw IngestError(.unavailable, "Cannot lock \(path): \(String(cString: strerror(errno))).")
        }
        return descriptor
    }
}
