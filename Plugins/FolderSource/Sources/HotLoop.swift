import CardKit
import Dispatch
import FileKit
import FilmgateCore
import Glibc
import Logging
import Synchronization

/// Watches one folder and all below it: takes events where there are any, looks through everything now and then, and
/// asks the table what is to be handed on.
// Used by one thread at a time: first by `list`, then by `run`'s; what others may touch is in `inbox`.
final class HotLoop: @unchecked Sendable {
    let card: Card
    private let config: FolderSource.Config, logger: Logger
    private var watch: FolderWatch?
    private var table: SettleTable, hold: ShotHold
    let inbox = HotInbox()
    /// The folder itself: another one may come to stand under its name without an event in it, by a mount or a renaming
    /// above it.
    private let folder: String?, way: PathWatch
    private var nextScan = ContinuousClock.now

    /// Begins to watch.
    ///
    /// Blocks for the disk. Throws what opening the folder throws.
    init(_ card: Card, _ config: FolderSource.Config, _ logger: Logger) throws(IngestError) {
        (self.card, self.config, self.logger) = (card, config, logger)
        table = SettleTable(SettleTable.Rules(settle: config.settle, incomplete: config.incomplete))
        hold = ShotHold(config.companions)
        way = PathWatch(card.root)
        folder = FolderSource.visit(card.root)
        let polls = config.watching == .polling || (config.watching == .auto && FileSystem.hidesChanges(card.root))
        if !polls { watch = watching { () throws(IngestError) in try FolderWatch(card.root) } }
        addFolder("")
        try DirectoryScan(root: card.root).run { entry in
            guard entry.type == .folder, entry.problem == nil else { return .proceed }
            guard !isIgnored(entry.name), !entry.isBoundary else { return .skip }
            addFolder(entry.path)
            return .proceed
        }
    }

    // MARK: What is there

    /// Everything that the folder holds and that is whole, as a card's listing; the rest is waited for.
    func list(cancelled: () -> Bool) throws(IngestError) -> [SourceEntry] {
        var entries = try look(cancelled)
        if !table.pending.isEmpty {
            // What was only just written has had its time after this.
            var left = config.settle + .milliseconds(60)
            while left > .zero, !cancelled() {
                usleep(20_000)
                left -= .milliseconds(20)
            }
            entries = try look(cancelled)
        }
        hold.remember(entries)
        if !table.pending.isEmpty { logger.info("\(table.pending.count) files are still being written.") }
        return entries
    }

    /// What `list` left out and `run` has not told, and why.
    func unfinished() -> [(entry: SourceEntry, reason: String)] {
        let files = table.pending.keys.map(\.text).sorted().compactMap(entry)
        var builder = ShotBuilder(card, Listing(card, files: files), hidden: config.hidden)
        let facts = Dictionary(files.map { (PathKey($0.path), $0) }) { first, _ in first }
        let held = hold.waiting.map { (entry: $0, reason: "the rest of its shot is still waited for") }
        return held + unnamed()
            + builder.build().filter { $0.fate == .take && $0.kind != .other }.map { found in
                let path = Paths.join(card.root, found.origin.path)
                if Writers.isOpenForWriting(path) == true { return (found, "still being written") }
                let missing = facts[PathKey(found.origin.path)].flatMap(gap)
                return (found, missing.map { "not whole yet: \($0)" } ?? "changed only just now")
            }
    }

    /// Media that still have the name of a file in the making.
    private func unnamed() -> [(entry: SourceEntry, reason: String)] {
        var found: [(SourceEntry, String)] = []
        let scan = DirectoryScan(root: card.root)
        _ = Result { () throws(IngestError) in
            try scan.run { file in
                guard file.type == .file, file.name.utf8.first != 0x2E else {
                    return file.name.utf8.first == 0x2E ? .skip : .proceed
                }
                guard let meant = UnfinishedName.meant(file.name) else { return .proceed }
                let shot = ShotPlace(key: file.path, stem: meant)
                let entry = SourceEntry(origin: card.origin(of: file), kind: MediaKind(fileName: meant), shot: shot)
                found.append((entry, "its name says that it is still being made"))
                return .proceed
            }
        }
        return found
    }

    private func look(_ cancelled: () -> Bool) throws(IngestError) -> [SourceEntry] {
        let listing = try Listing(
            card, only: nil, hidden: config.hidden, isMountPoint: { _ in true }, cancelled: cancelled)
        var facts: [PathKey: ScanEntry] = [:]
        for item in listing.items { facts[PathKey(item.entry.path)] = item.entry }
        var builder = ShotBuilder(card, listing, hidden: config.hidden)
        let now = ContinuousClock.now, built = builder.build()
        let found = built.map { facts[PathKey($0.origin.path)] }
        let quiet = quiet(
            built.indices.compactMap { index in
                guard let file = found[index], file.type == .file, built[index].fate == .take, !isIgnored(file.name)
                else { return nil }
                return (index, file)
            })
        return built.indices.filter { index in
            guard let found = found[index] else { return true }
            guard found.type == .file, built[index].fate == .take else {
                return !isIgnored(found.name) || found.type != .file
            }
            guard !isIgnored(found.name) else { return false }
            guard quiet.contains(index) else {
                table.happened(found.path, found, closed: false, at: now)
                return false
            }
            table.tell(found.path, found)
            return true
        }.map { built[$0] }
    }

