import AsyncAlgorithms
import FilmgateCore

/// Takes one open source's shots to the targets: reads them side by side, places them in card order.
struct Intake: Sendable {
    let place: PlaceContext
    let reader: ShotReader
    let planner: NamePlanner
    /// How long to wait for room in the spool without progress; nil = as long as it takes.
    var wait: Duration?
    /// Told of every shot that could not be taken, and why.
    ///
    /// A single pass counts it as pending; a run without an end takes it when the place is back.
    var leaving: @Sendable (ShotWork, IngestError?) -> Void

    /// Takes a frame that is to be read again because of what came after it, such as a sidecar with a rating.
    ///
    /// Nil in a single pass, where nothing comes later.
    var further: (@Sendable (ShotWork) -> Void)?

    /// Told what is still to be read; nil where nobody can look on.
    var upcoming: UpcomingShots? = nil

    private var context: RunContext { place.run }
    private var session: any SourceSession { place.session }
    private var delivering: any DeliverySink { context.scheduler }
    private var statistics: RunStatistics { context.statistics }
    private var budget: ByteBudget { context.budget }
    private var stopping: CancelToken { context.stopping }

    /// Returns when every shot has been handed to the targets or settled; shots are numbered in that order.
    ///
    /// Throws what ends this source (device gone, state broken), of which `trouble` tells all its readers; what was not
    /// taken by then goes to `leaving`.
    func take(_ works: ShotFeed, trouble: CancelToken) async throws(IngestError) {
        let orderedGate = OrderedGate()
        let channel = AsyncChannel<ShotWork>()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await feed(works, into: channel, trouble) }
            for _ in 0..<max(1, session.traits.parallelFetches) {
                group.addTask {
                    for await work in channel { await process(work, orderedGate, trouble) }
                }
            }
        }
        if let error = trouble.error, error.code != .cancelled { throw error }
    }

    /// Takes the budget in card order, so that an early shot never waits for room that a later one holds.
    private func feed(_ works: ShotFeed, into channel: AsyncChannel<ShotWork>, _ trouble: CancelToken) async {
        var sent = 0
        for await var work in works {
            upcoming?.began(work)
            await context.options.gate?.pass(or: stopping)
            let room = stopping.isSet || trouble.isSet ? nil : await room(for: work)
            var reason: IngestError?
            if case .failure(let error) = room { reason = error }
            // What no spool of this size holds waits for all of it; what comes after it may well fit into the rest.
            if let reason, stopping.isSet || work.bytesToRead <= budget.limit { trouble.set(reason) }
            if case .success = room, !trouble.isSet {
                work.index = sent
                sent += 1
                context.underWay.beginReading()
                if !work.followsOnly { await place.recent.began(work.key, work.index) }
                await channel.send(work)
            } else {
                if case .success = room { budget.give(work.bytesToRead) }
                upcoming?.ended(work)
                leaving(work, reason ?? trouble.error)
            }
        }
        channel.finish()
    }

    /// Waits for room in the spool; gives up when nothing moves any more: nothing is being read, and the targets are
    /// held or do not answer.
    private func room(for work: ShotWork) async -> Result<Void, IngestError> {
        if budget.hasRoom(for: work.bytesToRead) {
            return await Result { () async throws(IngestError) in try await budget.take(work.bytesToRead) }
        }
        let taking = Task { await Result { () async throws(IngestError) in try await budget.take(work.bytesToRead) } }
        let watching = Task {
            var wasStuck = false
            while !Task.isCancelled {
                await context.clock.sleep(for: .milliseconds(200))
                // Twice in a row: what was just delivered gives its room back a moment later.
                let isStuck = await isStuck(work)
                if stopping.isSet || isStuck && wasStuck { taking.cancel() }
                wasStuck = isStuck
            }
        }
        let result = await taking.value
        watching.cancel()
        guard case .failure = result, !stopping.isSet else { return result }
        let state =
            work.bytesToRead > budget.limit ? "this is larger than the spool, which is not empty," : "the spool is full"
        return .failure(IngestError(.cancelled, "\(state) and its targets take nothing"))
    }

    /// Where there is room, an earlier claim goes first: that one gets it, or gives up.
    private func isStuck(_ work: ShotWork) async -> Bool {
        guard let wait, !budget.hasRoom(for: work.bytesToRead), !context.underWay.isReading else { return false }
        // Those of other events hold the same spool.
        for one in context.schedulers.all { guard await one.scheduler.isStuck(wait) else { return false } }
        return await delivering.isStuck(wait)
    }

    private func process(_ work: ShotWork, _ orderedGate: OrderedGate, _ trouble: CancelToken) async {
        defer { upcoming?.ended(work) }
        var lead: Asset?, hasLeftGate = false, handed = HandedOn()
        do throws(IngestError) {
            let known = work.followsOnly ? await place.recent.lead(of: work.key, before: work.index) : nil
            let result = try await reader.read(work, lead: known) { await orderedGate.enter(work.index) }
            lead = result.lead
            await orderedGate.enter(work.index)
            let planned = await Result { () async throws(IngestError) in try await handOver(work, result, &handed) }
            await orderedGate.leave(work.index)
            hasLeftGate = true
            _ = try planned.get()
            for member in work.members { reader.stager.partialFiles.planned(member.entry.origin) }
            if let further, let again = await place.recent.again(after: work, result.passed, in: session) {
                further(again)
            }
        } catch {
            trouble.set(error)
            // A shot that has left the gate must not enter it again: nobody would ever let it in.
            if !hasLeftGate {
                await orderedGate.enter(work.index)
                await orderedGate.leave(work.index)
            }
            // What was settled or handed to the targets before gives its room back, and has its ending, by itself.
            budget.give(work.bytesToRead - min(work.bytesToRead, handed.bytes))
            leaving(work.without(handed.assets), error)
        }
        if !work.followsOnly { await place.recent.ended(work.key, work.index, lead: lead) }
        context.underWay.endReading()
    }

    /// A frame that a stage refused may be rated later; one that it refuses for its name is refused for good.
    private func noteRefused(_ asset: Asset) async {
        guard further != nil, !asset.kind.follows else { return }
        let isForGood = context.plan.stages.contains { $0.refusal(ofName: asset.origin.name, asset.kind) != nil }
        if !isForGood { await place.recent.note(refused: asset) }
    }

    /// Settles what needs no delivery, has the rest named, and submits it to the scheduler.
    ///
    /// In card order, one shot at a time.
    /// Names are chosen between `placing.take` and `placing.give`: no other source of the run chooses any meanwhile.
    private func handOver(
        _ work: ShotWork, _ result: ShotReader.Result, _ handed: inout HandedOn
    ) async throws(IngestError) {
        for failed in result.failed {
            handed.add(failed.asset)
            await settle(failed)
        }
        let other = try await otherEvent(of: result.lead)
        let handing = try await sort(result, other, &handed)
        try await inherit(result.unmarked)
        await context.placing.take()
        var done = handed
        let planned = await Result { () async throws(IngestError) in
            // Another event may have taken the same bytes since they were looked for.
            if other == nil, !context.otherEvents.isEmpty, let other = try await otherEvent(of: result.lead) {
                try await leave(handing, to: other, &done)
            } else {
                try await place(handing, work, result, &done)
            }
        }
        await context.placing.give()
        handed = done
        try planned.get()
    }

    /// What of a shot goes to targets, and the room that it took.
    private struct Handing {
        var deliver: [(asset: Asset, to: [String])] = [], budgets: [AssetID: UInt64] = [:]
    }

    /// Settles what needs no delivery.
    private func sort(
        _ result: ShotReader.Result, _ other: OtherEvent?, _ handed: inout HandedOn
    ) async throws(IngestError) -> Handing {
        var handing = Handing()
        for passed in result.passed {
            switch passed.decision {
            case .finish(let ending, let reason, let twin):
                handed.add(passed.asset)
                await settle(AssetResult(asset: passed.asset, ending: ending, reason: reason, twin: twin))
                if ending == .filtered { await noteRefused(passed.asset) }
            case .deliver(let targets):
                let isMade = passed.asset.flags.contains(AssetFlag.made)
                let left = try await left(passed.asset, to: other)
                switch left ?? refusal(passed.asset, lead: result.lead) {
                case nil:
                    handing.deliver.append((passed.asset, targets))
                    if !isMade { handing.budgets[passed.asset.id] = passed.asset.origin.size }
                case _? where isMade: passed.asset.file?.discard()
                case let ended?:
                    handed.add(passed.asset)
                    await settle(ended, of: other)
                }
            }
        }
        return handing
    }

    /// All of it stays with another event.
    private func leave(
        _ handing: Handing, to other: OtherEvent, _ handed: inout HandedOn
    ) async throws(IngestError) {
        for (asset, _) in handing.deliver {
            guard handing.budgets[asset.id] != nil, let ended = try await left(asset, to: other) else {
                asset.file?.discard()
                continue
            }
            handed.add(asset)
            await settle(ended, of: other)
        }
    }

    private func place(
        _ handing: Handing, _ work: ShotWork, _ result: ShotReader.Result, _ handed: inout HandedOn
    ) async throws(IngestError) {
        context.reservations.beginPlacing()
        var standing = result.passed.first?.standing ?? ShotStanding()
        standing.kinds = Set(work.members.map(\.entry.kind))
        let all = try await planner.place(
            handing.deliver, lead: result.lead, standing: standing, budget: handing.budgets)
        for planned in all where planned.awaitsRating { await noteRefused(planned.assetDeliveries.asset) }
        // What was made of a frame is written down before the frame is delivered: nobody would make it again
        // afterwards.
        for planned in all.filter(\.isMade) + all.filter({ !$0.isMade }) {
            context.underWay.begin(planned.assetDeliveries.asset, for: context.options.deliveryEvent)
            handed.add(planned.assetDeliveries.asset)
            await delivering.submit(planned)
        }
    }

    /// What a shot was taken for before; `name` is nil where it was taken without an event.
    private struct OtherEvent {
        var name: String?
        /// The primary of the shot.
        let lead: Asset?
    }

    /// The event that a shot was taken for before, where that is not the run's: it stays with that.
    ///
    /// The listing leaves out what is the same file; one that was moved, copied or touched is known by its bytes alone.
    /// A run without an event leaves what an event has, too, and holds only what is nobody's yet.
    private func otherEvent(of lead: Asset?) async throws(IngestError) -> OtherEvent? {
        guard context.leavesOtherEvents, let sha256 = lead?.digests?.sha256 else { return nil }
        // In this order: what is settled in between is in the ledger.
        let underWay = context.underWay.events(of: sha256)
        let assets = try await context.reader.assets(sha256: sha256)
        var events = underWay + assets.map(\.event)
        // New, as nearly every frame is.
        if events.isEmpty { return nil }
        // A file that was met again without an event has none, and its deliveries have theirs.
        let rows = try await context.reader.deliveries(of: ContentKey(sha256: sha256))
        events += rows.filter { $0.event != nil && $0.receipt.state != .excluded }.map(\.event)
        let own = context.options.deliveryEvent
        if events.contains(own) { return nil }
        let others = events.compactMap(\.self)
        if let event = others.first(where: { $0 != DeliveryRow.unassigned }) {
            return OtherEvent(name: event, lead: lead)
        }
        guard own != nil else { return nil }
        if let waiting = others.first { return OtherEvent(name: waiting, lead: lead) }
        // As in the listing: an import takes for its event what was taken for none.
        let isTaken = context.mode == .continuous && assets.contains(where: \.isTakenWithoutEvent)
        return isTaken ? OtherEvent(name: nil, lead: lead) : nil
    }

    /// Pictures that come after their shot was marked have its marks.
    private func inherit(_ unmarked: ShotReader.Unmarked?) async throws(IngestError) {
        guard let unmarked, let writer = context.writer else { return }
        try await writer.record(unmarked.sha256s.map { .marked($0, unmarked.mark) })
    }

    /// With what became of its bytes there; nil where the run's event is to have it.
    private func left(_ asset: Asset, to other: OtherEvent?) async throws(IngestError) -> AssetResult? {
        guard let other, let content = asset.content(beside: other.lead) else { return nil }
        var asset = asset
        let rows = try await context.reader.deliveries(of: content).filter { $0.event == other.name }
        for row in rows { asset.receipts[row.targetName] = row.receipt }
        // What was taken back waits for its event no more.
        let waits = rows.isEmpty || rows.contains { $0.receipt.state != .excluded }
        return context.left(asset, content, to: other.name == DeliveryRow.unassigned && !waits ? nil : other.name)
    }

    /// The row of a file whose bytes stay with another event: it is for the same targets as the files that these were
    /// taken from, also for those that a run which broke off had not begun.
    private func noteTargets(_ row: inout AssetRow, of settled: AssetResult, _ other: OtherEvent)
        async throws(IngestError)
    {
        guard let content = settled.asset.content(beside: other.lead) else { return }
        let deliveries = try await context.reader.deliveries(of: content).filter { $0.event == other.name }
        let rows = try await context.reader.assets(sha256: content.sha256)
            .filter { $0.content == content && $0.event == other.name }
        row.content = content
        let all = Set(deliveries.filter { $0.receipt.state != .excluded }.map(\.target)).union(rows.flatMap(\.wanted))
        row.wanted = all.sorted()
    }

    private func refusal(_ asset: Asset, lead: Asset?) -> AssetResult? {
        let facts = lead?.media ?? asset.media ?? MediaFacts()
        let profile = context.plan.profiles.resolve(
            make: facts.make, model: facts.model, serial: facts.serial, owner: facts.owner)
        return profile.refusal(of: asset.kind).map { AssetResult(asset: asset, ending: .filtered, reason: $0) }
    }

    /// An asset that ends without a delivery: recorded and told; its room is given back, its staged bytes are removed.
    ///
    /// What was set aside keeps its bytes.
    private func settle(_ settled: AssetResult, of other: OtherEvent? = nil) async {
        budget.give(settled.asset.origin.size)
        let isLeft = context.underWay.isLeft(settled.asset.origin)
        if settled.ending != .setAside || isLeft { settled.asset.file?.discard() }
        Companions.discard(settled.asset)
        // What an earlier run left waiting has its ending, and its row, from there.
        if isLeft {
            if settled.ending == .setAside { statistics.trouble(Self.unread(settled)) }
            return
        }
        // What waits for its event has its row; a second file of it would go on waiting once that is known.
        if let ledger = context.writer, other?.name != DeliveryRow.unassigned {
            var row = AssetRow(settled, run: context.run, at: context.clock.now.wall)
            row.event = if let other { other.name } else { context.options.event }
            let result = await Result { () async throws(IngestError) in
                if let other { try await noteTargets(&row, of: settled, other) }
                try await ledger.record([.asset(row)])
            }
            if case .failure(let error) = result { statistics.ledgerFailed(error) }
        }
        statistics.settle(settled)
    }

    /// Why it does not come to the targets that want it since.
    private static func unread(_ settled: AssetResult) -> IngestError {
        let (name, reason) = (settled.asset.origin.name, settled.reason ?? "it was set aside")
        return IngestError(
            .unreadable, "\(name) could not be read again: \(reason)",
            advice: "What waits of it is sent all the same; the targets that want it since do not get it now.")
    }
}

/// What of a shot is settled, or with the scheduler, which settles it.
///
/// If the rest of the shot fails, only what is not in here is told as not taken.
struct HandedOn: Sendable {
    private(set) var assets: Set<AssetID> = [], bytes: UInt64 = 0

    mutating func add(_ asset: Asset) {
        // What was made here took no room of its own.
        guard !asset.flags.contains(AssetFlag.made), assets.insert(asset.id).inserted else { return }
        bytes = bytes.addingClamped(asset.origin.size)
    }
}

extension AssetRow {
    /// The row of an asset that was settled without a delivery.
    init(_ settled: AssetResult, run: Int64, at: Int64) {
        let asset = settled.asset
        self.init(origin: asset.origin, run: run, kind: asset.kind, shot: asset.shot, at: at)
        if let digests = asset.digests { content = ContentKey(sha256: digests.sha256) }
        (digests, media, flags) = (asset.digests, asset.media, asset.flags)
        (ending, reason, twin) = (settled.ending, settled.reason, settled.twin)
    }
}

extension AssetRow {
    /// Older builds noted no event of what no target was to have.
    fileprivate var isTakenWithoutEvent: Bool {
        event == nil && content != nil && ending != .filtered && ending != .setAside
    }
}
