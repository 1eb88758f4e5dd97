import FileKit
public import FilmgateCore

/// Takes back deliveries that wait, are held or were refused: they count as filtered at their target from then on,
/// never as delivered.
///
/// Also retires a place that is gone: what was delivered there is no copy any more, and no check blames it again. And
/// it writes down of single copies that somebody removed them on purpose: nobody misses them, and nothing brings them
/// back unasked.
public struct Cancellation: Sendable {
    /// What is said of the orders.
    public enum Meaning: Sendable, Hashable {
        /// They are not wanted.
        case takenBack
        /// The place is gone; what is delivered there later is a new copy.
        case placeGone
        /// These copies were removed on purpose; they stay away until somebody orders them anew.
        case copiesRemoved

        var reason: String {
            switch self {
            case .takenBack: DeliveryRow.cancelledReason
            case .placeGone: DeliveryRow.retiredReason
            case .copiesRemoved: DeliveryRow.culledReason
            }
        }
        fileprivate var mark: Int {
            switch self {
            case .takenBack: 0
            case .placeGone: DeliveryRow.retired
            case .copiesRemoved: DeliveryRow.culled
            }
        }
    }

    /// What became of one order.
    public enum Outcome: Sendable, Hashable {
        case cancelled
        /// Too late: it is being sent just now, or has been since the order was looked up.
        case underWay
        /// Taken back, and its bytes are nowhere else: they stay in this file.
        case kept(String)
    }

    private let ledger: any LedgerReader
    private let named: [String]
    /// What the rows of the ledger go by.
    var clock: any RunClock = TimerQueue.shared
    /// How files at their sources are looked at.
    var facts: OriginalCheck.Facts = { path throws(IngestError) in try FileFacts.of(path) }

    /// `named`: the files and folders that somebody named: of an empty folder only they tell that it was emptied, and
    /// is not a disk's that is not mounted.
    public init(_ ledger: any LedgerReader, named: [String] = []) { (self.ledger, self.named) = (ledger, named) }

    /// What can be taken back, oldest first; with `gone`, also what was delivered.
    public func orders(gone: Bool = false) async throws(IngestError) -> [QueuedDelivery] {
        try await ledger.queue(gone ? [.pending, .held, .failed, .done] : [.pending, .held, .failed])
    }

    /// Those of `orders` that were delivered and that their target has no more: by looking, where it is a folder, else
    /// by its own last word.
    ///
    /// A folder that is away as a whole says nothing about its files.
    public func lost(_ orders: [QueuedDelivery]) async -> [QueuedDelivery] {
        var lost: [QueuedDelivery] = []
        for order in orders where order.delivery.receipt.state == .done {
            if await isLost(order.delivery) { lost.append(order) }
        }
        return lost
    }

    private func isLost(_ delivery: DeliveryRow) async -> Bool {
        let copy = delivery.receipt.path ?? "", root = delivery.folderRoot ?? copy
        // A folder above holds more than what its target has: naming it says nothing of that one.
        let isNamed = named.contains { Paths.relative(copy, to: $0) != nil && Paths.relative($0, to: root) != nil }
        return await delivery.isLost(ledger, emptied: isNamed ? .named : .said)
    }

    /// Whether a copy is still what was said of it: while somebody was asked, it may have been brought back or
    /// delivered anew.
    private func isStill(_ meaning: Meaning, _ now: DeliveryRow, as before: DeliveryRow) async -> Bool {
        guard now.receipt == before.receipt else { return false }
        switch meaning {
        case .takenBack: return true
        case .placeGone: return now.receipt.path == nil || now.isMissing
        case .copiesRemoved: return await isLost(now)
        }
    }

