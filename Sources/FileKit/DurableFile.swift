import CLinux
public import FilmgateCore
import Glibc

/// Names that appear whole or not at all, and stay after a power cut.
///
/// Everything blocks for the disk.
public enum DurableFile {
    /// Gives the finished file `part` its final name.
    ///
    /// Never replaces anything: `nameTaken` when the name is in use. `part` and `final` must be on one file system
    /// (otherwise the error's `cause` is `SystemFailure(EXDEV)`); `part` keeps its name on failure.
    public static func publish(part: String, as final: String) throws(IngestError) {
        let facts = try FileFacts.of(part)
        try move(part, to: final)
        do throws(IngestError) { try Flush.directory(parent(of: final)) } catch {
            if let facts { takeBack(final, to: part, facts) }
            throw error
        }
    }

    /// Gives a file whose folder could not be flushed its earlier name again: others read it by that.
    ///
    /// `facts` are those that it had; what is not that very file stays as it is.
    static func takeBack(_ final: String, to part: String, _ facts: FileFacts) {
        let isOurs = Result { () throws(IngestError) in
            guard try FileFacts.of(part) == nil, let named = try FileFacts.of(final) else { return false }
            return (named.device, named.inode) == (facts.device, facts.inode)
        }
        // Where that fails, too, it stays under its new name.
        if case .success(true) = isOurs { _ = Result { () throws(IngestError) in try move(final, to: part) } }
    }

    /// Gives a file another name on its file system; `nameTaken` when that is in use, and `notFound` when the file is
    /// gone.
    ///
    /// Nothing is flushed.
    public static func move(_ path: String, to other: String) throws(IngestError) {
        let code = withCPath(path) { old in
            withCPath(other) { new in fg_rename_exclusive(AT_FDCWD, old, AT_FDCWD, new) }
        }
        if code == ENOENT, (try? FileFacts.of(path)) == .some(.none) { throw .reading(path, ENOENT) }
        if code != 0 { throw .writing(other, code) }
    }

    /// Makes what is already there under `path` durable, bytes and name: for a copy that an interrupted run left whole.
    public static func settle(_ path: String) throws(IngestError) {
        let (file, _) = try OpenFile.reading(path)
        try Flush.data(of: file)
        try Flush.directory(parent(of: path))
    }

    /// Creates folder `path` and the missing ones above it, each durable before the next.
    ///
    /// Several callers at once are fine. `rejected` when a file is in the way.
    public static func makeDirectories(_ path: String, mode: UInt32 = 0o755) throws(IngestError) {
        var missing: [String] = [], at = path, climbs = 0
        while true {
            let code = withCPath(at) { mkdir($0, mode) == 0 ? 0 : errno }
            if code == 0 {
                try Flush.directory(parent(of: at))
            } else if code == ENOENT, parent(of: at) != at, climbs < 1000 {
                // Counted for good: below /proc the parent is there and still nothing can be made.
                climbs += 1
                missing.append(at)
                at = parent(of: at)
                continue
            } else if code != EEXIST || !isDirectory(at) {
                throw .writing(at, code == EEXIST ? ENOTDIR : code)
            }
            guard let next = missing.popLast() else { return }
            at = next
        }
    }

    /// Writes a small file whole: a new one beside it, flushed, then renamed over the old.
    ///
    /// For files that are ours alone.
    public static func atomicWrite(_ bytes: RawSpan, to path: String, mode: UInt32 = 0o644) throws(IngestError) {
        try write(bytes, beside: path, mode) { part throws(IngestError) in
            let code = withCPath(part) { old in withCPath(path) { new in rename(old, new) == 0 ? 0 : errno } }
            if code != 0 { throw .writing(path, code) }
        }
        try Flush.directory(parent(of: path))
    }

    /// Writes a small file whole under a name that is free; `nameTaken` when it is in use.
    public static func create(_ bytes: RawSpan, at path: String, mode: UInt32 = 0o644) throws(IngestError) {
        try write(bytes, beside: path, mode) { part throws(IngestError) in try publish(part: part, as: path) }
    }

    /// What such a file is called before it has its name; true also for what a crash left.
    public static func isPart(_ name: String) -> Bool {
        guard name.utf8.first == 0x2E, name.hasSuffix(".part") else { return false }
        let digits = name.dropFirst().dropLast(5)
        return UInt64(digits, radix: 16).map { String($0, radix: 16) == digits } ?? false
    }

    private static func write(
        _ bytes: RawSpan, beside path: String, _ mode: UInt32, name: (String) throws(IngestError) -> Void
    ) throws(IngestError) {
        let part = "\(parent(of: path))/.\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
        let file = try OpenFile.creating(part, mode: mode)
        do throws(IngestError) {
            try bytes.withUnsafeBytes { bytes throws(IngestError) in try file.write(bytes) }
            try Flush.data(of: file)
            try name(part)
        } catch {
            _ = withCPath(part) { unlink($0) }
            throw error
        }
    }

    /// Adds `bytes` to the end of a small file (0600) in one write, creating it and its folder where missing.
    ///
    /// Survives a crash of the program; a power cut may lose the last ones.
    public static func append(_ bytes: [UInt8], to path: String) throws(IngestError) {
        try makeDirectories(parent(of: path), mode: 0o700)
        let (descriptor, code) = withCPath(path) { name in
            let descriptor = open(name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return (descriptor, errno)
        }
        if descriptor < 0 { throw .writing(path, code) }
        try OpenFile(owning: descriptor, path).write(bytes.span.bytes)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        return withCPath(path) { stat($0, &facts) } == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }
}
