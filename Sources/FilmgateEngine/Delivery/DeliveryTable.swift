import FilmgateCore

/// What is to be delivered in one run, and what is done about it: events in, actions out.
///
/// A plain state machine, without clock, task or file: the time comes with the event, and whoever has the table
/// performs the actions in their order. `DeliveryScheduler` has it in a run.
///
/// It knows the assets, and `DeliveryQueues` the deliveries: events about one delivery or one target go there, and what
/// they come to comes back as effects.
struct DeliveryTable: Sendable {
    private let run: Int64
    var queues: DeliveryQueues
    private(set) var assets: [AssetID: AssetDeliveries] = [:]
    /// Assets that wait for deliveries of other schedulers.
    private(set) var followed: [Delivery.ID: [AssetID]] = [:]
    /// What targets were delivered that want to know at the end of a run; empty for the others.
    private(set) var delivered: [String: [DeliveredFile]] = [:]
    /// Those that another station is at, and that the run waits for.
    var expected: Set<Delivery.ID> = []
    /// As `DeliverySchedulerSetup` has it.
    var recordsFirst = false
    private var now: Moment
    private var actions: [DeliveryAction] = []

    init(_ targets: [PlannedTarget], run: Int64, event: String?, backoff: Backoff, at now: Moment) {
        (self.run, self.now) = (run, now)
        queues = DeliveryQueues(targets, event: event, backoff: backoff, at: now)
    }

    subscript(_ id: Delivery.ID) -> Delivery? { queues.all[id] }

    var isEmpty: Bool { assets.isEmpty && queues.all.isEmpty }

    /// Nothing more moves by itself once what is under way is done.
    ///
    /// `areOthersHeld`: what is waited for in other schedulers is held there.
    func isIdle(areOthersHeld: Bool) -> Bool {
        queues.isStopped || queues.isIdle && (queues.isWindingDown || areOthersHeld && expected.isEmpty)
    }

    /// What is to be done now, in this order.
    mutating func handle(_ event: DeliveryEvent, at now: Moment) -> [DeliveryAction] {
        (self.now, queues.now) = (now, now)
        switch event {
        case .submitted(let asset, let new, let claims, let isShared): submit(asset, new, claims, isShared: isShared)
        case .recorded(.begin(let asset, let next)): begin(asset, next)
        case .recorded(.conclude(let id, let receipt, let finished)): forget(id, receipt, finished)
        case .recorded(.settle(let finished)): for asset in finished { act(.settle(asset)) }
        case .kept(let id, let rendition, let receipt):
            queues.change(id) { ($0.rendition, $0.job.file) = (rendition, rendition) }
            conclude(id, receipt)
        case .cancelled(let id, let keeping): cancel(id, keeping: keeping)
        case .judged(let verdicts): for (id, verdict) in verdicts { judge(id, verdict) }
        case .ceded(let old, let new): cede(old, to: new)
        case .heard(let id, let receipt): heard(id, receipt)
        case .withheld(let id, let withheld): withhold(id, withheld)
        case .claimDue(let id): askAgain(id)
        case .delivered(let id, let delivered) where delivered.ifLast != nil && !lastCopies(of: id).isEmpty:
            if let withheld = delivered.ifLast { withhold(id, withheld) }
        case .tryNow(let name, let contents, let anyway):
            askAgain(at: name, of: contents, anyway: anyway)
            queues.handle(event)
        default: queues.handle(event)
        }
        while !queues.effects.isEmpty { for effect in queues.takeEffects() { apply(effect) } }
        defer { actions = [] }
        return actions
    }

    private mutating func act(_ action: DeliveryAction) { actions.append(action) }

    private mutating func apply(_ effect: DeliveryQueues.Effect) {
        switch effect {
        case .act(let action): act(action)
        case .write(let rows, let withAsset, let step): write(rows, withAsset: withAsset, then: step)
        case .unblock(let id): unblock(id)
        case .ended(let id, let receipt):
            // Nobody could make it again without reading the frame anew: it stays for `retry`.
            if receipt.state == .failed, let one = self[id], let rendition = one.rendition, !one.keepsReceipt {
                act(.keepRendition(rendition, of: id, receipt))
            } else if receipt.state == .excluded, let reason = receipt.reason, !lastCopies(of: id).isEmpty {
                // Its source may be gone: a frame is never lost because nobody wants it delivered.
                queues.change(id) { $0.verdict = .waits(reason) }
                queues.gate(id)
            } else {
                conclude(id, receipt)
            }
        case .withhold(let id, let withheld): withhold(id, withheld)
        case .pump(let target): queues.pump(target)
        }
    }

