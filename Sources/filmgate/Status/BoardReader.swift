import FilmgateCore
import FilmgateLedger
import Foundation

/// Reads the board from the ledger, and what a run adds to it.
struct BoardReader {
    /// Opens the ledger for reading; it may not be there yet.
    let open: () throws(IngestError) -> any LedgerReader
    private var opened: (any LedgerReader)?
    /// What the run that goes on says of itself; nil when none does.
    let live: () -> LiveBoard.State?
    /// Who holds the state.
    var holder: () -> StateHolder? = { nil }
    static let frames = 12
    /// Ledger counts of the last minute, for the rate.
    private var counts: [(at: Double, settled: Int)] = []

    init(open: @escaping () throws(IngestError) -> any LedgerReader, live: @escaping () -> LiveBoard.State?) {
        (self.open, self.live) = (open, live)
    }

    private mutating func reader() throws(IngestError) -> any LedgerReader {
        if let opened, !(opened is EmptyLedger) { return opened }
        let reader = try open()
        opened = reader
        return reader
    }

    /// What the ledger said last, and when it may be asked again.
    private var last = Board(), spacing = Spacing()
    private let rooms = FreeRooms()

    /// Never locks the ledger, and asks it no more than a tenth of the time.
    mutating func read() async throws(IngestError) -> Board {
        let clock = ContinuousClock(), start = clock.now
        if spacing.isDue(at: start) {
            last = try await ask()
            spacing.took(from: start, to: clock.now)
        }
        var board = last
        let now = Date().timeIntervalSince1970
        for index in board.targets.indices {
            board.targets[index].free = board.targets[index].local.flatMap { rooms.free($0) }
        }
        if let live = live() { Self.add(live, to: &board) }
        board.perMinute = rate(board.endings.values.reduce(0, +), now: now)
        return board
    }

    private mutating func ask() async throws(IngestError) -> Board {
        let reader = try reader(), totals = try await reader.totals(), run = try await reader.runs(limit: 1).first
        var filter = AssetFilter(run: run?.id, limit: Self.frames)
        filter.latest = true
        var board = Board()
        (board.endings, board.unfinished) = (totals.assets, totals.unfinished)
        for row in try await reader.assets(filter) { board.frames.append(try await Self.frame(row, reader)) }
        filter = AssetFilter(endings: [.setAside], limit: 4)
        filter.latest = true
        board.troubles = try await reader.assets(filter).map { "set aside: \($0.origin.name)\($0.reason.map { ": " + $0 } ?? "")" }
        let now = Date().timeIntervalSince1970
        board.targets = totals.targets.map { Self.target($0, now: now) }
        board.lastRun = run.map { HistoryCommand.text($0, holder()) }
        board.event = run?.event
        return board
    }

    private static func frame(_ row: AssetRow, _ reader: any LedgerReader) async throws(IngestError) -> Board.Frame {
        var frame = Board.Frame(at: row.at, name: row.origin.name, camera: row.media?.model, ending: row.ending)
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

    private static func target(_ totals: LedgerTotals.Target, now: Double) -> Board.Target {
        var target = Board.Target(name: totals.name, folder: TargetLabel.folder(totals))
        target.done = totals.states[.done] ?? 0
        (target.waiting, target.held) = (totals.states[.pending] ?? 0, totals.states[.held] ?? 0)
        target.failed = totals.states[.failed] ?? 0
        target.bytesWaiting = totals.bytesWaiting
        target.age = totals.oldestWaiting.map { max(0, now - Double($0) / 1e9) }
        target.reason = totals.lastReason
        target.local = TargetLabel.localFolder(totals)
        return target
    }

    private static func add(_ live: LiveBoard.State, to board: inout Board) {
        (board.since, board.event, board.isPaused) = (live.since, live.event, live.isPaused)
        board.sources = live.sources.values.sorted { $0.name < $1.name }
        board.troubles = board.sources.flatMap(\.condition.alarms) + board.troubles
        for (name, queue) in live.queues.sorted(by: { $0.key < $1.key }) {
            let index = board.targets.firstIndex { $0.name == name } ?? board.targets.endIndex
            if index == board.targets.endIndex { board.targets.append(Board.Target(name: name)) }
            board.targets[index].sending = queue.sending
            board.targets[index].waiting = max(board.targets[index].waiting, queue.waiting + queue.sending)
            board.targets[index].reason =
                queue.trouble ?? (queue.waiting == 0 && board.targets[index].held == 0 ? nil : board.targets[index].reason)
        }
    }

    /// Settled in the last minute; nil before there is anything to compare with.
    private mutating func rate(_ settled: Int, now: Double) -> Int? {
        counts.append((now, settled))
        while counts.count > 2, counts[1].at <= now - 60 { counts.removeFirst() }
        guard let first = counts.first, now - first.at >= 2 else { return nil }
        return Int((Double(max(0, settled - first.settled)) * 60 / (now - first.at)).rounded())
    }
}
