import CLinux
public import FilmgateCore
import Glibc

/// A folder that is held open: its files are looked at, moved and removed in it.
///
/// Names are those of files in it. Everything blocks for the disk.
public final class OpenFolder: Sendable {
    /// Gives a file of an open folder a name that is free: 0, or an errno value.
    ///
    /// `EOPNOTSUPP` where that cannot be done without a moment in which somebody else's file could be replaced.
    package typealias Renaming = @Sendable (_ folder: Int32, _ name: String, _ other: String) -> Int32
    /// Removes a file of an open folder: 0, or an errno value.
    package typealias Removing = @Sendable (_ folder: Int32, _ name: String) -> Int32

    /// What is asked of the system; something else in tests.
    package struct Calls: Sendable {
        package var rename: Renaming = { folder, name, other in
            withCPath(name) { old in withCPath(other) { new in fg_rename_or_link(folder, old, folder, new) } }
        }
        package var remove: Removing = { folder, name in
            withCPath(name) { unlinkat(folder, $0, 0) == 0 ? 0 : errno }
        }

        package init() {}
    }

    private let descriptor: Int32, path: String
    private let calls: Calls

    /// `notFound`, `unreadable`.
    public convenience init(_ path: String) throws(IngestError) { try self.init(path, calls: Calls()) }

    package convenience init(_ path: String, calls: Calls) throws(IngestError) {
        let (descriptor, code) = withCPath(path) { (fg_open_directory($0), errno) }
        guard descriptor >= 0 else { throw .reading(path, code) }
        self.init(owning: descriptor, path, calls)
    }

    /// A folder below one that is trusted, or that itself where `path` is empty: no part of `path` may be a link or
    /// lead out of it, whoever changes it meanwhile.
    package convenience init(_ path: String, below root: String, calls: Calls = Calls()) throws(IngestError) {
        if path.isEmpty {
            try self.init(root, calls: calls)
            return
        }
        let whole = Paths.join(root, path), (top, failure) = withCPath(root) { (fg_open_directory($0), errno) }
        guard top >= 0 else { throw .reading(root, failure) }
        defer { close(top) }
        let (descriptor, code) = withCPath(path) { (fg_open_beneath(top, $0), errno) }
        guard descriptor >= 0 else { throw .reading(whole, code) }
        self.init(owning: descriptor, whole, calls)
    }

    private init(owning descriptor: Int32, _ path: String, _ calls: Calls) {
        (self.descriptor, self.path, self.calls) = (descriptor, path, calls)
    }

    deinit { close(descriptor) }

    /// The facts of a file; nil when there is none of that name.
    public func facts(of name: String) throws(IngestError) -> FileFacts? {
        var raw = fg_stat()
        let code = withCPath(name) { fg_stat_at(descriptor, $0, &raw) }
        if code == ENOENT { return nil }
        if code != 0 { throw .reading(Paths.join(path, name), code) }
        return FileFacts(raw)
    }

    /// Gives whatever file has `name` now another name, in one step: also where a file system has no exclusive
    /// renaming, nobody's next file of that name is touched.
    ///
    /// `other` must be a name that nobody else would choose: a file that has it is replaced.
    public func moveAside(_ name: String, to other: String) throws(IngestError) {
        let code = withCPath(name) { old in
            withCPath(other) { new in renameat(descriptor, old, descriptor, new) == 0 ? 0 : errno }
        }
        if code == ENOENT { throw .reading(Paths.join(path, name), code) }
        if code != 0 { throw .writing(Paths.join(path, other), code) }
    }

    /// Gives a file of ours a name that is free; `nameTaken` where it is not.
    ///
    /// False where the file system cannot do that without a moment in which somebody else's file could be replaced.
    public func moveBack(_ name: String, to other: String) throws(IngestError) -> Bool {
        let code = calls.rename(descriptor, name, other)
        if code == EOPNOTSUPP { return false }
        if code != 0 { throw .writing(Paths.join(path, other), code) }
        return true
    }

    /// Removes a file of ours.
    public func remove(_ name: String) throws(IngestError) {
        let code = calls.remove(descriptor, name)
        if code != 0 { throw .writing(Paths.join(path, name), code) }
    }
}
