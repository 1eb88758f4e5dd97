import FileKit
import FilmgateCore

/// Performs what the table of deliveries says; decides only what needs the clock, the ledger or the leases.
actor DeliveryScheduler {
    private let ledger: any Ledger, hub: EventHub, statistics: RunStatistics
    private let reservations: NameReservations, budget: ByteBudget
    private let run: Int64
    private let clock: any RunClock
    /// What this process's schedulers leave to one another, and this one's number among them.
    let leases: DeliveryLeases, number: Int
    private let terms: ClaimedAttempt.Terms, findOriginals: DeliverySchedulerSetup.FindOriginals
    private let renditions: MarkedRendition, latest: LatestRows

    private var table: DeliveryTable
    /// Everything that is sent, in one group: to break off is to cancel it.
    private let attempts = WorkGroup()
    /// Of what is being sent now: what an attempt moved in vain is forgotten with it.
    private var progressSignals: [Delivery.ID: ProgressSignal] = [:]
    /// Work that `drain` waits for: attempts, commits and what follows them.
    private var working = 0
    private var drained: CheckedContinuation<Void, Never>?
    /// What waits for the next commit, and that commit.
    private var gathered = ChangeBatch(), commit: Task<Void, Never>?
    /// The ledger is being told what is left.
    private var closing: Task<Void, Never>?
    /// How often somebody has marked pictures.
    private var markings = 0
    /// Changes that the ledger does not have yet; and whether some will never be there.
    private(set) var unrecorded = 0, isLedgerLost = false

    static let noEvent = IngestError(
        .unavailable, "No event is set for this file yet.", advice: "Set it with `filmgate assign EVENT`.")
    /// Many submissions wait for one commit, but not any number.
    private static let mostUnrecorded = 64
    /// Where many changes come at once a commit waits longer for more of them: neighbours in the file's trees are then
    /// written once for all.
    private static let shortWait = Duration.milliseconds(3), longWait = Duration.milliseconds(10), many = 8

    init(_ setup: DeliverySchedulerSetup) {
        (ledger, hub, statistics, reservations) = (setup.ledger, setup.hub, setup.statistics, setup.reservations)
        (renditions, findOriginals) = (MarkedRendition(stages: setup.stages, ledger: setup.ledger), setup.findOriginals)
        (budget, run, clock, leases, number) = (setup.budget, setup.run, setup.clock, setup.leases, setup.leases.join())
        (terms, latest) = (setup.terms, LatestRows(ledger: setup.ledger, reservations: setup.reservations))
        table = DeliveryTable(setup, at: clock.now)
        for queue in table.queues.targets { leases.note(held: queue.held, queue.target.identity, by: number) }
    }

    /// Whatever ended it, nobody waits for what it had.
    deinit {
        leases.leave(number)
        attempts.finish()
    }

    var delivered: [String: [DeliveredFile]] { table.delivered }

    /// Makes itself known to the others; once, before anything is submitted.
    nonisolated func introduce() {
        let holder = DeliveryLeases.Holder(
            tryNow: { [weak self] in await self?.handle(.tryNow($0, of: $1, anyway: $2)) },
            cede: { [weak self] old, new, heir in await self?.cede(old, to: new, of: heir) },
            cancel: { [weak self] id in await self?.cancel(id) ?? false },
            marked: { [weak self] sha256s in await self?.judge(by: sha256s) })
        leases.introduce(number, holder)
    }

    // MARK: Events

    private func handle(_ event: DeliveryEvent) {
        for action in table.handle(event, at: clock.now) { perform(action) }
        wakeIfIdle()
    }

    /// Takes over one asset.
    ///
    /// `deliveries` are those that it needs; those already under way for another file of the same bytes are shared.
    /// Nothing is sent over a network before the ledger knows of it; on return it knows what was made of a frame.
    func submit(_ assetDeliveries: AssetDeliveries, deliveries: [Delivery]) async {
        var asset = assetDeliveries.asking(about: deliveries), placed = deliveries
        for one in deliveries { if let old = one.inherits { await leases.cede(old, to: one.id, for: number) } }
        if asset.isRecorded { asset.findBytes(of: &placed) }
        if asset.areStagedToWait(for: placed, at: table.queues), let copy = await latest.copy(of: asset) {
            budget.give(asset.read(copy, for: &placed))
        }
        let (new, claims) = await claimed(placed, of: &asset)
        let isShared = asset.isRecorded && leases.isTaken(asset.content, except: number), before = unrecorded
        handle(.submitted(asset, new, claims: claims, isShared: isShared))
        if unrecorded > before, asset.isMade || unrecorded > Self.mostUnrecorded { await commit?.value }
    }

    /// The same as marks say now: who marks a picture before the table knows of it tells us, too.
    private func judged(_ deliveries: [Delivery]) async -> [Delivery] {
        while true {
            let number = markings, judged = await latest.judged(deliveries)
            if number == markings { return judged }
        }
    }

    /// Somebody marked pictures; returns when the ledger knows what came of it.
    private func judge(by sha256s: Set<String>?) async {
        markings += 1
        let open = await judged(table.queues.all.values.filter { $0.isJudged(by: sha256s) })
        let unwanted = Set(open.filter(\.isUnwanted).map(\.id))
        var originals: Set<AssetID> = []
        for id in unwanted { originals.formUnion(await self.originals(of: id)) }
        // Who rejected more of them meanwhile looks for the originals of those.
        let now = await judged(open).filter { !$0.isUnwanted || unwanted.contains($0.id) }
        handle(.judged(now.map { ($0.id, kept($0, originals)) }))
        await commit?.value
    }

    /// A picture of which only our own bytes are left is not lost because somebody rejects it: it goes on waiting.
    private func kept(_ delivery: Delivery, _ originals: Set<AssetID>) -> MarkVerdict {
        guard case .refuses(let reason) = delivery.verdict else { return delivery.verdict }
        return originals.isSuperset(of: table.lastCopies(of: delivery.id).map(\.id)) ? delivery.verdict : .waits(reason)
    }

    /// Those of which we have the last copy, and that still lie at their sources.
    private func originals(of id: Delivery.ID) async -> Set<AssetID> {
        await findOriginals(table.lastCopies(of: id), id.content.sha256)
    }

    /// The same by what ledger and marks say now, since they were planned by an older answer; and who has which of them.
    private func claimed(
        _ deliveries: [Delivery], of asset: inout AssetDeliveries
    ) async -> ([Delivery], [Delivery.ID: DeliveryClaim]) {
        // What earlier runs left was looked up with all the rest of it, perhaps minutes ago.
        var isAsked = !asset.isRecorded, known: Int?
        while true {
            let last = leases.lastEnding(of: asset.content)
            if !isAsked || last != known {
                await latest.adopt(deliveries, into: &asset)
                (isAsked, known) = (true, last)
            }
            let judged = await judged(deliveries)
            let open = judged.map(\.id).filter { asset.receipts[$0.target] == nil && table[$0] == nil }
            if let claims = leases.take(open, of: asset.content, by: number, since: known) { return (judged, claims) }
        }
    }

    /// Has the ledger know the event of all that waited for one, or of none of it.
    ///
    /// Whoever had it until now leaves it to this one, also what no target at hand takes.
    func assign(_ planned: [NamePlanner.PlannedAsset]) async {
        for (old, new) in planned.flatMap(\.successions) { await leases.cede(old, to: new, for: number) }
        record(planned.flatMap(\.assigned), then: nil)
        await commit?.value
    }

    /// Where all of it is being given up, whoever wants it has it once the ledger knows where it is then.
    private func cede(_ old: Delivery.ID, to new: Delivery.ID, of heir: Int) async {
        await closing?.value
        guard table[old]?.isWaiting == true else { return }
        leases.pass(old, by: number, to: new, of: heir)
        handle(.ceded(old, to: new))
        // A row of it that was to be written comes before those of its heir.
        await commit?.value
    }

    /// Ends a delivery that waits, as filtered for its target; false when it is being sent, or not there any more.
    private func cancel(_ id: Delivery.ID) async -> Bool {
        let originals = await originals(of: id)
        guard table[id]?.canBeCancelled == true else { return false }
        handle(.cancelled(id, keeping: Set(table.lastCopies(of: id).map(\.id)).subtracting(originals)))
        await commit?.value
        return true
    }

    // MARK: Actions

    private func perform(_ action: DeliveryAction) {
        switch action {
        case .send(let delivery): send(delivery)
        case .findNames(let group): findNames(group)
        case .rename(let old, let new): reservations.rename(old, to: new)
        case .record(let changes, let step): record(changes, then: step)
        case .wait(let time, let event):
            _ = clock.set(after: time - clock.now.instant) { [weak self] in Task { await self?.handle(event) } }
        case .follow(let delivery, let isNew):
            reservations.releaseName(of: delivery)
            if isNew { Task { await follow(delivery.id) } }
        case .release(let delivery, let receipt):
            leases.end(delivery.id, by: number, receipt)
            reservations.conclude(delivery.id)
            reservations.release(delivery)
        case .settle(let asset):
            if asset.isUnfinished {
                work { await self.settle(asset, self.latest.refreshed(asset)) }
            } else {
                settle(asset)
            }
        case .keepRendition(let file, let id, let receipt): handle(.kept(id, rendition: keep(file), receipt))
        case .keep(let file): _ = keep(file)
        case .discard(let file, let path): if !isLedgerLost { file.discard(unlessTakenTo: path) }
        case .discardSpooled(let delivery): work { await self.latest.discardSpooled(delivery) }
        case .giveBack(let bytes): budget.give(bytes)
        case .tell(let event): hub.post(event)
        case .noteHeld(let target, let error): leases.note(held: error, target, by: number)
        case .tellHeld(let target, let error):
            statistics.hold(target.identity, error)
            hub.post(error.map { .held(target: target.name, reason: $0.description) } ?? .released(target: target.name))
        case .noteWaiting(let id, let reason): leases.note(waiting: reason, id, by: number)
        case .noteAnswer(let target): reservations.answers.note(silent: false, target)
        case .noteMismatch: statistics.mismatch()
        }
    }

    private func send(_ delivery: Delivery) {
        let roots = table.queues.targets.compactMap(\.target.traits.localRoot)
        let claimed = ClaimedAttempt(leases.claims, delivery, terms), send = renditions.sending(roots, latest)
        attempt(delivery) { if let claimed { await claimed.carry(send) } else { await send(delivery) } }
    }

    /// One file's name is asked for with those of its whole shot.
    private func findNames(_ group: [Delivery]) {
        guard let first = group.first else { return }
        let search = FreeNameSearch(ledger: ledger, reservations: reservations)
        attempt(first) { await search.carry(group, of: first) }
    }

    /// What moves in `work` counts as progress while it lasts.
    private func attempt(_ delivery: Delivery, _ work: @escaping @Sendable () async -> DeliveryEvent) {
        let progressSignal = ProgressSignal()
        progressSignals[delivery.id] = progressSignal
        working += 1
        attempts.add {
            let event = await ProgressSignal.$current.withValue(progressSignal, operation: work)
            await self.ended(delivery.id, event)
        }
    }

    private func ended(_ id: Delivery.ID, _ event: DeliveryEvent) {
        progressSignals.drop(id)
        handle(event)
        switch event {
        // The names that were claimed for it while its target was asked are given to it now, or not wanted.
        case .named(let shot, _), .unnamed(let shot, _): reservations.endClaims(of: shot, at: id.target)
        default: break
        }
        endWork()
    }

    /// Work that `drain` waits for, and that nothing breaks off.
    @discardableResult
    private func work(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        working += 1
        return Task {
            await body()
            endWork()
        }
    }

    private func endWork() {
        working -= 1
        wakeIfIdle()
    }

    /// Waits for what another scheduler's delivery comes to; where that was given up, the ledger may know better.
    private func follow(_ id: Delivery.ID) async {
        var receipt = await leases.outcome(of: id)
        if receipt == nil { receipt = await latest.delivered(id) }
        handle(.heard(id, receipt))
    }

    /// The ledger knows; now everyone else.
    private func settle(_ asset: AssetDeliveries, _ told: AssetDeliveries? = nil) {
        if asset.isOver(told), !isLedgerLost { asset.bytes.discard() }
        if let obsolete = asset.obsolete, !isLedgerLost { FileSystem.remove(obsolete.path) }
        budget.give(asset.budget)
        statistics.settle((told ?? asset).result)
    }

    /// A staged `.part` counts as a leftover once this process is gone: what is still needed gets a name of its own.
    func keep(_ file: LocalFile) -> LocalFile {
        let (kept, error) = StagingArea.kept(file)
        if let error { statistics.trouble(error) }
        return kept
    }

    // MARK: The ledger

    /// What comes within a few milliseconds shares a commit, in the order in which it came.
    private func record(_ changes: [LedgerChange], then step: DeliveryStep?) {
        gathered.add(changes, then: step)
        unrecorded += 1
        guard commit == nil else { return }
        let wait = gathered.followsMany ? Self.longWait : Self.shortWait
        commit = work {
            await self.clock.sleep(for: wait)
            await self.writeGathered()
        }
    }

    private func writeGathered() async {
        let all = gathered
        (gathered, commit) = (ChangeBatch(followsMany: all.counts.count >= Self.many), nil)
        await write(all)
        unrecorded -= all.counts.count
        for step in all.steps { handle(.recorded(step)) }
    }

    /// The ledger is the only memory: when it cannot be written, nothing further may be sent.
    ///
    /// False when anything was not written.
    @discardableResult
    private func write(_ batch: ChangeBatch) async -> Bool {
        let errors = await ledger.write(batch)
        for error in errors { statistics.ledgerFailed(error) }
        if errors.isEmpty { return true }
        isLedgerLost = true
        stop()
        return false
    }
}