    /// Takes `orders` back, one after the other, and tells what became of each.
    ///
    /// Deliveries that a run of this process has are ended by that run.
    public func carryOut(
        _ orders: [QueuedDelivery], _ meaning: Meaning, _ writer: any Ledger, _ leases: DeliveryLeases,
        tell: (QueuedDelivery, Outcome) -> Void
    ) async throws(IngestError) {
        let run = try await writer.beginRun(verb: "cancel", event: nil, at: clock.now.wall)
        var summary = RunSummary()
        // One for all of them: what is mounted is looked up once.
        let originals = OriginalCheck(clock, facts)
        for order in orders {
            let outcome = try await carryOut(order, meaning, run, writer, leases, originals)
            summary.counts[outcome == .underWay ? .pending : .filtered, default: 0] += 1
            tell(order, outcome)
        }
        let exit = summary[.pending] > 0 ? ExitStatus.notProven : .complete
        try await writer.record([.endRun(run, at: clock.now.wall, exit: Int(exit.rawValue), summary: summary)])
        try await writer.sync()
    }

    /// Forgets on which disks the folders of these targets were: somebody said that the disks are gone, so nothing need
    /// be mounted there any more.
    public func giveUpDisks(
        of targets: [TargetDisk], _ writer: any Ledger
    ) async throws(IngestError) {
        try await writer.record(targets.map { .disk("", target: $0.identity, name: $0.name) })
        try await writer.sync()
    }

    private func carryOut(
        _ order: QueuedDelivery, _ meaning: Meaning, _ run: Int64, _ writer: any Ledger, _ leases: DeliveryLeases,
        _ originals: OriginalCheck
    ) async throws(IngestError) -> Outcome {
        let old = order.delivery, name = old.targetName
        let note = LedgerChange.note(
            asset: order.asset.origin.id, at: clock.now.wall, text: "\(name) (\(old.target)): \(meaning.reason)")
        let isOrder = old.receipt.state != .done
        if isOrder, let isEnded = await leases.cancel(Delivery.ID(content: old.content, target: old.target)) {
            guard isEnded else { return .underWay }
            if meaning == .takenBack {
                try await writer.record([note])
                return .cancelled
            }
        }
        // While others were taken back, a run may have delivered it: what is done is not taken back.
        let rows = try await writer.deliveries(of: old.content)
        guard var row = rows.first(where: { $0.target == old.target }), !isOrder || row.receipt.state != .done else {
            return .underWay
        }
        if !isOrder, await !isStill(meaning, row, as: old) { return .underWay }
        // Its answer was lost: whoever orders it anew later must be asked for it first.
        let isDoubted = isOrder && meaning == .takenBack && row.isDoubtful
        let reason = isDoubted ? DeliveryRow.doubted(meaning.reason, at: name) : meaning.reason
        row.receipt = Receipt(state: .excluded, at: clock.now.wall, reason: reason)
        (row.file, row.staged, row.nextTry) = (nil, false, nil)
        row.attempts = isDoubted ? max(1, row.attempts) : meaning.mark
        try await writer.record([.cancelled(row, run: run, at: clock.now.wall), note])
        guard old.staged, let file = old.file else { return .cancelled }
        let left = try await writer.deliveries(of: old.content)
        return await release(file, of: order, left, originals)
    }

    /// Files that were set aside and that no delivery is open for.
    public struct Vanished: Sendable {
        /// Their source is there, and has them no more, or has another file in their place.
        public var gone: [AssetRow] = []
        /// Their source is not there, as a card that was taken out, or gives no answer: nobody can tell.
        public var away: [AssetRow] = []
    }
    private enum Standing: Sendable { case there, gone, away }

    /// Which of `rows` were set aside and are not at their source any more.
    public func vanished(among rows: [AssetRow]) async throws(IngestError) -> Vanished {
        var found = Vanished()
        let originals = OriginalCheck(clock, facts)
        for row in rows where row.ending == .setAside {
            let open = try await row.content.mapDeliveries(ledger).contains {
                $0.receipt.state != .done && $0.receipt.state != .excluded
            }
            if open { continue }
            let (origin, facts) = (row.origin, facts)
            let looked = await originals.answer(at: origin.root) {
                Result { () throws(IngestError) in try Self.standing(of: origin, facts) }
            }
            let standing: Standing = if let looked { try looked.get() } else { .away }
            switch standing {
            case .there: break
            case .gone: found.gone.append(row)
            case .away: found.away.append(row)
            }
        }
        return found
    }

