import FileKit
import FilmgateCore
import Glibc

/// The first bytes of a file.
enum FileHead {
    /// At most 64; fewer when the file is shorter.
    static func read(_ path: String) throws(IngestError) -> [UInt8] {
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .reading(path, errno) }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &head, head.count, 0)
        // A bad sector is no empty file.
        guard count >= 0 else { throw .reading(path, errno) }
        return Array(head.prefix(count))
    }
}
