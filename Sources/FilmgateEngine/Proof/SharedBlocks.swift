import CLinux
import FileKit
import Glibc

/// Whether two files of one file system share blocks: a reflink of the card is no copy of it.
enum SharedBlocks {
    /// True when both report shared extents: that they share with each other is then likely enough to refuse a yes.
    static func areShared(_ a: String, _ b: String) -> Bool { hasShared(a) && hasShared(b) }

    private static func hasShared(_ path: String) -> Bool {
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fg_has_shared_extents(descriptor) == 1
    }
}