    private static func standing(
        of origin: Origin, _ facts: OriginalCheck.Facts
    ) throws(IngestError) -> Standing {
        guard isSourceThere(origin, facts) else { return .away }
        guard let file = try facts(origin.absolutePath) else { return .gone }
        return isThere(origin, file) ? .there : .gone
    }

    /// The folder that it was taken from is there, and on the same volume as then: not the mount point of a card that
    /// was taken out, nor another card's.
    private static func isSourceThere(_ origin: Origin, _ facts: OriginalCheck.Facts) -> Bool {
        guard origin.root.hasPrefix("/"), (try? facts(origin.root))?.kind == .directory else { return false }
        return (try? Volumes.current().volume(of: FileSystem.canonical(origin.root)))?.identity == origin.volume
    }

    /// Ends files that were set aside: they count as filtered, never as delivered, and are read as new if they come
    /// again.
    public func dismiss(_ rows: [AssetRow], _ writer: any Ledger) async throws(IngestError) {
        let now = clock.now.wall, run = try await writer.beginRun(verb: "cancel", event: nil, at: now)
        let changes = rows.map { row -> LedgerChange in
            var row = row
            (row.ending, row.reason, row.run, row.at) = (.filtered, Self.dismissedReason, run, now)
            return .asset(row)
        }
        let summary = RunSummary(counts: [.filtered: rows.count])
        try await writer.record(
            changes + [.endRun(run, at: clock.now.wall, exit: Int(ExitStatus.complete.rawValue), summary: summary)])
        try await writer.sync()
    }
    fileprivate static let dismissedReason = "set aside, gone from its source, and taken back with `filmgate cancel`"

    /// Removes a staged file that nothing waits for any more, unless its bytes are nowhere else.
    private func release(
        _ file: String, of order: QueuedDelivery, _ rows: [DeliveryRow], _ originals: OriginalCheck
    ) async -> Outcome {
        if rows.contains(where: { $0.file == file }) { return .cancelled }
        var isNeedless = order.delivery.holdsRendition
        for row in rows where !isNeedless && row.holdsOriginal { isNeedless = await Self.isWhole(row, beside: file) }
        if !isNeedless {
            isNeedless = await originals.isThereNow(order.asset.origin, order.delivery.content.sha256)
        }
        if isNeedless {
            FileSystem.remove(file)
            return .cancelled
        }
        return (try? FileFacts.of(file)) == nil ? .cancelled : .kept(file)
    }
    private static let pool = BlockingPool(width: 1)

    /// Whether a folder's copy is what was delivered there, by reading it now; one in memory is none, unless the staged
    /// file lies there, too.
    ///
    /// A remote target's last word counts.
    private static func isWhole(_ row: DeliveryRow, beside file: String) async -> Bool {
        guard let path = row.receipt.path else { return true }
        let looked = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in
                if try Media.current().isInMemory(path), !FileSystem.same(path, file) { return false }
                return try Reread.digest(of: path, .sha256).digest == row.content.sha256
            }
        }
        return (try? looked.get()) == true
    }

    /// Whether a file of that size and time lies there: enough for whoever reads it next and compares its bytes, and
    /// not for letting go of a copy (``OriginalCheck``).
    static func isThere(_ origin: Origin) -> Bool {
        (try? FileFacts.of(origin.absolutePath)).map { isThere(origin, $0) } ?? false
    }

    private static func isThere(_ origin: Origin, _ facts: FileFacts) -> Bool {
        facts.size == origin.size && facts.modified == origin.modified
    }
}

extension DeliveryRow {
    /// For `attempts` of a delivery whose copy somebody removed on purpose; as `DeliveryRow.retired`, and it stays
    /// away.
    static let culled = -3
    var isCulled: Bool { receipt.state == .excluded && attempts == Self.culled }
}

extension AssetRow {
    /// Somebody ended it while it was not at its source: nothing was decided about its bytes.
    var isDismissed: Bool { ending == .filtered && reason == Cancellation.dismissedReason }
}

extension ContentKey? {
    /// None for a file that was never read.
    fileprivate func mapDeliveries(_ ledger: any LedgerReader) async throws(IngestError) -> [DeliveryRow] {
        guard let self else { return [] }
        return try await ledger.deliveries(of: self)
    }
}
