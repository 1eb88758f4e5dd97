import FileKit
import FilmgateCore

/// Delivers: one queue per target, folder targets first, each content once per target, retries and holds decided here and nowhere else.
actor DeliveryScheduler {
    let ledger: any Ledger
    let hub: EventHub
    let statistics: RunStatistics
    let reservations: NameReservations
    let budget: ByteBudget
    let run: Int64
    /// `DeliveryRow.unassigned` while it is not known: then nothing is sent.
    let event: String?
    let backoff: Backoff
    let clock = ContinuousClock()
    /// What this process's schedulers leave to one another, and this one's number among them.
    let leases: DeliveryLeases
    let number: Int

    var queues: [String: TargetQueue] = [:]
    var deliveries: [Delivery.ID: Delivery] = [:]
    var open: [AssetID: AssetDeliveries] = [:]
    var tasks: [Delivery.ID: Task<Void, Never>] = [:]
    private var drained: CheckedContinuation<Void, Never>?
    var lastProgress: ContinuousClock.Instant
    /// Of what is being sent now: what an attempt moved in vain is forgotten with it.
    var progressMarks: [Delivery.ID: ProgressMark] = [:]
    private(set) var stopped = false, isWindingDown = false
    /// What the ledger is just being told of: deliveries that settled, and assets that are sent once it knows them.
    var unrecorded = 0
    /// Those of them that were sent.
    private var concluding = 0
    /// What waits for the next commit, and that commit.
    var gathered = ChangeBatch()
    var commit: Task<Void, Never>?
    private(set) var delivered: [String: [DeliveredFile]] = [:]
    /// Deliveries that another scheduler of this process has, for assets of ours that wait for them.
    var followed: [Delivery.ID: Delivery] = [:]
    /// Why targets are held, as it was told.
    var holds: [String: Hold] = [:]
    /// Parcels whose target has to be asked for their names first, by shot and target; and the questions under way.
    var unasked: [String: [Delivery.ID]] = [:]
    var asking: [String: Task<Result<Void, IngestError>, Never>] = [:]

    init(_ setup: DeliverySchedulerSetup) {
        (ledger, hub, statistics, reservations, budget) = (setup.ledger, setup.hub, setup.statistics, setup.reservations, setup.budget)
        (run, event, backoff, leases, number) = (setup.run, setup.event, setup.backoff, setup.leases, setup.leases.join())
        let held = setup.event == DeliveryRow.unassigned ? Self.noEvent : nil
        for target in setup.targets {
            queues[target.identity] = TargetQueue(target, held: held)
            leases.note(held: held, target.identity, by: number)
        }
        lastProgress = ContinuousClock().now
    }

    /// Whatever ended it, nobody waits for what it had.
    deinit { leases.leave(number) }

    /// Takes over one asset.
    ///
    /// `new` are the deliveries that it needs; those already under way for another file of the same bytes are shared. Nothing is sent over a
    /// network before the ledger knows of it; what was made of a frame is known to it when this returns.
    func submit(_ assetDeliveries: AssetDeliveries, deliveries new: [Delivery]) async {
        var assetDeliveries = assetDeliveries
        for delivery in new { if let old = delivery.inherits { await leases.cede(old, to: delivery.id, for: number) } }
        for delivery in new where reservations.isConcluded(delivery.id) { await adopt(delivery, into: &assetDeliveries) }
        var own: [Delivery] = []
        for delivery in new where assetDeliveries.receipts[delivery.id.target] == nil {
            if case .settled(let receipt) = deliveries[delivery.id]?.state {
                adopt(receipt, delivery, twin: deliveries[delivery.id]?.job.asset, into: &assetDeliveries)
            } else if deliveries[delivery.id] != nil {
                assetDeliveries.open.insert(delivery.id.target)
                deliveries[delivery.id]?.listeners.append(assetDeliveries.asset.id)
                assetDeliveries.hasDeliveries = true
            } else if wasDelivered(delivery, &assetDeliveries) {
                continue
            } else if leases.take(delivery.id, by: number) {
                assetDeliveries.open.insert(delivery.id.target)
                deliveries[delivery.id] = delivery
                if delivery.isUnasked { unasked[delivery.shotKey, default: []].append(delivery.id) }
                own.append(delivery)
                assetDeliveries.hasDeliveries = true
            } else {
                assetDeliveries.open.insert(delivery.id.target)
                follow(delivery)
            }
        }
        share(&own, &assetDeliveries)
        let made = own.filter { $0.rendition != nil }, shared = own.filter { $0.rendition == nil }
        let first = shared.first { $0.target.isLocal && queues[$0.id.target]?.held == nil }
        if let first { assetDeliveries.later = shared.filter { $0.id != first.id } }
        for (name, rendition) in assetDeliveries.asset.renditions where !made.contains(where: { $0.target.name == name }) {
            Companions.remove(rendition.file)
        }
        assetDeliveries.asset.renditions = [:]
        open[assetDeliveries.asset.id] = assetDeliveries
        lastProgress = clock.now
        if first == nil, shared.count > 1 { for delivery in shared { deliveries[delivery.id]?.job.mayTake = false } }
        let next = (first.map { [$0] } ?? shared) + made
        let isMade = assetDeliveries.asset.flags.contains(AssetFlag.made)
        guard isMade || own.contains(where: { !$0.target.isLocal }) else { return begin(assetDeliveries, next) }
        unrecorded += 1
        let recording = Task { [assetDeliveries] in
            await recordWaiting(assetDeliveries, own)
            unrecorded -= 1
            begin(assetDeliveries, next)
        }
        // Many of them wait for one commit, but not any number.
        if isMade || unrecorded > Self.mostConcluding { await recording.value }
    }

    /// What needs no delivery any more is settled, the rest may be sent.
    private func begin(_ assetDeliveries: AssetDeliveries, _ deliveries: [Delivery]) {
        for delivery in deliveries {
            enqueue(delivery.id)
            if queues[delivery.id.target]?.isFailing == true { releaseWaiting(for: delivery.id.target) }
        }
        guard assetDeliveries.open.isEmpty else { return wakeIfIdle() }
        unrecorded += 1
        Task {
            await settle(assetDeliveries.asset.id)
            unrecorded -= 1
            wakeIfIdle()
        }
    }

    /// The same bytes were settled earlier in this run, after this file had been looked up: the ledger knows by now.
    private func adopt(_ delivery: Delivery, into assetDeliveries: inout AssetDeliveries) async {
        let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: delivery.id.content) }
        let twin = await Result { () async throws(IngestError) in try await ledger.twin(of: delivery.id.content) }
        guard let row = try? rows.get().first(where: { $0.target == delivery.id.target }) else { return }
        adopt(row.receipt, delivery, twin: nil, into: &assetDeliveries)
        assetDeliveries.twin = assetDeliveries.twin ?? (try? twin.get())
    }

    private func adopt(_ receipt: Receipt, _ delivery: Delivery, twin: Asset?, into assetDeliveries: inout AssetDeliveries) {
        var receipt = receipt
        if receipt.state == .done { receipt.existed = true }
        assetDeliveries.receipts[delivery.id.target] = receipt
        assetDeliveries.twin = assetDeliveries.twin ?? twin?.origin.absolutePath
    }

    private func enqueue(_ id: Delivery.ID) {
        if let delivery = deliveries[id] { queues[id.target]?.append(delivery) }
        noteHeld(at: id.target, only: id)
        pump(id.target)
    }

    func pump(_ target: String) {
        guard !stopped, !isWindingDown || queues[target]?.isFlowing == true else { return }
        while concluding < Self.mostConcluding, let id = queues[target]?.next(at: clock.now), let delivery = deliveries[id] {
            deliveries[id]?.state = .sending
            let progressMark = ProgressMark()
            progressMarks[id] = progressMark
            tasks[id] = Task { await ProgressMark.$current.withValue(progressMark) { await self.send(delivery) } }
        }
        report(target)
    }

    /// The delivery is final: tells every asset that waits for it, and lets remote targets start once a folder has the bytes.
    func conclude(_ id: Delivery.ID, _ receipt: Receipt) async {
        guard let delivery = deliveries[id], let owner = delivery.listeners.first else { return }
        deliveries[id]?.state = .settled(receipt)
        if receipt.state == .done { noteDelivered(delivery, receipt) }
        var finished: [AssetDeliveries] = []
        for (position, asset) in delivery.listeners.enumerated() {
            guard var assetDeliveries = open[asset] else { continue }
            assetDeliveries.receipts[delivery.id.target] = receipt
            assetDeliveries.open.remove(delivery.id.target)
            if position > 0 {
                if receipt.state == .done { assetDeliveries.receipts[delivery.id.target]?.existed = true }
                assetDeliveries.twin = assetDeliveries.twin ?? delivery.job.asset.origin.absolutePath
            }
            open[asset] = assetDeliveries
        }
        let waiting = open[owner]
        moveOn(owner, delivery, receipt)
        for asset in delivery.listeners where open[asset]?.open.isEmpty == true {
            if let assetDeliveries = open.drop(asset) { finished.append(assetDeliveries) }
        }
        unrecorded += 1
        concluding += 1
        await record(final(delivery, receipt, for: waiting) + finished.flatMap(ended))
        unrecorded -= 1
        concluding -= 1
        if concluding == Self.mostConcluding - 1 { for target in queues.keys { pump(target) } }
        if receipt.state == .done || receipt.state == .excluded || delivery.rendition != nil, delivery.spooled != receipt.path {
            await discardSpooled(delivery)
        }
        if receipt.state == .done || receipt.state == .excluded, let rendition = delivery.rendition {
            DeliveryAttempt.discardIfStill(rendition, takenTo: receipt.path ?? "")
        }
        tellOfDelivery(delivery, receipt)
        // Only now may it be forgotten: until the ledger knew, this was the only place that did.
        deliveries.drop(id)
        leases.end(id, by: number, receipt)
        reservations.conclude(id)
        for assetDeliveries in finished { told(assetDeliveries) }
        reservations.release(delivery)
    }

    private func moveOn(_ owner: AssetID, _ delivery: Delivery, _ receipt: Receipt) {
        guard var assetDeliveries = open[owner], delivery.target.isLocal, delivery.rendition == nil else { return }
        if receipt.state == .done, let path = receipt.path {
            let staged = assetDeliveries.bytes
            assetDeliveries.bytes = LocalFile(path: path, size: staged.size, ownership: .delivered)
            if staged.ownership == .staged {
                budget.give(assetDeliveries.budget)
                assetDeliveries.budget = 0
                if point(assetDeliveries, at: assetDeliveries.bytes) {
                    DeliveryAttempt.discardIfStill(staged, takenTo: path)
                } else {
                    assetDeliveries.obsolete = staged
                }
            }
        }
        open[owner] = assetDeliveries
        release(owner)
    }

    /// Lets what still waits for this asset read `bytes` from now on.
    ///
    /// False while one of its deliveries is being sent from where they were.
    private func point(_ assetDeliveries: AssetDeliveries, at bytes: LocalFile) -> Bool {
        var free = true
        for target in assetDeliveries.wanted {
            let id = Delivery.ID(content: assetDeliveries.content, target: target.identity)
            guard let delivery = deliveries[id], delivery.listeners.first == assetDeliveries.asset.id, delivery.rendition == nil else {
                continue
            }
            switch delivery.state {
            case .waiting:
                deliveries[id]?.job.file = bytes
                deliveries[id]?.job.mayTake = false
            case .sending: free = false
            case .settled: break
            }
        }
        return free
    }

    /// A folder that is held or fails must not keep the other targets waiting: they read the staged bytes, which stay for it.
    func releaseWaiting(for target: String) {
        for id in queues[target]?.pending ?? [] {
            guard let delivery = deliveries[id], delivery.rendition == nil, let owner = delivery.listeners.first,
                open[owner]?.later.isEmpty == false
            else { continue }
            deliveries[id]?.job.mayTake = false
            release(owner)
        }
    }

    /// Starts the targets that waited for a folder to have the bytes.
    private func release(_ owner: AssetID) {
        guard let assetDeliveries = open[owner] else { return }
        open[owner]?.later = []
        for next in assetDeliveries.later {
            deliveries[next.id]?.job.file = assetDeliveries.bytes
            deliveries[next.id]?.job.mayTake = false
            enqueue(next.id)
        }
    }

    private func noteDelivered(_ delivery: Delivery, _ receipt: Receipt) {
        guard delivery.target.traits.listsDeliveries else { return delivered[delivery.id.target] = [] }
        let path = receipt.path ?? receipt.url ?? delivery.job.path
        let file = DeliveredFile(
            path: path, size: delivery.job.file.size, digests: delivery.job.digests, modified: delivery.job.asset.origin.modified)
        delivered[delivery.id.target, default: []].append(file)
    }

    /// A ledger that does not keep up slows the sending down.
    private static let mostConcluding = 64

    // MARK: Ending

    /// Returns when nothing more can move: all delivered, or what is left is held, or there was no progress for `wait`.
    func drain(wait: Duration) async {
        let watchdog = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(200))
                self.giveUpIfStuck(wait)
                self.wakeIfIdle()
            }
        }
        await withCheckedContinuation { continuation in
            drained = continuation
            wakeIfIdle()
        }
        watchdog.cancel()
    }

    /// Starts nothing new; what is being sent now is finished by the caller's `drain`.
    func stop() {
        stopped = true
        wakeIfIdle()
    }

    /// What was read goes to the folders that take it, what is being sent is finished; nothing else is begun or tried again.
    func windDown() {
        isWindingDown = true
        wakeIfIdle()
    }

    /// Breaks off what is being sent, too.
    func abort() {
        stop()
        for task in tasks.values { task.cancel() }
    }

    private func giveUpIfStuck(_ wait: Duration) {
        if stands(for: wait) { abort() }
    }

    /// Nothing was finished, begun or moved for so long.
    private func stands(for wait: Duration) -> Bool {
        let last = progressMarks.values.compactMap(\.last).reduce(lastProgress, max)
        return clock.now - last > wait
    }

    func wakeIfIdle() {
        let idle =
            stopped
            ? tasks.isEmpty
            : queues.values.allSatisfy { $0.isIdle || (isWindingDown && $0.active == 0 && !$0.isFlowing) }
                && (isWindingDown || followed.keys.allSatisfy { leases.holdReason($0) != nil })
        guard idle, unrecorded == 0, let waiter = drained else { return }
        drained = nil
        waiter.resume()
    }

    func isStuck(_ wait: Duration) -> Bool { (unrecorded == 0 && queues.values.allSatisfy(\.isIdle)) || stands(for: wait) }

    func report(_ target: String) {
        guard let queue = queues[target] else { return }
        hub.post(.queue(target: queue.target.name, waiting: queue.count, sending: queue.active))
    }
}
