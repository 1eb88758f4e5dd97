import FileKit
import FilmgateCore

/// What the scheduler writes down, and when an asset is settled.
extension DeliveryScheduler {
    /// Before anything is sent over a network: the asset and its waiting deliveries, so that a crash forgets nothing.
    func recordWaiting(_ assetDeliveries: AssetDeliveries, _ own: [Delivery]) async {
        var changes = file(assetDeliveries, nil)
        for delivery in own { changes += written(delivery, Receipt(state: .pending, at: delivery.since), bytes: assetDeliveries.bytes) }
        await record(changes)
    }

    /// The delivery's row, and what its shot is called from now on: whoever sends it, and whenever, adds nothing to that.
    ///
    /// What stood there while its event was not known goes with the first of them, whatever becomes of the delivery: nobody may assign it a
    /// second time.
    func written(_ delivery: Delivery, _ receipt: Receipt, bytes: LocalFile, nextTry: Int64? = nil) -> [LedgerChange] {
        var row = row(delivery, receipt, bytes: bytes)
        if let nextTry { row.nextTry = nextTry }
        var changes: [LedgerChange] = [.delivery(row)]
        if let name = delivery.name, let given = name.shotName(base: row.path), !row.isUnassigned {
            changes.append(.shotName(given, shot: name.shot, target: row.target, event: row.event))
        }
        if let old = delivery.replaces { changes.append(.withdraw(row.content, target: old, heir: row.target, event: row.event)) }
        return changes
    }

    /// A delivery that is tried again later: `status` says why, and when.
    ///
    /// Nothing is closed before that is written: its row would come after the last one, and name bytes that have another name by then.
    func recordDelay(_ id: Delivery.ID, because error: IngestError, _ delay: Duration) async {
        guard let delivery = deliveries[id], let owner = delivery.listeners.first, let assetDeliveries = open[owner] else { return }
        let receipt = Receipt(state: .pending, at: delivery.since, reason: error.message)
        let next = WallClock.nanoseconds + Int64(delay.inSeconds * 1_000_000_000)
        unrecorded += 1
        await record(written(delivery, receipt, bytes: assetDeliveries.bytes, nextTry: next))
        unrecorded -= 1
    }

    /// A delivery's end.
    ///
    /// The asset's row goes first: the delivery belongs to its content.
    func final(_ delivery: Delivery, _ receipt: Receipt, for owner: AssetDeliveries?) -> [LedgerChange] {
        guard let owner else { return [] }
        var changes = owner.open.isEmpty ? ended(owner) : file(owner, nil)
        changes += written(delivery, receipt, bytes: owner.bytes)
        if receipt.state == .done { changes += heard(delivery) }
        changes.append(.followed(owner.content, twin: owner.asset.origin.absolutePath, run: run, at: WallClock.nanoseconds))
        return changes
    }

    /// What stands of the target's word after this delivery; one that was only believed leaves it as it is.
    private func heard(_ delivery: Delivery) -> [LedgerChange] {
        switch delivery.word {
        case .has: [.heard(delivery.id.content, target: delivery.id.target, nil)]
        case .denies: [.heard(delivery.id.content, target: delivery.id.target, delivery.word?.denial)]
        case .silent, nil: []
        }
    }

    /// The asset's row; none for a delivery that stands for itself: a row of its name would be taken for another shot's file.
    func file(_ assetDeliveries: AssetDeliveries, _ ending: Ending?) -> [LedgerChange] {
        assetDeliveries.standsAlone ? [] : [.asset(row(assetDeliveries, ending: ending))]
    }

    /// The asset's last row.
    func ended(_ assetDeliveries: AssetDeliveries) -> [LedgerChange] { file(assetDeliveries, Self.ending(assetDeliveries.receipts.values)) }

    /// An asset that needs no delivery, or whose last one is final: one ending, told to the ledger and to whoever watches.
    func settle(_ id: AssetID) async {
        guard let assetDeliveries = open.drop(id) else { return }
        if !assetDeliveries.isElsewhere { await record(ended(assetDeliveries)) }
        told(assetDeliveries)
        // No delivery of its own waits for these bytes.
        if !assetDeliveries.hasDeliveries { DeliveryAttempt.discardIfStill(assetDeliveries.bytes, takenTo: "") }
    }

    /// One target has it, whatever others do.
    func tellOfDelivery(_ delivery: Delivery, _ receipt: Receipt) {
        guard receipt.state == .done else { return }
        hub.post(.delivered(target: delivery.target.name, of: delivery.job.asset.origin, existed: receipt.existed))
    }