// MARK: Ending

extension DeliveryScheduler {
    /// Returns when nothing more can move: all delivered, or what is left is held, or there was no progress for `wait`.
    func drain(wait: Duration) async {
        let watchdog = Task {
            while !Task.isCancelled {
                await clock.sleep(for: .milliseconds(200))
                if stands(for: wait) { abort() }
                wakeIfIdle()
            }
        }
        await withCheckedContinuation { continuation in
            drained = continuation
            wakeIfIdle()
        }
        watchdog.cancel()
    }

    /// Starts nothing new; what is being sent now is finished by the caller's `drain`.
    func stop() { handle(.stopped) }

    /// What was read goes to the folders that take it, what is being sent is finished; nothing else is begun.
    func windDown() { handle(.windingDown) }

    /// Breaks off what is being sent, too.
    func abort() {
        stop()
        attempts.cancel()
    }

    /// Nothing waits here, and nothing is being done.
    var isEmpty: Bool { working == 0 && table.isEmpty }

    func isStuck(_ wait: Duration) -> Bool {
        (working == 0 && table.queues.targets.allSatisfy(\.isIdle)) || stands(for: wait)
    }

    /// Nothing was finished, begun or moved for so long.
    private func stands(for wait: Duration) -> Bool {
        let last = progressSignals.values.compactMap(\.last).reduce(table.queues.lastProgress, max)
        return clock.now.instant - last > wait
    }

