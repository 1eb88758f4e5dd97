import FilmgateCore
import Glibc

/// Where the ledger lives.
///
/// Its file is never opened here: closing any descriptor of a file drops the locks that SQLite holds on it.
struct StateDirectory: Sendable {
    let path: String
    var database: String { path + "/ledger.sqlite" }
    var log: String { database + "-wal" }

    init(_ path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    var hasLedger: Bool { access(database, F_OK) == 0 }

    /// A new ledger would not fit on its disk.
    var isFull: Bool {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return false }
        return UInt64(facts.f_bavail) < (1 << 20) / max(1, UInt64(facts.f_frsize))
    }

    /// Makes the directory with mode 0700 and the ledger's file with 0600 where they are missing; leaves what exists as
    /// it is.
    func prepare() throws(IngestError) {
        try Self.make(path)
        var facts = stat()
        if lstat(database, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK {
            throw IngestError(
                .misconfigured, "\(database) is a symbolic link; the ledger is never kept behind one.",
                advice: "Move the file itself here, or name its directory with `--state DIR`.")
        }
        let file = Glibc.open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) } else if errno != EEXIST { throw Self.failure("cannot be written", path, errno) }
    }

    /// Waits until the committed changes, and the directory entries of their files, are on the disk.
    ///
    /// Commits are in the log before they are anywhere else, and SQLite flushes the ledger itself before it empties the
    /// log, so flushing the log is enough. SQLite holds no locks on that file.
    func flush() throws(IngestError) {
        for path in [log, path] {
            let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw Self.failure("cannot be flushed", path, errno) }
            defer { close(file) }
            guard fsync(file) == 0 else { throw Self.failure("cannot be flushed", path, errno) }
        }
    }

    private static func make(_ path: String) throws(IngestError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
        guard errno == ENOENT, !parent.isEmpty else { throw failure("cannot be made", path, errno) }
        try make(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("cannot be made", path, errno) }
    }

    static func failure(_ what: String, _ path: String, _ number: CInt) -> IngestError {
        let words = String(cString: strerror(number))
        if number == ENOSPC || number == EDQUOT {
            return IngestError(.storageFull, "\(path) \(what) (\(words)).", advice: "Free some space there.")
        }
        return IngestError(
            .misconfigured, "\(path) \(what) (\(words)).",
            advice: "The state directory must be yours to write; `--state DIR` chooses another.")
    }
}
