import Glibc

/// Whether some program has a file open for writing.
public enum Writers {
    /// Asks the kernel for a read lease (fcntl(2)) and gives it back at once; a writer that opens meanwhile waits for
    /// that moment only.
    ///
    /// Nil where it cannot be asked: another user's file, a network file system.
    public static func isOpenForWriting(_ path: String) -> Bool? {
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // F_SETSIG = 10: a broken lease is told by SIGURG, which nobody minds, instead of SIGIO, which kills.
        guard fcntl(descriptor, 10, SIGURG) == 0 else { return nil }
        // F_SETLEASE = 1024
        if fcntl(descriptor, 1024, Int32(F_RDLCK)) == 0 {
            _ = fcntl(descriptor, 1024, Int32(F_UNLCK))
            return false
        }
        return errno == EAGAIN ? true : nil
    }
}