    private func wakeIfIdle() {
        guard let waiter = drained, working == 0 else { return }
        let areHeld = table.followed.keys.allSatisfy { leases.holdReason($0) != nil || leases.waitReason($0) != nil }
        guard table.isIdle(areOthersHeld: areHeld) else { return }
        drained = nil
        // Nothing is begun between here and `closeOut`.
        _ = table.handle(.stopped, at: clock.now)
        waiter.resume()
    }

    /// After `drain`: what is open stays in the ledger as pending or held, and says why; its bytes outlive this run.
    func closeOut() async {
        for (root, bytes) in UnfinishedDeliveries.lacking(table.queues) {
            let free = (try? FileSystem.freeBytes(root)) ?? 0
            statistics.note(lacking: bytes > free ? bytes - free : bytes, at: root)
        }
        let left = UnfinishedDeliveries(table, reservations.answers)
        table.close()
        closing = work { await self.leave(left) }
        await closing?.value
    }

    private func leave(_ unfinished: UnfinishedDeliveries) async {
        var left = unfinished
        left.keepBytes { keep($0) }
        left.follow(held: { leases.holdReason($0)?.description }, waiting: { leases.waitReason($0) })
        for one in left.deliveries.values {
            if let changes = left.changes(of: one, run: run, at: clock.now.wall), await write(ChangeBatch(changes)) {
                left.isKnown(one)
            }
            await latest.discardSpooled(one)
        }
        // No run would ever ask for what the ledger was not told of: it is a leftover, as after a crash.
        for whole in left.unknown { StagingArea.giveUp(whole) }
        for asset in left.assets.values {
            if !asset.isElsewhere { await write(ChangeBatch(left.changes(of: asset, run: run, at: clock.now.wall))) }
            settle(asset)
        }
        leases.leave(number)
    }
}