    private mutating func write(_ rows: [DeliveryQueues.Row], withAsset: Bool, then step: DeliveryStep?) {
        var changes: [LedgerChange] = []
        for row in rows {
            guard let delivery = self[row.id], !delivery.keepsReceipt, let owner = delivery.listeners.first,
                let asset = assets[owner]
            else { continue }
            if withAsset { changes += delivery.files(assets, in: queues, run: run, at: now.wall) }
            changes += delivery.changes(row.receipt, bytes: asset.bytes, nextTry: row.nextTry)
        }
        if !changes.isEmpty || step != nil { act(.record(changes, then: step)) }
    }

    // MARK: Submitting

    private mutating func submit(
        _ submitted: AssetDeliveries, _ new: [Delivery], _ claims: [Delivery.ID: DeliveryClaim], isShared: Bool
    ) {
        var asset = submitted, own: [Delivery] = []
        let earlier = assets[asset.id].flatMap { $0.content == asset.content ? $0 : nil }
        for var delivery in new where asset.receipts[delivery.id.target] == nil {
            if isShared || asset.isRecorded && earlier != nil { delivery.share(earlier?.stagedBytes) }
            if delivery.since == 0 { delivery.since = now.wall }
            if take(delivery, claims[delivery.id] ?? .ours, into: &asset) { own.append(delivery) }
        }
        // Bytes that others deliver, too, are not ours to move.
        if isShared { asset.bytes.ownership = .delivered }
        let made = own.filter { $0.rendition != nil }, shared = own.filter { $0.rendition == nil }
        let first = shared.first { $0.target.isLocal && queues[$0.id.target]?.held == nil && $0.verdict == .takes }
        if let first { asset.later = shared.map(\.id).filter { $0 != first.id } }
        for (name, rendition) in asset.asset.renditions where !made.contains(where: { $0.target.name == name }) {
            act(.discard(rendition.file, takenTo: ""))
        }
        asset.asset.renditions = [:]
        if let earlier { for id in asset.join(earlier) { queues.change(id) { $0.keep(spooled: earlier.bytes) } } }
        assets[asset.id] = asset
        queues.noteProgress()
        if first == nil, shared.count > 1 {
            for delivery in shared { queues.change(delivery.id) { $0.job.mayTake = false } }
        }
        let next = ((first.map { [$0] } ?? shared) + made).map(\.id)
        // Before anything is sent over a network: a crash forgets nothing.
        let waits = own.contains { $0.isRecordedFirst(recordsFirst) } || asset.followsMarks(in: queues)
        guard asset.isMade || waits else { return begin(asset.id, next) }
        let waiting = own.flatMap { one in
            // The ledger is told why it waits with what is written of it now.
            queues.change(one.id) { $0.notedWaiting = $0.verdict.waiting }
            return one.changes(Receipt(state: .pending, at: one.since, reason: one.verdict.waiting), bytes: asset.bytes)
        }
        act(.record(asset.changes(in: queues, run: run, at: now.wall) + waiting, then: .begin(asset.id, next)))
    }

    /// True when it is this table's to send from now on.
    private mutating func take(
        _ delivery: Delivery, _ claim: DeliveryClaim, into asset: inout AssetDeliveries
    ) -> Bool {
        let id = delivery.id, known = self[id]
        switch (known?.state, claim) {
        case (.settled(let receipt), _):
            asset.adopt(receipt, at: id.target, twin: known?.job.asset.origin.absolutePath)
            return false
        case (nil, .anothers):
            asset.open.insert(id.target)
            follow(delivery)
            return false
        case (nil, .ours): queues.add(delivery)
        default: queues.change(id) { $0.add(listener: asset.id) }
        }
        asset.open.insert(id.target)
        asset.hasDeliveries = true
        return known == nil
    }

    /// What needs no delivery any more is settled, the rest may be sent.
    private mutating func begin(_ id: AssetID, _ next: [Delivery.ID]) {
        for delivery in assets[id]?.later ?? [] { queues.change(delivery) { $0.state = .deferred } }
        for delivery in next {
            queues.enqueue(delivery)
            if queues[delivery.target]?.isFailing == true { unblock(delivery) }
        }
        if assets[id]?.open.isEmpty == true, let asset = assets.drop(id) { settle([asset]) }
    }