    /// The ledger knows; now everyone else.
    func told(_ assetDeliveries: AssetDeliveries) {
        let ending = Self.ending(assetDeliveries.receipts.values)
        if ending != .setAside, ending != .pending { DeliveryAttempt.discardIfStill(assetDeliveries.bytes, takenTo: "") }
        if let obsolete = assetDeliveries.obsolete { FileSystem.remove(obsolete.path) }
        budget.give(assetDeliveries.budget)
        var asset = assetDeliveries.asset
        asset.receipts = assetDeliveries.named
        var settled = AssetResult(asset: asset, ending: ending, reason: Self.reason(ending, asset.receipts), twin: assetDeliveries.twin)
        (settled.captured, settled.photographer) = (assetDeliveries.shot.captured, assetDeliveries.shot.photographer)
        settled.content = assetDeliveries.content
        statistics.settle(settled)
    }

    /// After `drain`: what is still open stays in the ledger as pending or held, and says why; its bytes outlive this process.
    func closeOut() async {
        noteLack()
        let owners = Set(deliveries.values.filter { $0.rendition == nil }.compactMap(\.listeners.first))
        var unknown: Set<String> = []
        for asset in open.keys {
            if let whole = keepBytes(of: asset, owner: owners.contains(asset)) { unknown.insert(whole) }
        }
        for (id, var delivery) in deliveries {
            if let rendition = delivery.rendition {
                let whole = kept(rendition)
                if whole.path != rendition.path { unknown.insert(whole.path) }
                delivery.rendition = whole
            }
            let held = holdReason(id.target)
            let reason =
                held?.description ?? delivery.job.asset.receipts[delivery.target.name]?.reason ?? trouble(id.target)?.message
                ?? "not sent yet"
            let receipt = Receipt(state: held == nil ? .pending : .held, at: delivery.since, reason: reason)
            for asset in delivery.listeners { open[asset]?.receipts[delivery.id.target] = receipt }
            if let owner = delivery.listeners.first, let assetDeliveries = open[owner] {
                let waiting = row(delivery, receipt, bytes: assetDeliveries.bytes)
                let changes = file(assetDeliveries, .pending) + written(delivery, receipt, bytes: assetDeliveries.bytes)
                if await write(changes), let file = waiting.file { unknown.remove(file) }
                await discardSpooled(delivery)
            }
        }
        deliveries = [:]
        // No run would ever ask for what the ledger was not told of: it is a leftover, as after a crash.
        for whole in unknown { StagingArea.giveUp(whole) }
        for (id, delivery) in followed {
            let held = leases.holdReason(id)
            let receipt = Receipt(
                state: held == nil ? .pending : .held, reason: held?.description ?? "the run that holds this state goes on trying")
            for asset in delivery.listeners { open[asset]?.receipts[delivery.id.target] = receipt }
        }
        followed = [:]
        for (id, assetDeliveries) in open {
            open[id] = nil
            if !assetDeliveries.isElsewhere { await write(ended(assetDeliveries)) }
            told(assetDeliveries)
        }
        leases.leave(number)
    }

