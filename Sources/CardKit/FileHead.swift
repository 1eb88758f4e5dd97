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
        return [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, 64, 0))
        }
    }
}