    /// Their last rows, and then everybody is told.
    private mutating func settle(_ finished: [AssetDeliveries]) {
        let rows = finished.filter { !$0.isElsewhere }.flatMap { asset in
            let rows = asset.changes(asset.recordedEnding, run: run, at: now.wall)
            return asset.isUnfinished ? rows + [asset.followed(run: run, at: now.wall)] : rows
        }
        if !rows.isEmpty { return act(.record(rows, then: .settle(finished))) }
        for asset in finished { act(.settle(asset)) }
    }

    // MARK: Endings

    /// The delivery is final: tells every asset that waits for it, and lets remote targets start once a folder has the
    /// bytes.
    private mutating func conclude(_ id: Delivery.ID, _ outcome: Receipt) {
        guard let delivery = self[id], let owner = delivery.listeners.first else { return }
        let receipt = delivery.doubted(outcome)
        expected.remove(id)
        queues.settle(id, receipt)
        if receipt.state == .done {
            let lists = delivery.target.traits.listsDeliveries
            delivered[id.target, default: []] += lists ? [delivery.file(receipt)] : []
        }
        let kept = receipt.state == .done ? nil : delivery.keptReceipt
        assets[owner]?.receipts[id.target] = receipt
        assets[owner]?.kept[id.target] = kept
        for listener in delivery.listeners {
            assets[listener]?.open.remove(id.target)
            if listener == owner { continue }
            let twin = delivery.job.asset.origin.absolutePath
            assets[listener]?.adopt(receipt, keeping: kept, at: id.target, twin: twin)
        }
        if let foreign = delivery.foreign { for one in delivery.listeners { assets[one]?.note(foreign) } }
        let before = assets[owner]
        // One that was taken back while it waited for a folder leaves that folder its bytes.
        if delivery.target.isLocal, delivery.rendition == nil, !delivery.isDeferred {
            if receipt.state == .done, let path = receipt.path { useCopy(at: path, of: owner) }
            release(owner)
        }
        let finished = delivery.listeners.filter { assets[$0]?.open.isEmpty == true }.compactMap { assets.drop($0) }
        // The owner's row goes first, since the delivery belongs to its content.
        var changes = before?.changes(in: queues, run: run, at: now.wall) ?? []
        changes += delivery.changes(receipt, bytes: before?.bytes ?? delivery.job.file)
        if receipt.state == .done { changes += delivery.heard }
        let twins = delivery.listeners.compactMap { assets[$0] }.filter { !$0.isElsewhere }
        for asset in finished + twins where asset.id != owner {
            changes += asset.changes(in: queues, run: run, at: now.wall)
        }
        // Other files of the same bytes, and what other jobs have delivered since this table heard of it, come last.
        if let before { changes.append(before.followed(run: run, at: now.wall)) }
        act(.record(changes, then: .conclude(id, receipt, finished)))
    }

    /// The ledger knows; only now may the delivery be forgotten: until then, this was the only place that did.
    private mutating func forget(_ id: Delivery.ID, _ receipt: Receipt, _ finished: [AssetDeliveries]) {
        guard let delivery = queues.settled(id) else { return }
        let isOver = receipt.isFinalThere || delivery.keepsReceipt
        if isOver || delivery.rendition != nil, delivery.spooled != receipt.path { act(.discardSpooled(delivery)) }
        if isOver, let rendition = delivery.rendition {
            act(.discard(rendition, takenTo: receipt.path ?? ""))
        }
        if receipt.state == .done, !receipt.isHearsay {
            let origin = delivery.job.asset.origin
            act(.tell(.delivered(target: delivery.target.name, of: origin, existed: receipt.existed)))
        }
        act(.release(delivery, receipt))
        for asset in finished { act(.settle(asset)) }
    }

    /// A folder has the bytes: what still waits for this asset reads them there.
    private mutating func useCopy(at path: String, of owner: AssetID) {
        guard var asset = assets[owner] else { return }
        let staged = asset.bytes
        asset.bytes = LocalFile(path: path, size: staged.size, ownership: .delivered)
        if staged.ownership == .staged {
            act(.giveBack(budget: asset.budget))
            asset.budget = 0
            if point(asset) { act(.discard(staged, takenTo: path)) } else { asset.obsolete = staged }
        }
        assets[owner] = asset
    }

    /// False while one of its deliveries is being sent from where the bytes were.
    private mutating func point(_ asset: AssetDeliveries) -> Bool {
        var isFree = true
        for target in asset.wanted {
            let id = Delivery.ID(content: asset.content, target: target.identity)
            guard let delivery = self[id], delivery.listeners.first == asset.id, delivery.rendition == nil else {
                continue
            }
            if delivery.isAtRest { queues.change(id) { ($0.job.file, $0.job.mayTake) = (asset.bytes, false) } }
            isFree = isFree && (delivery.isAtRest || delivery.isSettled)
        }
        return isFree
    }

