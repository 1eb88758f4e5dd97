import Glibc

/// Waits until something happens to the files of a folder (inotify(7)), so that nobody has to look again and again.
///
/// For one thread, but for `end`.
package final class ChangeWatch: Sendable {
    /// What is waited for.
    package enum Kind: Sendable {
        /// Files that come.
        case arrivals
        /// The same, and files that are written or go.
        case changes

        fileprivate var mask: UInt32 {
            let arrivals = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR)
            if self == .arrivals { return arrivals }
            return arrivals | UInt32(IN_MODIFY) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
        }
    }
    private let folder: String, kind: Kind, events: Int32, ends: [Int32]

    package init(_ folder: String, _ kind: Kind = .arrivals) {
        (self.folder, self.kind) = (folder, kind)
        events = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        var pair: [Int32] = [-1, -1]
        if pipe(&pair) != 0 { pair = [-1, -1] }
        for descriptor in pair where descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        ends = pair
    }

    deinit { for descriptor in ends + [events] where descriptor >= 0 { close(descriptor) } }

    /// To be called before it is looked whether it is there already; false where the kernel gives no watch, or there is
    /// no folder.
    package func begin() -> Bool {
        guard events >= 0, ends[0] >= 0 else { return false }
        // The same folder again is the same watch.
        return withCPath(folder) { inotify_add_watch(events, $0, kind.mask) } >= 0
    }

    /// True once something happened, false when nothing did for so many milliseconds (-1: for ever), or after `end`.
    package func wait(_ most: Int32) -> Bool {
        var waits = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waits, 2, most) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096), isNew = false
        while read(events, &buffer, buffer.count) > 0 { isNew = true }
        return isNew
    }

    /// Whoever waits, or will, waits no longer.
    package func end() { if ends[1] >= 0 { _ = write(ends[1], "x", 1) } }
}
