import FileKit
import Glibc

/// How files lie in an inbox: their permissions say, also after a crash, whether their clients were told that they are
/// safe.
enum InboxPermissions {
    static let coming: mode_t = 0o600, safe: mode_t = 0o400

    static func isSafe(_ path: String) -> Bool {
        guard let facts = (try? FileFacts.of(path)) ?? nil else { return false }
        return facts.mode & UInt32(S_IWUSR) == 0
    }

    /// Whether a file holds nothing that `other` does not begin with.
    static func isBeginning(_ path: String, of other: String) -> Bool {
        let second = withCPath(other) { open($0, O_RDONLY | O_CLOEXEC) }
        defer { if second >= 0 { close(second) } }
        return isBeginning(path, of: second)
    }

    /// The same, of an open file.
    static func isBeginning(_ path: String, of second: Int32) -> Bool {
        let first = withCPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        defer { if first >= 0 { close(first) } }
        guard first >= 0, second >= 0 else { return false }
        var one = [UInt8](repeating: 0, count: 256 << 10), two = one, offset: off_t = 0
        while true {
            let count = pread(first, &one, one.count, offset)
            if count == 0 { return true }
            guard count > 0, pread(second, &two, count, offset) == count, memcmp(one, two, count) == 0 else {
                return false
            }
            offset += off_t(count)
        }
    }
}

/// What makes a pushed file safe, one step after the other; each gives zero or the error's number, and blocks for the
/// disk.
struct FTPDisk: Sendable {
    /// The bytes, the length and the permissions of an open file are on the disk on return.
    var flush: @Sendable (Int32) -> Int32 = { descriptor in
        while fsync(descriptor) != 0 { if errno != EINTR { return isUnsupported(errno) ? 0 : errno } }
        return 0
    }
    /// Sets the permissions, which say whether its client was told that it is safe.
    var setPermissions: @Sendable (Int32, mode_t) -> Void = { descriptor, mode in _ = fchmod(descriptor, mode) }
    /// The names in a folder are on the disk on return.
    var flushFolder: @Sendable (String) -> Int32 = { path in
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        while fsync(descriptor) != 0 { if errno != EINTR { return isUnsupported(errno) ? 0 : errno } }
        return 0
    }

    /// Some file systems have no such flush and say so.
    private static func isUnsupported(_ code: Int32) -> Bool { code == EINVAL || code == ENOSYS || code == EOPNOTSUPP }
}
