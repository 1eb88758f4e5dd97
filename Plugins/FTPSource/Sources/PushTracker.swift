import CardKit
import FTPKit
import FilmgateCore
import Synchronization

/// What decides when a pushed file is handed on.
struct PushRules: Sendable {
    var settle: Duration, incomplete: Duration, companions: Duration
    var place: SourcePlace
    /// What the folders of listed logins are shown as.
    private var folders: [String: String]

    init(_ config: FTPSource.Config, place: SourcePlace) {
        (settle, incomplete, companions, self.place) = (config.settle, config.incomplete, config.companions, place)
        let shown = config.logins.listed.filter { !$0.folder.isEmpty }
        folders = Dictionary(shown.map { (FTPServer.folderName($0.user), $0.folder) }) { first, _ in first }
        for login in config.logins.listed where login.folder.isEmpty {
            folders[FTPServer.folderName(login.user)] = login.user
        }
    }

    /// The first part of the paths of files that lie in `home`.
    func folder(of home: String) -> String { folders[home] ?? FTPHome(name: home)?.folder ?? home }

    static func isUnfinished(_ name: String) -> Bool { UnfinishedName.isOne(name) || name.utf8.first == 0x2E }

    /// Nobody waits for a file whose name says that more is to come, nor for one that goes nowhere.
    static func isConfirmed(_ name: String) -> Bool { !isUnfinished(name) && MediaKind(fileName: name) != .other }

    /// The name that `IMG_1.JPG.tmp` was to get, where nobody gave it.
    static func meant(_ path: FTPPath) -> FTPPath {
        UnfinishedName.meant(path.name).flatMap { try? path.beside($0) } ?? path
    }
}