    /// It may wait for long at its folder: the other targets read the staged bytes, which stay for it.
    private mutating func unblock(_ id: Delivery.ID) {
        guard let delivery = self[id], delivery.isWaiting, delivery.rendition == nil,
            let owner = delivery.listeners.first, assets[owner]?.later.isEmpty == false
        else { return }
        queues.change(id) { $0.job.mayTake = false }
        release(owner)
    }

    /// Starts the targets that waited for a folder to have the bytes.
    private mutating func release(_ owner: AssetID) {
        guard let asset = assets[owner] else { return }
        assets[owner]?.later = []
        for next in asset.later {
            queues.change(next) { ($0.job.file, $0.job.mayTake) = (asset.bytes, false) }
            queues.enqueue(next)
        }
    }

    // MARK: Taking back

    /// Assets of which staged bytes are all that there is, and that wait for that delivery alone: a frame is never lost
    /// because nobody wants it delivered.
    func lastCopies(of id: Delivery.ID) -> [Asset] {
        let waiting = self[id]?.listeners.compactMap { assets[$0] } ?? []
        return waiting.filter { $0.isLastCopy(but: id.target) }.map(\.asset)
    }

    /// Ends a delivery as filtered for its target.
    private mutating func cancel(_ id: Delivery.ID, keeping: Set<AssetID>) {
        guard self[id]?.canBeCancelled == true else { return }
        for asset in keeping {
            guard let bytes = assets[asset]?.bytes else { continue }
            act(.keep(bytes))
            assets[asset]?.bytes.ownership = .delivered
        }
        exclude(id, DeliveryRow.cancelledReason)
    }

    private mutating func exclude(_ id: Delivery.ID, _ reason: String) {
        guard let owner = self[id]?.listeners.first else { return }
        if queues.withdraw(id) == nil { assets[owner]?.later.removeAll { $0 == id } }
        conclude(id, Receipt(state: .excluded, at: now.wall, reason: reason))
        queues.report(id.target)
    }

    /// What is being sent, or named for that, is left alone: it is judged when it comes back.
    private mutating func judge(_ id: Delivery.ID, _ verdict: MarkVerdict) {
        guard let delivery = self[id], !delivery.isSettled else { return }
        queues.judge(id, verdict)
        if case .refuses(let reason) = verdict, self[id]?.canBeCancelled == true { exclude(id, reason) }
    }

    // MARK: Other schedulers

    /// Another scheduler has that delivery: what it comes to counts for this asset, too.
    private mutating func follow(_ delivery: Delivery) {
        act(.follow(delivery, isNew: followed[delivery.id] == nil))
        followed[delivery.id, default: []] += delivery.listeners
    }

    /// What waits becomes somebody else's, under its event's identity; its asset waits for that.
    private mutating func cede(_ old: Delivery.ID, to new: Delivery.ID) {
        unblock(old)
        guard var moved = queues.withdraw(old) else { return }
        expected.remove(old)
        _ = queues.forget(old)
        for listener in moved.listeners {
            guard var asset = assets[listener] else { continue }
            let bytes = asset.bytes
            asset.cede(moved, to: new) { queues.all[$0] != nil }
            assets[listener] = asset
            // The other one has what the ledger names: the file that an earlier run kept, where there is one.
            if moved.spooled != nil, bytes.isFleeting, !asset.hasDeliveries { act(.discard(bytes, takenTo: "")) }
        }
        moved.id = new
        follow(moved)
        queues.report(old.target)
    }

    /// The other scheduler's delivery is final, or was given up; then it may be this one's by now.
    private mutating func heard(_ id: Delivery.ID, _ receipt: Receipt?) {
        guard let waiting = followed.drop(id) else { return }
        queues.noteProgress()
        if receipt == nil, queues.all[id]?.isSettled == false {
            return queues.change(id) { for one in waiting { $0.add(listener: one) } }
        }
        for listener in waiting { assets[listener]?.hear(receipt, of: id.target) }
        settle(waiting.filter { assets[$0]?.open.isEmpty == true }.compactMap { assets.drop($0) })
    }

    /// At the end of a run: forgets what is left of it, which is whoever's to write down that asked for it before.
    mutating func close() {
        (assets, followed, expected) = ([:], [:], [])
        queues.forgetAll()
    }
}
