import FilmgateCore
import FilmgateLedger
import Foundation

/// Reads the status from the ledger, and what a run adds to it.
struct StatusReader {
    /// Opens the ledger for reading; it may not be there yet.
    let open: () throws(IngestError) -> any LedgerReader
    private var opened: (any LedgerReader)?
    /// What the run that goes on says of itself; nil when none does.
    let live: () -> LiveStatus.State?
    /// Who holds the state.
    var holder: () -> StateHolder? = { nil }
    static let frames = 12
    /// Ledger counts of the last minute, for the rate.
    private var counts: [(at: Double, settled: Int)] = []

    init(open: @escaping () throws(IngestError) -> any LedgerReader, live: @escaping () -> LiveStatus.State?) {
        (self.open, self.live) = (open, live)
    }

    private mutating func reader() throws(IngestError) -> any LedgerReader {
        if let opened, !(opened is EmptyLedger) { return opened }
        let reader = try open()
        opened = reader
        return reader
    }

    /// What the ledger said last, and when it may be asked again.
    private var last = StatusSnapshot(), spacing = Spacing()
    /// Only what is counted is asked for, and only after somebody wrote: for whoever has the files themselves from
    /// elsewhere.
    ///
    /// Counting goes through all that was ever delivered, so it gets a fiftieth of the time.
    var isBrief = false { didSet { spacing.share = isBrief ? 50 : 10 } }
    private var number: Int64?
    private let rooms = FreeSpaceCache()

    /// Never locks the ledger, and asks it no more than a tenth of the time.
    mutating func read() async throws(IngestError) -> StatusSnapshot {
        let clock = ContinuousClock(), start = clock.now
        if spacing.isDue(at: start), try await isOther() {
            last = try await ask()
            spacing.took(from: start, to: clock.now)
        }
        var snapshot = last
        let now = Date().timeIntervalSince1970
        for index in snapshot.targets.indices {
            snapshot.targets[index].free = snapshot.targets[index].local.flatMap { rooms.free($0) }
        }
        if let live = live() { Self.add(live, to: &snapshot) }
        Self.tellApart(&snapshot.targets)
        snapshot.perMinute = rate(snapshot.endings.values.reduce(0, +), now: now)
        return snapshot
    }

    /// Somebody wrote since the ledger was asked last.
    private mutating func isOther() async throws(IngestError) -> Bool {
        guard isBrief, let reader = try reader() as? SQLiteReader else { return true }
        let now = try await reader.changeNumber()
        defer { number = now }
        return now != number
    }

    private mutating func ask() async throws(IngestError) -> StatusSnapshot {
        let reader = try reader(), totals = try await reader.totals(), run = try await reader.runs(limit: 1).first
        var snapshot = StatusSnapshot()
        (snapshot.endings, snapshot.unfinished) = (totals.assets, totals.unfinished)
        if !isBrief { try await Self.addLatest(of: run?.id, reader, to: &snapshot) }
        let now = Date().timeIntervalSince1970
        snapshot.targets = totals.targets.map { Self.target($0, now: now) }
        snapshot.lastRun = run.map { HistoryCommand.text($0, holder()) }
        snapshot.event = run?.event
        return snapshot
    }

    /// The latest files, and the latest that were set aside.
    private static func addLatest(
        of run: Int64?, _ reader: any LedgerReader, to snapshot: inout StatusSnapshot
    ) async throws(IngestError) {
        var filter = AssetFilter(run: run, limit: Self.frames)
        filter.latest = true
        for row in try await reader.assets(filter) { snapshot.frames.append(try await Self.frame(row, reader)) }
        filter = AssetFilter(endings: [.setAside], limit: 4)
        filter.latest = true
        snapshot.troubles = try await reader.assets(filter).map {
            "set aside: \($0.origin.name)\($0.reason.map { ": " + $0 } ?? "")"
        }
    }