/// Waits until a pushed file has its last name and is whole, then puts it out of its client's reach and hands it on.
actor PushTracker {
    private struct Waiting {
        var file: FTPFile, since: ContinuousClock.Instant, due: ContinuousClock.Instant
        /// What it lacks, as far as that was looked at.
        var lack: String?
    }
    private let inbox: FTPInbox, rules: PushRules, confirmations: PushConfirmations?
    private let pool = BlockingPool(width: 2)
    private let isOver = StopFlag()
    private let mail: AsyncStream<FTPServer.Event>, post: AsyncStream<FTPServer.Event>.Continuation
    private var waiting: [String: Waiting] = [:]
    private var alarm: Task<Void, Never>?
    /// When each login's last file came, in nanoseconds since 1970.
    private(set) var lastPushes: [String: Int64] = [:]
    /// Files that are not whole yet, by their names, with what they lack.
    var lacking: [(name: String, lack: String)] {
        waiting.values.compactMap { one in one.lack.map { (one.file.path.name, $0) } }.sorted { $0.0 < $1.0 }
    }
    private var out: AsyncStream<SourceNews>.Continuation?
    /// Pictures never wait here: a body sends the next file only when this one is done.
    private var hold: ShotHold
    /// Inodes of files that were taken up as left by earlier runs, though the server may tell of them only afterwards:
    /// looked for in vain then, they are not gone.
    private let takenUp = Mutex<Set<UInt64>>([])

    init(_ inbox: FTPInbox, _ rules: PushRules, _ confirmations: PushConfirmations? = nil) {
        (self.inbox, self.rules, self.confirmations) = (inbox, rules, confirmations)
        hold = ShotHold(rules.companions)
        (mail, post) = AsyncStream<FTPServer.Event>.makeStream()
    }

    /// In the order in which they happened; gives what its client waits for, where it waits for more than the inbox.
    nonisolated func note(_ event: FTPServer.Event) -> FTPDestination.Confirmation? {
        defer { post.yield(event) }
        guard let confirmations else { return nil }
        switch event {
        case .received(let file, false) where file.size > 0 && PushRules.isConfirmed(file.path.name):
            let ticket = confirmations.expect(file.inode)
            return { await confirmations.outcome(ticket) }
        case .renamed(let way) where way.isFinished && PushRules.isConfirmed(way.path.name):
            let ticket = confirmations.expect(way.inode)
            return { await confirmations.outcome(ticket) }
        default: return nil
        }
    }
    /// `isOver`: whoever listens may leave, there is nothing to come back for.
    nonisolated func close(isOver: Bool = false) {
        if isOver { self.isOver.raise() }
        post.finish()
    }

    /// What earlier runs left: what was acknowledged and is whole is handed on, the rest waits for its clients once
    /// more.
    func leftovers() async throws(IngestError) -> [SourceEntry] {
        let inbox = inbox
        let files = try await pool.run { () throws(IngestError) in
            var files = try inbox.files()
            for index in files.indices
            where files[index].ended && !files[index].isAccepted && Self.lack(files[index], inbox) == nil {
                let inode = files[index].inode
                self.takenUp.withLock { _ = $0.insert(inode) }
                guard let accepted = try inbox.accept(files[index]) else {
                    self.takenUp.withLock { _ = $0.remove(inode) }
                    continue
                }
                files[index] = accepted
            }
            return files
        }
        for file in files where !file.isAccepted { wait(file, for: rules.incomplete, lack: Self.brokenOff) }
        let entries = files.filter(\.isAccepted).map { entry($0) }
        hold.remember(entries)
        return entries
    }

    /// What lies here and was not handed on, and why.
    func unfinished() async -> [(entry: SourceEntry, reason: String)] {
        let inbox = inbox
        let found = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in
                try inbox.files().filter { !$0.isAccepted }.map {
                    (file: $0, lack: Self.lack($0, inbox) ?? "it came only just now")
                }
            }
        }
        return ((try? found.get()) ?? []).map { (entry($0.file), $0.lack) }
            + hold.waiting.map { ($0, "the rest of its shot is still waited for") }
    }

    /// Until `close`.
    func run(_ out: AsyncStream<SourceNews>.Continuation) async {
        self.out = out
        for await event in mail {
            switch event {
            case .received(let file, let abandoned):
                lastPushes[file.login] = WallClock.nanoseconds
                let isBroken = abandoned && !file.ended
                wait(file, for: isBroken ? rules.incomplete : rules.settle, lack: isBroken ? Self.brokenOff : nil)
            case .renamed(let renaming): rename(renaming)
            case .refused(let what): out.yield(.refused(what))
            }
        }
        alarm?.cancel()
        if isOver.isRaised { out.yield(.over) }
        out.finish()
    }

    private static let brokenOff = "its transfer broke off"

    private func wait(_ file: FTPFile, for time: Duration, lack: String?) {
        waiting[file.place] = Waiting(file: file, since: .now, due: .now + time, lack: lack)
        schedule()
    }

    private func rename(_ way: FTPServer.Renaming) {
        // It may have been looked for between the renaming and this word of it; `judge` takes the facts from the disk.
        var file =
            waiting.removeValue(forKey: way.from)?.file
            ?? FTPFile(
                login: way.login, path: way.path, place: way.to, size: 0, modified: 0, inode: way.inode,
                ended: way.isFinished)
        (file.path, file.place) = (way.path, way.to)
        waiting[way.to] = Waiting(file: file, since: .now, due: .now)
        schedule()
    }

    private func schedule() {
        alarm?.cancel()
        guard let due = (waiting.values.map(\.due) + [hold.nextDue].compactMap { $0 }).min() else { return }
        alarm = Task {
            try? await Task.sleep(until: due, clock: .continuous)
            if !Task.isCancelled { await self.look() }
        }
    }

    private func look() async {
        let now = ContinuousClock.now
        for (place, item) in waiting.filter({ $0.value.due <= now }).sorted(by: { $0.value.since < $1.value.since }) {
            switch await judge(item, now) {
            case .later(let due, let lack):
                guard waiting[place]?.due == item.due else { continue }
                waiting[place]?.due = due
                waiting[place]?.lack = lack
            case .gone:
                if waiting[place]?.due == item.due { waiting[place] = nil }
                let isTaken = takenUp.withLock { $0.remove(item.file.inode) != nil }
                if !isTaken { confirmations?.gone(item.file.inode) }
            case .taken(let file):
                // Another file may have come to that place meanwhile.
                if waiting[place]?.due == item.due { waiting[place] = nil }
                let entry = entry(file)
                hold.add(entry, near: entry.shot.key, at: now)
            }
        }
        for shot in hold.ready(at: now, writing: { _ in false }) { for entry in shot { out?.yield(.arrived(entry)) } }
        schedule()
    }

    private enum Judgement: Sendable { case later(ContinuousClock.Instant, lack: String?), gone, taken(FTPFile) }

    /// A file whose name or structure says that more is to come waits for it; then it is taken as it is.
    private func judge(_ item: Waiting, _ now: ContinuousClock.Instant) async -> Judgement {
        let (inbox, file) = (inbox, item.file), isLate = now - item.since >= rules.incomplete
        let isAwaited = confirmations?.isExpected(file.inode) ?? false
        let deadline = min(item.since + rules.incomplete, now + .seconds(1))
        let result = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) -> Judgement in
                guard let current = try inbox.current(file) else { return .gone }
                // Whose client waits for its answer sends no more of it.
                if !isLate, !isAwaited, let lack = Self.lack(current, inbox) { return .later(deadline, lack: lack) }
                return try inbox.accept(current, as: PushRules.meant(file.path)).map { Judgement.taken($0) } ?? .gone
            }
        }
        return (try? result.get()) ?? .later(now + .seconds(2), lack: nil)
    }

    /// What a file still lacks, in a sentence; nil when it can be taken.
    private static func lack(_ file: FTPFile, _ inbox: FTPInbox) -> String? {
        if PushRules.isUnfinished(file.path.name) { return "its name says that it is still being sent" }
        let gap = Result { () throws(IngestError) in
            try Wholeness.gap(path: "\(inbox.root)/\(file.place)", name: file.path.name)
        }
        if case .success(.some(let what)) = gap { return "not whole yet: \(what)" }
        return nil
    }

    private func entry(_ file: FTPFile) -> SourceEntry {
        let kind = MediaKind(fileName: file.path.name)
        let folder = rules.folder(of: file.login)
        let origin = Origin(
            source: rules.place.source, volume: "ftp:\(rules.place.address)", root: rules.place.address,
            path: "\(folder)/\(file.path.text)", size: file.size, modified: file.modified, inode: file.inode,
            volumePath: file.place)
        return SourceEntry(origin: origin, kind: kind, shot: Self.shot(folder, file.path, kind))
    }

    /// Folder and stem make a shot, per login; `IMG_1.CR3.xmp` belongs to `IMG_1`.
    private static func shot(_ login: String, _ path: FTPPath, _ kind: MediaKind) -> ShotPlace {
        var name = FileName(path.name), sidecarOf: String?
        if kind == .sidecar, ![MediaKind.other, .sidecar].contains(MediaKind(fileName: name.stem)) {
            let inner = FileName(name.stem)
            (name, sidecarOf) = (inner, inner.ext)
        }
        let folder = String(path.text.dropLast(path.name.count))
        return ShotPlace(key: SafeName.folded("\(login)/\(folder)\(name.stem)"), stem: name.stem, sidecarOf: sidecarOf)
    }
}
