public import FilmgateCore
import Glibc

/// Questions about the file system below a path that may not exist yet: the nearest existing folder above it answers.
public enum FileSystem {
    /// True when both lie on one mounted file system, so that a rename between them can work.
    public static func same(_ a: String, _ b: String) -> Bool {
        guard let first = device(of: a), let second = device(of: b) else { return false }
        return first == second
    }

    /// Where the disk of `path` is mounted: the highest folder above it that is on the same device; nil when the disk
    /// does not answer.
    public static func mountPoint(of path: String) -> String? {
        var at = canonical(existing(path))
        guard let device = device(of: at) else { return nil }
        while at != "/" {
            let above = parent(of: at)
            guard self.device(of: above) == device else { return at }
            at = above
        }
        return at
    }

    /// Bytes that an ordinary user can still write there.
    public static func freeBytes(_ path: String) throws(IngestError) -> UInt64 {
        var facts = statvfs()
        let code = withCPath(existing(path)) { statvfs($0, &facts) == 0 ? 0 : errno }
        if code != 0 { throw .reading(path, code) }
        return UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue
    }

    /// False where no file can ever lie, as below `/proc`: a file system that has no blocks at all.
    ///
    /// One that counts none, as some network file systems do, still offers inodes.
    public static func keepsFiles(_ path: String) -> Bool {
        var facts = statvfs()
        guard withCPath(existing(path), { statvfs($0, &facts) }) == 0 else { return true }
        return facts.f_blocks > 0 || facts.f_files > 0
    }

    /// Whether this process may create files there.
    public static func isWritable(_ path: String) -> Bool { withCPath(existing(path)) { access($0, W_OK | X_OK) } == 0 }

    /// Whether the file system of `path`, or of the nearest folder above it that exists, is mounted read-only, or was
    /// made so by the kernel because of errors.
    public static func isReadOnly(_ path: String) -> Bool {
        var facts = statvfs()
        return withCPath(existing(path)) { statvfs($0, &facts) } == 0 && facts.f_flag & UInt(ST_RDONLY) != 0
    }

    /// All bytes of a small file; nil when it is missing.
    ///
    /// `unreadable` when it has more than `limit`.
    public static func contents(of path: String, limit: Int = 64 << 20) throws(IngestError) -> [UInt8]? {
        guard let facts = try FileFacts.of(path) else { return nil }
        guard facts.kind == .regular, facts.size <= UInt64(limit) else {
            throw IngestError(.unreadable, "\(shown(path)) is no ordinary file of at most \(limit) bytes.")
        }
        return try SmallFile.read(path, limit: limit)
    }

    /// Where a symbolic link points, as it is written there; nil when it is none.
    public static func link(_ path: String) -> String? { SmallFile.link(path) }

    /// Whether the disk under `folder`, one of ours, still works: a small file can be made there, and made durable.
    ///
    /// So does a full one. One that was taken out does not, whether or not its folder has gone with it. Blocks for the
    /// disk.
    public static func works(at folder: String) -> Bool {
        // Named as what a crash leaves in a staging area, so that it goes as that.
        let part = "\(folder)/\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))-works.part"
        defer { remove(part) }
        do throws(IngestError) {
            let file = try OpenFile.creating(part, mode: 0o600)
            let byte: [UInt8] = [0]
            try file.write(byte.span.bytes)
            try Flush.data(of: file)
            return true
        } catch {
            guard let failure = error.cause as? SystemFailure else { return true }
            return !failure.isOfTheDisk && failure.code != ENOENT && failure.code != ENOTDIR
        }
    }

    /// Removes a file that is ours; a missing one is fine.
    public static func remove(_ path: String) { _ = withCPath(path) { unlink($0) } }

    /// Sets the modification time (nanoseconds since 1970) of a file that is ours; file systems that keep none are
    /// forgiven.
    public static func setModified(_ path: String, _ nanoseconds: Int64) throws(IngestError) {
        try OpenFile.reading(path).file.setModified(nanoseconds)
    }

