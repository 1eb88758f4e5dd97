public import FilmgateCore
import Glibc

/// Tells what happens in folders, through inotify(7).
///
/// One folder at a time: whoever uses it adds the ones below as they come. For one thread.
public final class FolderWatch {
    public enum Event: Sendable, Hashable {
        /// A file was made, or got more bytes; more may follow.
        case begun(String)
        /// A writer closed the file.
        case written(String)
        /// Came under this name in one piece: renamed or moved here.
        case movedIn(String)
        /// Deleted, or moved away.
        case gone(String)
        case folderCame(String)
        case folderGone(String)
        /// Events were lost: only looking at everything tells what happened.
        case overflow
        /// The outermost folder itself was removed, moved or unmounted.
        case rootGone
    }

    /// Readable when there are events.
    public let descriptor: Int32
    public let root: String
    private var folders: [Int32: String] = [:]
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// `unavailable` when the kernel has no more watchers to give.
    public init(_ root: String) throws(IngestError) {
        self.root = root
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if descriptor < 0 {
            let failure = SystemFailure(errno)
            throw IngestError(
                .unavailable, "The kernel has no further watcher for folders: \(failure.text).",
                advice: Self.hasDescriptors
                    ? "Raise fs.inotify.max_user_instances with sysctl."
                    : "Raise the limit of open files: `ulimit -n`, or LimitNOFILE= of the service.", cause: failure)
        }
    }

    deinit { close(descriptor) }

    /// Both limits, of watchers and of open files, are told in the same words (inotify_init(2), EMFILE).
    private static var hasDescriptors: Bool {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    private static let mask =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW)
        | UInt32(IN_EXCL_UNLINK)

    /// Watches the folder `path` below the root, "" the root itself.
    ///
    /// True when it is watched; false when it is gone again. `unavailable` when the limit of watches is reached.
    public func add(_ path: String) throws(IngestError) -> Bool {
        let full = path.isEmpty ? root : Paths.join(root, path)
        let (watch, code) = withCPath(full) { name in
            let watch = inotify_add_watch(descriptor, name, Self.mask)
            return (watch, errno)
        }
        if watch >= 0 {
            folders[watch] = path
            return true
        }
        guard code == ENOSPC || code == ENOMEM else { return false }
        throw IngestError(
            .unavailable,
            "The kernel watches no more than \(folders.count) folders of \(PathText.shown(root)) for this user.",
            advice:
                "Raise the limit: sysctl fs.inotify.max_user_watches=524288. Until then the folders are looked through every few seconds."
        )
    }

    /// Forgets the folder `path` and all below it.
    public func remove(_ path: String) {
        for (watch, folder) in folders where Paths.relative(folder, to: path) != nil {
            inotify_rm_watch(descriptor, watch)
            folders[watch] = nil
        }
    }

    public var count: Int { folders.count }

    /// What happened since the last call; does not wait.
    public func read() -> [Event] {
        var events: [Event] = []
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return events }
            buffer.withUnsafeBytes { parse($0.prefix(count), into: &events) }
            if events.count > 50_000 { return events }
        }
    }

    /// struct inotify_event: watch i32, mask u32, cookie u32, length u32, name padded with NULs.
    private func parse(_ bytes: Slice<UnsafeRawBufferPointer>, into events: inout [Event]) {
        var offset = bytes.startIndex
        while offset + 16 <= bytes.endIndex {
            let watch = bytes.base.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let mask = bytes.base.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let length = Int(bytes.base.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            guard offset + 16 + length <= bytes.endIndex else { return }
            let name = bytes.base[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
            if let event = event(watch, mask, String(pathBytes: Array(name))) { events.append(event) }
            offset += 16 + length
        }
    }

    private func event(_ watch: Int32, _ mask: UInt32, _ name: String) -> Event? {
        func has(_ flag: Int32) -> Bool { mask & UInt32(bitPattern: flag) != 0 }
        if has(IN_Q_OVERFLOW) { return .overflow }
        guard let folder = folders[watch] else { return nil }
        if has(IN_IGNORED) {
            folders[watch] = nil
            return nil
        }
        if has(IN_UNMOUNT) { return .rootGone }
        if has(IN_DELETE_SELF) || has(IN_MOVE_SELF) { return folder.isEmpty ? .rootGone : nil }
        guard !name.isEmpty else { return nil }
        let path = folder.isEmpty ? name : folder + "/" + name
        if mask & 0x4000_0000 != 0 {
            return has(IN_CREATE) || has(IN_MOVED_TO) ? .folderCame(path) : .folderGone(path)
        }
        if has(IN_CLOSE_WRITE) { return .written(path) }
        if has(IN_MOVED_TO) { return .movedIn(path) }
        return has(IN_CREATE) ? .begun(path) : .gone(path)
    }
}
