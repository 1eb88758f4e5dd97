import Glibc

/// Wakes whoever waits when another folder may have come to lie under a path: something was mounted or unmounted
/// (proc(5): mountinfo), or a folder above was renamed or removed (inotify(7)).
///
/// What happens in the folder itself it does not tell. Where the kernel gives no watch, it tells less. For one thread.
public final class PathWatch {
    private let mounts: Int32, above: Int32

    public init(_ path: String) {
        mounts = withCPath("/proc/self/mountinfo") { open($0, O_RDONLY | O_CLOEXEC) }
        above = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        var folder = Paths.folder(path)
        while above >= 0, folder.utf8.count > 1 {
            _ = withCPath(folder) {
                inotify_add_watch(above, $0, UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF) | UInt32(IN_ONLYDIR))
            }
            folder = Paths.folder(folder)
        }
    }

    deinit { for descriptor in [mounts, above] where descriptor >= 0 { close(descriptor) } }

    /// For poll(2), before anything is asked about the path; a mount is told once.
    public var waits: [(descriptor: Int32, events: Int16)] { [(mounts, Int16(POLLPRI)), (above, Int16(POLLIN))] }

    /// Takes the events that were told; does not wait.
    public func clear() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while above >= 0, Glibc.read(above, &buffer, buffer.count) > 0 {}
    }
}