    /// The names in folder `path`, unsorted; empty when it is missing.
    public static func names(in path: String) throws(IngestError) -> [String] {
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor < 0, errno == ENOENT { return [] }
        guard descriptor >= 0, let stream = DirectoryStream(descriptor) else { throw .reading(path, errno) }
        var names: [String] = []
        while let name = stream.next({ name, _ in String(pathBytes: name) }) {
            if name != ".", name != ".." { names.append(name) }
        }
        if errno != 0 { throw .reading(path, errno) }
        return names
    }

    /// The longest part of `path` that exists (links followed); `/` or `.` at the least.
    public static func existing(_ path: String) -> String {
        var at = path
        while withCPath(at, { access($0, F_OK) }) != 0, parent(of: at) != at { at = parent(of: at) }
        return at
    }

    /// `path` as the system itself would spell it: links, `.` and `..` resolved as far as it exists, the rest appended.
    ///
    /// Two paths to the same place give the same text, also by a link to what does not exist yet. Relative paths start
    /// from the working directory.
    public static func canonical(_ path: String) -> String {
        var known = path.isEmpty ? "." : path, rest: [String] = [], links = 0
        while true {
            if let real = resolved(known) { return joined(real, rest) }
            let above = parent(of: known)
            // With a slash behind it, a link stands for the folder that it leads to.
            while known.utf8.count > 1, known.utf8.last == 0x2F { known.removeLast() }
            // As many as the system itself follows (path_resolution(7)).
            if links < 40, let end = SmallFile.link(known) {
                links += 1
                known = end.hasPrefix("/") ? end : joined(resolved(above) ?? above, [end])
                continue
            }
            if above == known { return joined(known, rest) }
            rest.insert(lastComponent(of: known), at: 0)
            known = above
        }
    }

    /// True when `inner` is the folder `outer` or lies below it, also by another way: through links, a bind mount, or
    /// in another spelling on a file system that ignores case.
    ///
    /// What does not exist yet counts as if it did.
    public static func encloses(_ outer: String, _ inner: String) -> Bool {
        let outer = canonical(outer), inner = canonical(inner)
        if Paths.relative(inner, to: outer) != nil { return true }
        guard let folder = identity(of: outer) else { return false }
        var at = existing(inner)
        while identity(of: at) != folder {
            let above = parent(of: at)
            if above == at { return false }
            at = above
        }
        return true
    }

    /// True when both are one folder, also by another way as in `encloses`.
    ///
    /// What does not exist yet is compared by its names below the folder that does.
    public static func isOneFolder(_ a: String, _ b: String) -> Bool {
        let a = canonical(a), b = canonical(b), above = (existing(a), existing(b))
        guard let one = Paths.relative(a, to: above.0), let other = Paths.relative(b, to: above.1),
            one.utf8.elementsEqual(other.utf8)
        else { return false }
        if above.0.utf8.elementsEqual(above.1.utf8) { return true }
        guard let folder = identity(of: above.0) else { return false }
        return folder == identity(of: above.1)
    }

    private struct Identity: Equatable { var device: UInt64, inode: UInt64 }

    private static func identity(of path: String) -> Identity? {
        var facts = stat()
        guard withCPath(path, { stat($0, &facts) }) == 0 else { return nil }
        return Identity(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino))
    }

    private static func resolved(_ path: String) -> String? {
        withCPath(path) { name in
            guard let real = realpath(name, nil) else { return nil }
            defer { free(real) }
            return String(cPath: real)
        }
    }

    private static func joined(_ base: String, _ rest: [String]) -> String {
        var parts = base.utf8.split(separator: 0x2F).map { String(Substring($0)) }
        for part in rest where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return (base.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    private static func device(of path: String) -> UInt64? {
        var facts = stat()
        return withCPath(existing(path)) { stat($0, &facts) } == 0 ? UInt64(facts.st_dev) : nil
    }
}
