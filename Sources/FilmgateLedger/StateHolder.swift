import Glibc

/// The writer that holds a state directory now, seen from outside: never locks, so nobody is kept out by the question.
public struct StateHolder: Sendable {
    /// When it took hold of the state, in nanoseconds since 1970: an unfinished run that began later is its own.
    public let since: Int64

    /// Nil when nobody holds it, or the kernel does not tell.
    public init?(directory: String) {
        var facts = stat()
        guard lstat(directory + "/lock", &facts) == 0, let locks = Self.text("/proc/locks"),
            Self.holds(UInt64(facts.st_ino), locks)
        else { return nil }
        since = Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)
    }

    /// Lines such as `3: FLOCK  ADVISORY  WRITE 4711 08:02:131077 0 EOF` (proc(5)); those that wait for a lock have
    /// `->` before the kind.
    static func holds(_ inode: UInt64, _ locks: String) -> Bool {
        locks.split(separator: "\n").contains { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count >= 6, words[1] == "FLOCK", words[3] == "WRITE" else { return false }
            return words[5].split(separator: ":").last.flatMap { UInt64($0) } == inode
        }
    }

    private static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 16 << 20 {
            let count = read(file, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
