import FileKit
import FilmgateCore
import Glibc

/// Notices when a pipeline file, or one that it includes, is written again or taken away.
///
/// Editors write a new file and rename it, and links are pointed elsewhere: so the folders of all names on the way to
/// it are watched.
final class PipelineWatch: Sendable {
    private let stopping: Int32

    /// Writing a file anew by way of deleting it takes an editor less than this, in milliseconds.
    private static let absence = CInt(1000)

    /// `files`: by absolute paths.
    ///
    /// `changed` is called on a thread of its own, once for changes at nearly the same time; `gone` with each file that
    /// was removed or renamed and is not back within a second.
    ///
    /// Nil where nothing can be watched.
    init?(_ files: Set<String>, changed: @escaping @Sendable () -> Void, gone: @escaping @Sendable (String) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard !files.isEmpty, pipe(&ends) == 0 else { return nil }
        stopping = ends[1]
        let stop = ends[0]
        BlockingThread.run {
            Self.watch(files, until: stop, changed, gone)
            close(stop)
        }
    }

    deinit { close(stopping) }

    private static func watch(_ files: Set<String>, until stop: Int32, _ changed: () -> Void, _ gone: (String) -> Void)
    {
        var stamp = PipelineStamp(files), missing = files.filter(isMissing)
        while true {
            // A folder that went with its file tells nothing when it is back.
            var waits = stamp.waits + [pollfd(fd: stop, events: 0, revents: 0)]
            let count = poll(&waits, nfds_t(waits.count), missing.isEmpty ? -1 : absence)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, waits[waits.count - 1].revents == 0 else { return }
            // Writing and renaming are several events.
            if count > 0 { usleep(200_000) }
            var seen = stamp.look()
            if seen.isRemoved, !seen.isChanged {
                var ending = pollfd(fd: stop, events: 0, revents: 0)
                if poll(&ending, 1, absence) > 0 { return }
                seen.add(stamp.look())
            }
            let lost = files.filter(isMissing)
            // Before anything is read: what changes after that is seen, wherever the names lead now.
            if seen.isElsewhere || lost != missing || PipelineStamp.names(files) != stamp.names {
                stamp = PipelineStamp(files)
            }
            if seen.isChanged || (seen.isElsewhere && lost.isEmpty) || !missing.isSubset(of: lost) { changed() }
            for file in lost.subtracting(missing).sorted() { gone(file) }
            missing = lost
        }
    }

    private static func isMissing(_ file: String) -> Bool { withCPath(file) { access($0, F_OK) } != 0 }
}
