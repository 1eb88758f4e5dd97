import FileKit
import Glibc

/// How files lie in an inbox: their permissions say, also after a crash, whether their clients were told that they are safe.
enum FTPMark {
    static let coming: mode_t = 0o600, safe: mode_t = 0o400

    static func isSafe(_ path: String) -> Bool {
        guard let facts = (try? FileFacts.of(path)) ?? nil else { return false }
        return facts.mode & UInt32(S_IWUSR) == 0
    }

    /// Puts the first `size` bytes of a file into a new one; zero, or the error's number.
    static func copy(_ path: String, _ size: UInt64, to other: String) -> Int32 {
        let from = withCPath(path) { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard from >= 0 else { return errno }
        defer { close(from) }
        let into = withCPath(other) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, coming) }
        guard into >= 0 else { return errno }
        defer { close(into) }
        var left = Int(clamping: size), block = [UInt8](repeating: 0, count: 256 << 10)
        while left > 0 {
            let count = read(from, &block, min(left, block.count))
            guard count > 0 else { return count < 0 ? errno : EIO }
            var done = 0
            while done < count {
                let written = block.withUnsafeBytes { write(into, $0.baseAddress.map { $0 + done }, count - done) }
                guard written > 0 else { return errno }
                done += written
            }
            left -= count
        }
        return 0
    }

    /// Whether a file holds nothing that `other` does not begin with.
    static func isBeginning(_ path: String, of other: String) -> Bool {
        let (first, second) = (withCPath(path) { open($0, O_RDONLY | O_CLOEXEC) }, withCPath(other) { open($0, O_RDONLY | O_CLOEXEC) })
        defer { for descriptor in [first, second] where descriptor >= 0 { close(descriptor) } }
        guard first >= 0, second >= 0 else { return false }
        var one = [UInt8](repeating: 0, count: 256 << 10), two = one, offset: off_t = 0
        while true {
            let count = pread(first, &one, one.count, offset)
            if count == 0 { return true }
            guard count > 0, pread(second, &two, count, offset) == count, memcmp(one, two, count) == 0 else { return false }
            offset += off_t(count)
        }
    }
}