    /// Those of the files that may be taken as they are.
    ///
    /// Looking into thousands of them takes its time, in which nothing is sent yet: so several threads look, their own
    /// ones, since a share that hangs must hold up no task.
    private func quiet(_ files: [(index: Int, entry: ScanEntry)]) -> Set<Int> {
        let found = Mutex<Set<Int>>([]), wall = WallClock.nanoseconds, group = DispatchGroup()
        let width = min(4, files.count / 32 + 1)
        let look = { @Sendable (lane: Int) in
            let some = stride(from: lane, to: files.count, by: width).map { files[$0] }.filter {
                self.isQuiet($0.entry, wall)
            }
            found.withLock { $0.formUnion(some.map(\.index)) }
        }
        for lane in 1..<width as Range<Int> {
            DispatchQueue(label: "filmgate.folder.looking").async(group: group) { look(lane) }
        }
        look(0)
        group.wait()
        return found.withLock(\.self)
    }

    /// Whether a file that was there before us may be taken as it is.
    private func isQuiet(_ entry: ScanEntry, _ wall: Int64) -> Bool {
        let age = Duration.nanoseconds(wall - entry.modified)
        if age >= max(config.incomplete, max(config.settle, .seconds(60))) { return true }
        // A time that lies ahead (a camera's clock, one here that was set back) says nothing: then what was seen
        // counts.
        guard age >= config.settle || table.rested(entry, at: .now) else { return false }
        let path = Paths.join(card.root, entry.path)
        if Writers.isOpenForWriting(path) == true { return false }
        return gap(entry) == nil
    }

    /// What is missing in a file; what cannot be read is not waited for: the engine says why.
    private func gap(_ entry: ScanEntry) -> String? {
        let found = Result { () throws(IngestError) in
            try Wholeness.gap(path: Paths.join(card.root, entry.path), name: entry.name)
        }
        return (try? found.get()) ?? nil
    }

    // MARK: What comes

    /// Until `inbox` is closed or the folder is gone; blocks the thread.
    func run(_ tell: ([SourceEntry]) -> Void) {
        nextScan = .now + config.rescan
        if watch == nil { nextScan = .now }
        while !inbox.isClosed {
            let now = ContinuousClock.now
            for path in inbox.takeRetakes() {
                table.forget(path)
                if let entry = entry(path) { table.happened(path, entry, closed: false, at: now) }
            }
            guard handleEvents(now), FolderSource.visit(card.root) == folder else { return }
            if now >= nextScan, !scan(now) { return }
            handOn(at: now, tell)
            inbox.wait(until: nextWake(), also: watch?.descriptor, way)
        }
    }

    private func nextWake() -> ContinuousClock.Instant {
        [table.nextDue, hold.nextDue, nextScan].compactMap { $0 }.min() ?? nextScan
    }

    /// False when the folder itself is gone.
    private func handleEvents(_ now: ContinuousClock.Instant) -> Bool {
        guard let watch else { return true }
        var files: [PathKey: FolderWatch.Event] = [:], order: [PathKey] = [], isIntact = true
        for event in watch.read() {
            switch event {
            case .begun(let path), .written(let path), .movedIn(let path):
                let key = PathKey(path)
                if files[key] == nil { order.append(key) }
                if case .begun = event, files[key] != nil { continue }
                files[key] = event
            case .gone(let path):
                files[PathKey(path)] = event
                order.append(PathKey(path))
            case .folderCame(let path): folderCame(path, now)
            case .folderGone(let path):
                watch.remove(path)
                table.goneBelow(path)
            case .overflow:
                logger.warning("Too many changes at once in \(card.root); scanning all of it.")
                nextScan = now
            case .rootGone: isIntact = false
            }
        }
        for key in order { if let event = files.removeValue(forKey: key) { handle(event, key.text, now) } }
        return isIntact
    }

    private func handle(_ event: FolderWatch.Event, _ path: String, _ now: ContinuousClock.Instant) {
        guard !isIgnored(Paths.name(path)) else { return }
        guard let entry = entry(path) else { return table.gone(path) }
        switch event {
        case .begun: table.happened(path, entry, closed: false, at: now)
        case .movedIn:
            inbox.moved(entry.inode, to: path)
            table.happened(path, entry, closed: true, at: now)
        case .gone: table.gone(path)
        default: table.happened(path, entry, closed: true, at: now)
        }
    }