    /// Removes what an earlier run kept of these bytes, once no delivery waits for that file any more.
    func discardSpooled(_ delivery: Delivery) async {
        guard let file = delivery.spooled else { return }
        let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: delivery.id.content) }
        guard let known = try? rows.get(), !known.contains(where: { $0.file == file }) else { return }
        FileSystem.remove(file)
    }

    /// A staged `.part` counts as a leftover once this process is gone: what is still needed gets a name of its own.
    ///
    /// Another file of the same bytes needs none of its own. Returns that name, if it got one.
    private func keepBytes(of asset: AssetID, owner: Bool) -> String? {
        guard let bytes = open[asset]?.bytes, bytes.ownership == .staged, bytes.path.hasSuffix(".part") else { return nil }
        guard owner else {
            FileSystem.remove(bytes.path)
            return nil
        }
        let whole = kept(bytes)
        open[asset]?.bytes = whole
        return whole.path == bytes.path ? nil : whole.path
    }

    /// What was made for a target that refused it stays for `retry`: nobody could make it again without reading the frame anew.
    func keepRendition(of id: Delivery.ID) {
        guard let rendition = deliveries[id]?.rendition else { return }
        let whole = kept(rendition)
        deliveries[id]?.rendition = whole
        deliveries[id]?.job.file = whole
    }

    func kept(_ file: LocalFile) -> LocalFile {
        guard file.path.hasSuffix(".part") else { return file }
        var file = file
        let kept = Result { () throws(IngestError) in try StagingArea.keep(file.path) }
        switch kept {
        case .success(let path): file.path = path
        case .failure(var error):
            // No source is lost with the disk that these bytes are on.
            if error.code != .storageFull { error.code = .unavailable }
            statistics.trouble(error)
        }
        return file
    }

    static func ending(_ receipts: some Sequence<Receipt>) -> Ending {
        var (failed, waiting, now, before) = (false, false, false, false)
        for receipt in receipts {
            switch receipt.state {
            case .failed: failed = true
            case .pending, .held: waiting = true
            case .done where receipt.existed: before = true
            case .done: now = true
            case .excluded: break
            }
        }
        return failed ? .setAside : waiting ? .pending : now ? .delivered : before ? .duplicate : .filtered
    }

    static func reason(_ ending: Ending, _ receipts: [String: Receipt]) -> String? {
        let states: Set<Receipt.State> =
            switch ending {
            case .setAside: [.failed]
            case .pending: [.pending, .held]
            case .filtered: [.excluded]
            // What was found in place of an earlier copy.
            case .delivered, .duplicate: [.done]
            case .alreadySeen: []
            }
        let told = receipts.sorted { $0.key < $1.key }.filter {
            states.contains($0.value.state) && $0.value.reason != DeliveryAttempt.believed
        }
        let reasons = told.compactMap { name, receipt in receipt.reason.map { "\(name): \($0)" } }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    func row(_ assetDeliveries: AssetDeliveries, ending: Ending?) -> AssetRow {
        let asset = assetDeliveries.asset
        var row = AssetRow(origin: asset.origin, run: run, kind: asset.kind, shot: asset.shot, at: WallClock.nanoseconds)
        (row.content, row.digests, row.media, row.flags) = (assetDeliveries.content, asset.digests, asset.media, asset.flags)
        (row.wanted, row.ending, row.twin) = (assetDeliveries.wanted.map(\.identity) + assetDeliveries.given, ending, assetDeliveries.twin)
        (row.event, row.photographer) = (assetDeliveries.event, assetDeliveries.shot.photographer)
        row.reason = ending.flatMap { Self.reason($0, assetDeliveries.named) }
        return row
    }

    func row(_ delivery: Delivery, _ receipt: Receipt, bytes: LocalFile) -> DeliveryRow {
        var row = DeliveryRow(
            content: delivery.id.content, target: delivery.id.target, targetName: delivery.target.name, receipt: receipt,
            size: delivery.job.file.size, path: delivery.job.path)
        row.receipt.sha256 = receipt.sha256 ?? (receipt.state == .done ? delivery.job.digests.sha256 : nil)
        row.event = delivery.job.event
        row.name = delivery.name?.row
        row.attempts = delivery.isUnasked ? DeliveryRow.unasked : delivery.attempts
        let waits = receipt.state != .done && receipt.state != .excluded
        // While this process goes on, what an earlier run kept whole outlives it, and a `.part` does not.
        let kept = bytes.isFleeting ? delivery.spooled ?? bytes.path : bytes.path
        if waits { (row.file, row.staged) = (kept, bytes.ownership == .staged) }
        if receipt.state == .excluded { row.attempts = 0 }
        if let rendition = delivery.rendition, waits {
            (row.file, row.staged, row.receipt.sha256) = (rendition.path, true, delivery.job.digests.sha256)
        }
        return row
    }

    /// Returns when the changes are committed; what comes within a few milliseconds shares a commit, in the order in which it came.
    func record(_ changes: [LedgerChange]) async { await gather(changes).value }

    /// As `record`, without waiting: the order is that of the calls.
    func gather(_ changes: [LedgerChange]) -> Task<Void, Never> {
        gathered.add(changes)
        if let commit { return commit }
        let wait = gathered.followsMany ? Self.longWait : Self.shortWait
        let task = Task {
            try? await Task.sleep(for: wait)
            let all = gathered
            (gathered, commit) = (ChangeBatch(followsMany: all.counts.count >= Self.many), nil)
            await write(all.changes, counts: all.counts)
        }
        commit = task
        return task
    }

    /// Where many come at once a commit waits longer for more of them: neighbours in the file's trees are then written once for all.
    private static let shortWait = Duration.milliseconds(3), longWait = Duration.milliseconds(10), many = 8

    /// The ledger is the only memory: when it cannot be written, nothing further may be sent.
    ///
    /// False when anything was not written.
    @discardableResult private func write(_ changes: [LedgerChange], counts: [Int] = []) async -> Bool {
        let result = await Result { () async throws(IngestError) in try await ledger.record(changes) }
        guard case .failure(let error) = result else { return true }
        // What cannot be written takes nothing else with it.
        if counts.count > 1 {
            var rest = changes[...]
            for count in counts {
                await write(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            return false
        }
        statistics.ledgerFailed(error)
        stop()
        return false
    }
}

/// Changes of several callers, in order, and how many each brought.
struct ChangeBatch: Sendable {
    private(set) var changes: [LedgerChange] = [], counts: [Int] = []
    /// Those before them were many.
    var followsMany = false

    mutating func add(_ more: [LedgerChange]) {
        changes += more
        counts.append(more.count)
    }
}

extension LocalFile {
    /// A staged file that counts as a leftover once this process is gone.
    var isFleeting: Bool { ownership == .staged && path.hasSuffix(".part") }
}