    private static func frame(_ row: AssetRow, _ reader: any LedgerReader) async throws(IngestError)
        -> StatusSnapshot.Frame
    {
        var frame = StatusSnapshot.Frame(
            at: row.at, name: row.origin.name, camera: row.media?.model, ending: row.ending)
        guard let content = row.content else { return frame }
        for delivery in try await reader.deliveries(of: content).sorted(by: { $0.targetName < $1.targetName }) {
            switch delivery.receipt.state {
            case .done: frame.done.append(delivery.targetName)
            case .pending, .held, .failed: frame.open.append(delivery.targetName)
            case .excluded: break
            }
        }
        return frame
    }

    private static func target(_ totals: LedgerTotals.Target, now: Double) -> StatusSnapshot.Target {
        var target = StatusSnapshot.Target(name: totals.name, folder: TargetLabel.folder(totals))
        target.identity = totals.identity
        target.done = totals.states[.done] ?? 0
        (target.waiting, target.held) = (totals.states[.pending] ?? 0, totals.states[.held] ?? 0)
        target.failed = totals.states[.failed] ?? 0
        target.bytesWaiting = totals.bytesWaiting
        target.age = totals.oldestWaiting.map { max(0, now - Double($0) / 1e9) }
        target.reason = totals.lastReason
        target.local = TargetLabel.localFolder(totals)
        return target
    }

    private static func add(_ live: LiveStatus.State, to snapshot: inout StatusSnapshot) {
        (snapshot.since, snapshot.event, snapshot.isPaused) = (live.since, live.event, live.isPaused)
        snapshot.sources = live.sources.values.sorted { $0.name < $1.name }
        snapshot.troubles = snapshot.sources.flatMap(\.condition.alarms) + snapshot.troubles
        for (name, queue) in live.queues.sorted(by: { $0.key < $1.key }) {
            add(queue, of: name, at: live.identities[name], to: &snapshot.targets)
        }
    }

    /// A queue is that of the place that the run delivers to now; earlier ones of the name have what the ledger says.
    private static func add(
        _ queue: LiveStatus.Queue, of name: String, at identity: String?, to targets: inout [StatusSnapshot.Target]
    ) {
        let same = targets.indices.filter {
            targets[$0].name == name || identity != nil && targets[$0].identity == identity
        }
        // It counts what the run sends there for other events, too, and what is held.
        let known = same.reduce(0) { $0 + targets[$1].waiting + targets[$1].held }
        let isIdle = queue.waiting + queue.sending == 0 && queue.trouble == nil
        let own = identity == nil ? same.last : same.first(where: { targets[$0].identity == identity })
        if own == nil {
            // Nothing was delivered for the new event yet.
            if isIdle, !same.isEmpty { return }
            targets.append(StatusSnapshot.Target(name: name, identity: identity))
        }
        let index = own ?? targets.endIndex - 1
        targets[index].sending = queue.sending
        targets[index].waiting += max(0, queue.waiting + queue.sending - known)
        targets[index].reason =
            queue.trouble ?? (queue.waiting == 0 && targets[index].held == 0 ? nil : targets[index].reason)
    }

    /// Says of each target that shares its name with others which of them it is.
    private static func tellApart(_ targets: inout [StatusSnapshot.Target]) {
        let known = targets.compactMap { one in one.identity.map { (name: one.name, identity: $0) } }
        let shared = Dictionary(grouping: known, by: { $0.name }).values.filter { $0.count > 1 }
        let places = TargetLabel.places(Array(shared.joined()))
        for index in targets.indices { targets[index].apart = targets[index].identity.flatMap { places[$0] } }
    }

    /// Settled in the last minute; nil before there is anything to compare with.
    private mutating func rate(_ settled: Int, now: Double) -> Int? {
        counts.append((now, settled))
        while counts.count > 2, counts[1].at <= now - 60 { counts.removeFirst() }
        guard let first = counts.first, now - first.at >= 2 else { return nil }
        return Int((Double(max(0, settled - first.settled)) * 60 / (now - first.at)).rounded())
    }
}
