import FileKit
import FilmgateCore
import Glibc

/// Files and the links on the way to them, seen through the folders that they lie in.
struct PipelineStamp {
    struct Seen {
        /// Something was written, or a name leads elsewhere.
        var isChanged = false
        var isRemoved = false
        /// A folder itself was removed or renamed: another one may stand there now.
        var isElsewhere = false

        mutating func add(_ later: Seen) {
            isChanged = isChanged || later.isChanged
            isRemoved = isRemoved || later.isRemoved
            isElsewhere = isElsewhere || later.isElsewhere
        }
    }

    let names: Set<String>
    private let watches: [FolderWatch]

    init(_ files: Set<String>) {
        names = Self.names(files)
        watches = Set(names.map(Paths.folder)).compactMap { folder in
            let made = Result { () throws(IngestError) -> FolderWatch? in
                let watch = try FolderWatch(folder)
                return try watch.add("") ? watch : nil
            }
            return (try? made.get()) ?? nil
        }
    }

    /// For poll(2).
    var waits: [pollfd] { watches.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) } }

    /// What happened since the last look.
    func look() -> Seen {
        var seen = Seen()
        for watch in watches {
            for event in watch.read() {
                switch event {
                case .written(let name), .movedIn(let name):
                    if names.contains(Paths.join(watch.root, name)) { seen.isChanged = true }
                // A link is made in one step; a file that is made is written afterwards.
                case .begun(let name):
                    let path = Paths.join(watch.root, name)
                    if names.contains(path), FileSystem.link(path) != nil { seen.isChanged = true }
                case .gone(let name): if names.contains(Paths.join(watch.root, name)) { seen.isRemoved = true }
                case .rootGone: (seen.isRemoved, seen.isElsewhere) = (true, true)
                default: break
                }
            }
        }
        return seen
    }

    /// Where each file lies in the end, and every link on the way to it.
    static func names(_ files: Set<String>) -> Set<String> { files.reduce(into: []) { $0.formUnion(names(on: $1)) } }

    private static func names(on way: String) -> Set<String> {
        var found: Set<String> = [], rest = parts(way)[...], at = "/", links = 0
        while let part = rest.popFirst() {
            if part == ".." {
                at = Paths.folder(at).isEmpty ? "/" : Paths.folder(at)
                continue
            }
            let path = Paths.join(at, String(part))
            // As many as the system follows.
            guard links < 40, let target = FileSystem.link(path) else {
                at = path
                continue
            }
            links += 1
            found.insert(path)
            if target.hasPrefix("/") { at = "/" }
            rest = (parts(target) + rest)[...]
        }
        return found.union([at])
    }

    private static func parts(_ path: String) -> [Substring] { path.split(separator: "/").filter { $0 != "." } }
}
