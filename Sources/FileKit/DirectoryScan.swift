internal import CLinux
import Dispatch
public import FilmgateCore
import Glibc

/// Goes through a folder and all below it, in card order (``NaturalOrder`` in each folder, a folder's contents right
/// after it), opening folders only.
///
/// Follows no links, so link loops are harmless; a folder that contains itself (damaged file systems) is named and not
/// entered.
public struct DirectoryScan: Sendable {
    /// Bounds against hostile or damaged trees.
    ///
    /// What lies behind them is named as a problem, never dropped silently.
    public struct Limits: Sendable, Hashable {
        /// Folders below each other; each one entered holds a descriptor.
        public var depth: Int
        public var entries: Int
        public init(depth: Int = 64, entries: Int = 2_000_000) { (self.depth, self.entries) = (depth, entries) }
    }

    public let root: String
    public let limits: Limits

    public init(root: String, limits: Limits = Limits()) { (self.root, self.limits) = (root, limits) }

    /// Calls `visit` once for each entry, folders before their contents, and a second time with `problem` set for a
    /// folder that cannot be entered or read to its end.
    ///
    /// Blocks for the disk. Throws when the root itself cannot be opened or looked at.
    public func run(_ visit: (ScanEntry) -> ScanStep) throws(IngestError) {
        let descriptor = withCPath(root) { fg_open_directory($0) }
        guard descriptor >= 0 else { throw .reading(root, errno) }
        guard let stream = DirectoryStream(descriptor) else { throw .reading(root, errno) }
        var facts = fg_stat()
        let code = fg_stat_at(stream.descriptor, ".", &facts)
        guard code == 0 else { throw .reading(root, code) }
        withoutActuallyEscaping(visit) { visit in
            let walk = Walk(limits: limits, device: facts.device, visit: visit)
            var names = NameList()
            let failure = names.fill(from: stream, limit: limits.entries)
            walk.go(names, in: stream, below: "", chain: [Walk.Place(facts)])
            if let failure {
                var entry = ScanEntry(path: "", name: "", depth: 0, type: .folder)
                entry.problem = failure
                walk.report(entry)
            }
        }
    }
}

/// The state of one scan.
private final class Walk {
    struct Place: Equatable {
        let device: UInt64, inode: UInt64
        init(_ facts: fg_stat) { (device, inode) = (facts.device, facts.inode) }
    }

    private let limits: DirectoryScan.Limits, device: UInt64
    private let visit: (ScanEntry) -> ScanStep
    private var count = 0, stopped = false

    init(limits: DirectoryScan.Limits, device: UInt64, visit: @escaping (ScanEntry) -> ScanStep) {
        (self.limits, self.device, self.visit) = (limits, device, visit)
    }

    func report(_ entry: ScanEntry) { if !stopped, visit(entry) == .stop { stopped = true } }

    /// Visits `names`, the contents of the folder `prefix` (empty or ending in `/`), whose ancestors and self are
    /// `chain`.
    func go(_ names: borrowing NameList, in stream: borrowing DirectoryStream, below prefix: String, chain: [Place]) {
        count += names.count
        var facts = FactsPrefetcher(names.count, names.asking(in: stream.descriptor))
        for index in 0..<names.count where !stopped {
            var entry = names.entry(index, below: prefix, depth: chain.count - 1, facts.answer(index))
            entry.isBoundary =
                entry.type == .folder && entry.problem == nil && entry.device != device
                && entry.device != chain.last?.device
            let step = visit(entry)
            if step == .stop { stopped = true }
            guard entry.type == .folder, entry.problem == nil, step == .cross || (step == .proceed && !entry.isBoundary)
            else { continue }
            if let problem = enter(entry, names, index, in: stream, chain: chain) {
                entry.problem = problem
                report(entry)
            }
        }
    }

    /// Goes through a folder; the reason when that was not possible in full.
    private func enter(
        _ folder: ScanEntry, _ names: borrowing NameList, _ index: Int, in parent: borrowing DirectoryStream,
        chain: [Place]
    ) -> String? {
        guard chain.count <= limits.depth else { return "more than \(limits.depth) folders below each other" }
        guard count < limits.entries else { return "more than \(limits.entries) entries in all" }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = names.withName(index) { openat(parent.descriptor, $0, flags) }
        guard descriptor >= 0, let stream = DirectoryStream(descriptor) else { return SystemFailure(errno).text }
        var facts = fg_stat()
        let code = fg_stat_at(stream.descriptor, ".", &facts)
        guard code == 0 else { return SystemFailure(code).text }
        guard !chain.contains(Place(facts)) else { return "the folder contains itself; the file system is damaged" }
        var names = NameList()
        let failure = names.fill(from: stream, limit: limits.entries - count)
        go(names, in: stream, below: folder.path + "/", chain: chain + [Place(facts)])
        return failure
    }
}
