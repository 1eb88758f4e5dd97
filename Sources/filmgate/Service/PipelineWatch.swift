import Dispatch
import FileKit
import FilmgateCore
import Glibc

/// Notices when a pipeline file, or one that it includes, is written again.
///
/// Editors write a new file and rename it: so their folders are watched.
final class PipelineWatch: Sendable {
    private let stopping: Int32

    /// `changed` is called on a thread of its own, once for changes at nearly the same time.
    ///
    /// Nil where nothing can be watched.
    init?(_ files: Set<String>, changed: @escaping @Sendable () -> Void) {
        let names = Set(files.map { FileSystem.canonical(UserPath.absolute($0)) })
        var ends: [Int32] = [-1, -1]
        guard !names.isEmpty, pipe(&ends) == 0 else { return nil }
        stopping = ends[1]
        let stop = ends[0]
        DispatchQueue(label: "filmgate.pipeline").async {
            Self.watch(names, until: stop, changed)
            close(stop)
        }
    }

    deinit { close(stopping) }

    private static func watch(_ files: Set<String>, until stop: Int32, _ changed: () -> Void) {
        let watches = Set(files.map(Paths.folder)).compactMap { folder in
            let made = Result { () throws(IngestError) -> FolderWatch? in
                let watch = try FolderWatch(folder)
                return try watch.add("") ? watch : nil
            }
            return (try? made.get()) ?? nil
        }
        var waits = watches.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        waits.append(pollfd(fd: stop, events: 0, revents: 0))
        while true {
            let count = poll(&waits, nfds_t(waits.count), -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, waits[waits.count - 1].revents == 0 else { return }
            // Writing and renaming are several events.
            usleep(200_000)
            var isChanged = false
            for watch in watches {
                for event in watch.read() {
                    switch event {
                    case .written(let name), .movedIn(let name): isChanged = isChanged || files.contains(Paths.join(watch.root, name))
                    default: break
                    }
                }
            }
            if isChanged { changed() }
        }
    }
}