    /// The file as it is now; nil for what is no ordinary file or not there.
    private func entry(_ path: String) -> ScanEntry? {
        guard let facts = (try? FileFacts.of(Paths.join(card.root, path))) ?? nil, facts.kind == .regular else {
            return nil
        }
        var entry = ScanEntry(path: path, name: Paths.name(path), depth: 0, type: .file)
        (entry.size, entry.inode, entry.device) = (facts.size, facts.inode, facts.device)
        (entry.modified, entry.changed, entry.born) = (facts.modified, facts.changed, facts.born)
        return entry
    }

    private func folderCame(_ path: String, _ now: ContinuousClock.Instant) {
        guard !isIgnored(Paths.name(path)) else { return }
        addFolder(path)
        // A folder that is gone again has nothing to tell.
        _ = go(below: path, now) { [inbox] file in inbox.moved(file.inode, to: file.path) }
    }

    /// Looks at everything below a folder; false when it cannot be opened.
    private func go(below folder: String, _ now: ContinuousClock.Instant, seen: (ScanEntry) -> Void) -> Bool {
        let scan = Result { () throws(IngestError) in
            try DirectoryScan(root: Paths.join(card.root, folder)).run { found in
                guard found.problem == nil, !found.path.isEmpty, !isIgnored(found.name) else { return .skip }
                var entry = found
                entry.path = Paths.join(folder, found.path)
                if entry.type == .folder {
                    if entry.isBoundary { return .skip }
                    addFolder(entry.path)
                } else if entry.type == .file {
                    seen(entry)
                    if table.pending[PathKey(entry.path)] == nil {
                        table.happened(entry.path, entry, closed: false, at: now)
                    }
                }
                return inbox.isClosed ? .stop : .proceed
            }
        }
        if case .failure = scan { return false }
        return true
    }

    /// The safety net under the events, and all there is where the file system tells none.
    private func scan(_ now: ContinuousClock.Instant) -> Bool {
        var seen: Set<Int> = []
        guard go(below: "", now, seen: { seen.insert(PathKey($0.path).digest) }) else { return false }
        if !inbox.isClosed { table.keepOnly(seen) }
        nextScan = .now + (watch == nil ? config.poll : config.rescan)
        return true
    }

    private func addFolder(_ path: String) {
        guard let watch else { return }
        let added = Result { () throws(IngestError) in try watch.add(path) }
        if case .failure(let error) = added {
            logger.warning("\(error)")
            self.watch = nil
            nextScan = .now
        }
    }

    private func watching(_ make: () throws(IngestError) -> FolderWatch) -> FolderWatch? {
        do throws(IngestError) { return try make() } catch {
            logger.warning("\(error) The folder is looked through every few seconds instead.")
            return nil
        }
    }

    // MARK: Handing on

    private func handOn(at now: ContinuousClock.Instant, _ tell: ([SourceEntry]) -> Void) {
        var ready: [ScanEntry] = [], lacking = inbox.lacking
        for path in table.due(at: now) {
            guard let entry = entry(path) else {
                table.gone(path)
                continue
            }
            var step = table.step(path, entry, at: now)
            if step == .askWriters {
                step = table.writers(path, open: Writers.isOpenForWriting(Paths.join(card.root, path)), at: now)
                if step == .wait { lacking[path] = "still being written" }
            }
            guard step == .inspect else { continue }
            let missing = gap(entry)
            guard table.inspected(path, isWhole: missing == nil, at: now) else {
                lacking[path] = missing
                continue
            }
            ready.append(entry)
            lacking[path] = nil
        }
        lacking = lacking.filter { table.pending[PathKey($0.key)] != nil }
        if lacking != inbox.lacking { inbox.lacking = lacking }
        if !ready.isEmpty {
            for entry in ready { table.tell(entry.path, entry) }
            var builder = ShotBuilder(card, Listing(card, files: ready), hidden: config.hidden)
            for entry in builder.build(alsoThere: hold.lately) {
                hold.add(entry, near: SettleTable.shotKey(entry.origin.path), at: now)
            }
        }
        guard !hold.isEmpty else { return }
        let shots = table.shots
        for shot in hold.ready(at: now, writing: { shots[$0] != nil }) { tell(shot) }
    }

    /// Hidden names, what systems leave behind, and names that programs give to files that they are still making.
    private func isIgnored(_ name: String) -> Bool {
        if !config.hidden, name.utf8.first == 0x2E { return true }
        if Junk.reason(name) != nil || name.utf8.last == 0x7E || name.hasPrefix(TakenFiles.prefix) { return true }
        return UnfinishedName.isOne(name)
    }
}
