import FileKit
import FilmgateCore

/// Delivers: one queue per target, folder targets first, each content once per target, retries and holds decided here and nowhere else.
actor Dispatcher {
    let ledger: any Ledger
    let hub: EventHub
    let tally: Tally
    let book: NameBook
    let budget: ByteBudget
    let run: Int64
    /// `DeliveryRow.unassigned` while it is not known: then nothing is sent.
    let event: String?
    let backoff: Backoff
    let clock = ContinuousClock()
    /// What this process's dispatchers leave to one another, and this one's number among them.
    let leases: DeliveryLeases
    let number: Int

    var queues: [String: TargetQueue] = [:]
    var parcels: [Parcel.ID: Parcel] = [:]
    var open: [AssetID: Consignment] = [:]
    var tasks: [Parcel.ID: Task<Void, Never>] = [:]
    private var drained: CheckedContinuation<Void, Never>?
    var lastProgress: ContinuousClock.Instant
    /// Of what is being sent now: what an attempt moved in vain is forgotten with it.
    var motions: [Parcel.ID: Motion] = [:]
    private(set) var stopped = false, isWindingDown = false
    /// What the ledger is just being told of: deliveries that settled, and assets that are sent once it knows them.
    var unrecorded = 0
    /// Those of them that were sent.
    private var concluding = 0
    /// What waits for the next commit, and that commit.
    var gathered = Gathered()
    var commit: Task<Void, Never>?
    private(set) var delivered: [String: [DeliveredFile]] = [:]
    /// Deliveries that another dispatcher of this process has, for assets of ours that wait for them.
    var followed: [Parcel.ID: Parcel] = [:]
    /// Why targets are held, as it was told.
    var holds: [String: Hold] = [:]
    /// Parcels whose target has to be asked for their names first, by shot and target; and the questions under way.
    var unasked: [String: [Parcel.ID]] = [:]
    var asking: [String: Task<Result<Void, IngestError>, Never>] = [:]

    init(_ setup: DispatcherSetup) {
        (ledger, hub, tally, book, budget) = (setup.ledger, setup.hub, setup.tally, setup.book, setup.budget)
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
    /// `new` are the parcels that it needs; those already under way for another file of the same bytes are shared. Nothing is sent over a
    /// network before the ledger knows of it; what was made of a frame is known to it when this returns.
    func submit(_ consignment: Consignment, parcels new: [Parcel]) async {
        var consignment = consignment
        for parcel in new { if let old = parcel.inherits { await leases.cede(old, to: parcel.id, for: number) } }
        for parcel in new where book.isConcluded(parcel.id) { await adopt(parcel, into: &consignment) }
        var own: [Parcel] = []
        for parcel in new where consignment.receipts[parcel.id.target] == nil {
            if case .settled(let receipt) = parcels[parcel.id]?.state {
                adopt(receipt, parcel, twin: parcels[parcel.id]?.job.asset, into: &consignment)
            } else if parcels[parcel.id] != nil {
                consignment.open.insert(parcel.id.target)
                parcels[parcel.id]?.listeners.append(consignment.asset.id)
                consignment.hasParcels = true
            } else if wasDelivered(parcel, &consignment) {
                continue
            } else if leases.take(parcel.id, by: number) {
                consignment.open.insert(parcel.id.target)
                parcels[parcel.id] = parcel
                if parcel.isUnasked { unasked[parcel.shotKey, default: []].append(parcel.id) }
                own.append(parcel)
                consignment.hasParcels = true
            } else {
                consignment.open.insert(parcel.id.target)
                follow(parcel)
            }
        }
        share(&own, &consignment)
        let made = own.filter { $0.rendition != nil }, shared = own.filter { $0.rendition == nil }
        let first = shared.first { $0.target.isLocal && queues[$0.id.target]?.held == nil }
        if let first { consignment.later = shared.filter { $0.id != first.id } }
        for (name, rendition) in consignment.asset.renditions where !made.contains(where: { $0.target.name == name }) {
            Companions.remove(rendition.file)
        }
        consignment.asset.renditions = [:]
        open[consignment.asset.id] = consignment
        lastProgress = clock.now
        if first == nil, shared.count > 1 { for parcel in shared { parcels[parcel.id]?.job.mayTake = false } }
        let next = (first.map { [$0] } ?? shared) + made
        let isMade = consignment.asset.flags.contains(AssetFlag.made)
        guard isMade || own.contains(where: { !$0.target.isLocal }) else { return begin(consignment, next) }
        unrecorded += 1
        let recording = Task { [consignment] in
            await recordWaiting(consignment, own)
            unrecorded -= 1
            begin(consignment, next)
        }
        // Many of them wait for one commit, but not any number.
        if isMade || unrecorded > Self.mostConcluding { await recording.value }
    }

    /// What needs no delivery any more is settled, the rest may be sent.
    private func begin(_ consignment: Consignment, _ parcels: [Parcel]) {
        for parcel in parcels {
            enqueue(parcel.id)
            if queues[parcel.id.target]?.isFailing == true { releaseWaiting(for: parcel.id.target) }
        }
        guard consignment.open.isEmpty else { return wakeIfIdle() }
        unrecorded += 1
        Task {
            await settle(consignment.asset.id)
            unrecorded -= 1
            wakeIfIdle()
        }
    }

    /// The same bytes were settled earlier in this run, after this file had been looked up: the ledger knows by now.
    private func adopt(_ parcel: Parcel, into consignment: inout Consignment) async {
        let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: parcel.id.content) }
        let twin = await Result { () async throws(IngestError) in try await ledger.twin(of: parcel.id.content) }
        guard let row = try? rows.get().first(where: { $0.target == parcel.id.target }) else { return }
        adopt(row.receipt, parcel, twin: nil, into: &consignment)
        consignment.twin = consignment.twin ?? (try? twin.get())
    }

    private func adopt(_ receipt: Receipt, _ parcel: Parcel, twin: Asset?, into consignment: inout Consignment) {
        var receipt = receipt
        if receipt.state == .done { receipt.existed = true }
        consignment.receipts[parcel.id.target] = receipt
        consignment.twin = consignment.twin ?? twin?.origin.absolutePath
    }

    private func enqueue(_ id: Parcel.ID) {
        if let parcel = parcels[id] { queues[id.target]?.append(parcel) }
        noteHeld(at: id.target, only: id)
        pump(id.target)
    }

    func pump(_ target: String) {
        guard !stopped, !isWindingDown || queues[target]?.isFlowing == true else { return }
        while concluding < Self.mostConcluding, let id = queues[target]?.next(at: clock.now), let parcel = parcels[id] {
            parcels[id]?.state = .sending
            let motion = Motion()
            motions[id] = motion
            tasks[id] = Task { await Motion.$current.withValue(motion) { await self.send(parcel) } }
        }
        report(target)
    }

    /// The parcel is final: tells every asset that waits for it, and lets remote targets start once a folder has the bytes.
    func conclude(_ id: Parcel.ID, _ receipt: Receipt) async {
        guard let parcel = parcels[id], let owner = parcel.listeners.first else { return }
        parcels[id]?.state = .settled(receipt)
        if receipt.state == .done { noteDelivered(parcel, receipt) }
        var finished: [Consignment] = []
        for (position, asset) in parcel.listeners.enumerated() {
            guard var consignment = open[asset] else { continue }
            consignment.receipts[parcel.id.target] = receipt
            consignment.open.remove(parcel.id.target)
            if position > 0 {
                if receipt.state == .done { consignment.receipts[parcel.id.target]?.existed = true }
                consignment.twin = consignment.twin ?? parcel.job.asset.origin.absolutePath
            }
            open[asset] = consignment
        }
        let waiting = open[owner]
        moveOn(owner, parcel, receipt)
        for asset in parcel.listeners where open[asset]?.open.isEmpty == true {
            if let consignment = open.drop(asset) { finished.append(consignment) }
        }
        unrecorded += 1
        concluding += 1
        await record(final(parcel, receipt, for: waiting) + finished.flatMap(ended))
        unrecorded -= 1
        concluding -= 1
        if concluding == Self.mostConcluding - 1 { for target in queues.keys { pump(target) } }
        if receipt.state == .done || receipt.state == .excluded || parcel.rendition != nil, parcel.spooled != receipt.path {
            await discardSpooled(parcel)
        }
        if receipt.state == .done || receipt.state == .excluded, let rendition = parcel.rendition {
            Courier.discardIfStill(rendition, takenTo: receipt.path ?? "")
        }
        tellOfDelivery(parcel, receipt)
        // Only now may it be forgotten: until the ledger knew, this was the only place that did.
        parcels.drop(id)
        leases.end(id, by: number, receipt)
        book.conclude(id)
        for consignment in finished { told(consignment) }
        book.release(parcel)
    }

    private func moveOn(_ owner: AssetID, _ parcel: Parcel, _ receipt: Receipt) {
        guard var consignment = open[owner], parcel.target.isLocal, parcel.rendition == nil else { return }
        if receipt.state == .done, let path = receipt.path {
            let staged = consignment.bytes
            consignment.bytes = LocalFile(path: path, size: staged.size, ownership: .delivered)
            if staged.ownership == .staged {
                budget.give(consignment.budget)
                consignment.budget = 0
                if point(consignment, at: consignment.bytes) {
                    Courier.discardIfStill(staged, takenTo: path)
                } else {
                    consignment.obsolete = staged
                }
            }
        }
        open[owner] = consignment
        release(owner)
    }

    /// Lets what still waits for this asset read `bytes` from now on.
    ///
    /// False while one of its parcels is being sent from where they were.
    private func point(_ consignment: Consignment, at bytes: LocalFile) -> Bool {
        var free = true
        for target in consignment.wanted {
            let id = Parcel.ID(content: consignment.content, target: target.identity)
            guard let parcel = parcels[id], parcel.listeners.first == consignment.asset.id, parcel.rendition == nil else { continue }
            switch parcel.state {
            case .waiting:
                parcels[id]?.job.file = bytes
                parcels[id]?.job.mayTake = false
            case .sending: free = false
            case .settled: break
            }
        }
        return free
    }

    /// A folder that is held or fails must not keep the other targets waiting: they read the staged bytes, which stay for it.
    func releaseWaiting(for target: String) {
        for id in queues[target]?.pending ?? [] {
            guard let parcel = parcels[id], parcel.rendition == nil, let owner = parcel.listeners.first, open[owner]?.later.isEmpty == false
            else { continue }
            parcels[id]?.job.mayTake = false
            release(owner)
        }
    }

    /// Starts the targets that waited for a folder to have the bytes.
    private func release(_ owner: AssetID) {
        guard let consignment = open[owner] else { return }
        open[owner]?.later = []
        for next in consignment.later {
            parcels[next.id]?.job.file = consignment.bytes
            parcels[next.id]?.job.mayTake = false
            enqueue(next.id)
        }
    }

    private func noteDelivered(_ parcel: Parcel, _ receipt: Receipt) {
        guard parcel.target.traits.listsDeliveries else { return delivered[parcel.id.target] = [] }
        let path = receipt.path ?? receipt.url ?? parcel.job.path
        let file = DeliveredFile(
            path: path, size: parcel.job.file.size, digests: parcel.job.digests, modified: parcel.job.asset.origin.modified)
        delivered[parcel.id.target, default: []].append(file)
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
        let last = motions.values.compactMap(\.last).reduce(lastProgress, max)
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
