import FilmgateCore
import Synchronization

/// Takes one place from its opening until nothing more comes from it, and comes back to it when it was lost.
final class PlaceSupervisor: Sendable {
    private let driver: any SourceDriver, place: SourcePlace, run: ContinuousRun
    /// Known once the place has been opened.
    private let progress = Mutex<VolumeProgress?>(nil)
    private var context: RunContext { run.context }

    init(_ driver: any SourceDriver, _ place: SourcePlace, _ run: ContinuousRun) {
        (self.driver, self.place, self.run) = (driver, place, run)
    }

    func keep() async {
        var (failures, isDone) = (0, false)
        while !context.stopping.isSet {
            let begun = context.clock.now.instant
            let result = await Result { () async throws(IngestError) in try await visit() }
            guard case .failure(let error) = result, !context.stopping.isSet else {
                if case .success = result { isDone = true }
                break
            }
            failures = context.clock.now.instant - begun > .seconds(60) ? 1 : failures + 1
            if failures == 1 { run.post(place, .lost(error)) }
            if isFinal(error) || run.once {
                context.statistics.trouble(error)
                break
            }
            guard await context.stopping.sleep(min(.seconds(30), .milliseconds(500) * (1 << min(failures - 1, 6)))) else { break }
        }
        run.post(place, .finished)
        // A volume that was lost may turn up elsewhere and give what it owes.
        guard isDone, let progress = progress.withLock({ $0 }) else { return }
        run.progressStore.ended(progress)
        progress.leave(context)
    }

    /// What no second try can mend, and what the source's own supervisor finds again.
    private func isFinal(_ error: IngestError) -> Bool {
        switch error.code {
        case .notFound, .rejected, .misconfigured, .stateLocked: return true
        case .unexpected:
            run.fail(error)
            return true
        default: return false
        }
    }

    /// One stay: returns when the place has given all it has, throws when it was lost.
    private func visit() async throws(IngestError) {
        if try isLeftOut() { return }
        // A camera is left alone while the run is paused; folders and ports are watched, or what comes there would be lost.
        if driver.traits.backlog != nil { await context.options.gate?.pass(or: context.stopping) }
        if context.stopping.isSet { return }
        let patience = run.once ? context.options.wait : nil
        try await context.visit(place, of: driver, patience: patience, untilTheEnd: true) { session throws(IngestError) in
            let progress = run.progressStore.progress(session)
            self.progress.withLock { $0 = progress }
            try await take(session, progress)
        }
    }

    private func isLeftOut() throws(IngestError) -> Bool {
        do throws(IngestError) {
            guard let left = try Overlap.remark(on: place, targets: context.plan.targets) else { return false }
            context.hub.post(.trouble(left))
            return true
        } catch {
            run.fail(error)
            throw error
        }
    }

    private func take(_ session: any SourceSession, _ progress: VolumeProgress) async throws(IngestError) {
        let (arrivals, feed) = AsyncStream<ShotWork>.makeStream()
        let (works, trees) = try await works(session, progress, then: arrivals)
        let watch = ArrivalWatch(session: session, context: context, feed: feed) { [run, place] in run.post(place, $0) }
        let reading = Task { [once = run.once] in
            let result = await Result { () async throws(IngestError) in once ? true : try await watch.run() }
            feed.finish()
            return result
        }
        let asking = run.once ? nil : Task { await ask(session) }
        defer { asking?.cancel() }
        let key = context.stopping.whenSet { reading.cancel() }
        var intake = context.forPlace(trees).intake(session)
        if !run.once { (intake.wait, intake.leaving, intake.further) = (nil, { Self.owe(progress, $0, $1) }, { feed.yield($0) }) }
        try await intake.take(works, trouble: FirstError { reading.cancel() })
        context.stopping.forget(key)
        if run.once || context.stopping.isSet { await leaveUnfinished(session) }
        let isComplete = try await reading.value.get()
        if !isComplete, !context.stopping.isSet { throw IngestError(.deviceGone, "\(place.label) no longer answers.") }
    }

    /// What the run ends without because it is not whole; when it was stopped, a source that hangs is not waited for.
    private func leaveUnfinished(_ session: any SourceSession) async {
        let limit = context.stopping.isSet ? CancelToken.grace : nil
        let found = await CancelToken(context.clock).answer(within: limit) { () async throws(IngestError) in await session.unfinished() }
        guard case .success(let left)? = found else { return }
        for (entry, reason) in left where !context.underWay.holds(entry.origin.id) { context.leave(entry, reason) }
    }

    /// The feed alone holds the listing, and lets it go.
    private func works(
        _ session: any SourceSession, _ progress: VolumeProgress, then arrivals: AsyncStream<ShotWork>
    ) async throws(IngestError) -> (ShotFeed, ClipTreeNames) {
        let listing = try await sorted(session, progress)
        return (ShotFeed(listing, then: arrivals), ClipTreeNames(listing))
    }

    /// What must be read of all that the place holds now; the rest is settled.
    private func sorted(_ session: any SourceSession, _ progress: VolumeProgress) async throws(IngestError) -> IntakeListing {
        let listing = try await list(session, progress)
        await context.settle(listing.settled.lazy.filter { one in progress.with { $0.told.insert(one.asset.id.hashValue).inserted } })
        return listing
    }

    /// Tells how the camera fares, for those who watch.
    private func ask(_ session: any SourceSession) async {
        var told: DeviceCondition?
        while !Task.isCancelled, let condition = await session.condition() {
            if condition != told { context.hub.post(.device(place, condition)) }
            told = condition
            await context.clock.sleep(for: .seconds(condition.isQuick ? 2 : 60))
        }
    }

    private func list(_ session: any SourceSession, _ progress: VolumeProgress) async throws(IngestError) -> IntakeListing {
        var entries = try await context.entries(of: session)
        let known = try await context.known(session)
        let all = entries.count
        if let backlog = driver.traits.backlog, !run.once {
            let rule = context.options.backlog ?? backlog
            var filter = progress.with { $0.backlog } ?? BacklogFilter(rule, session.volume, context)
            entries = try await filter.keep(entries, known: known)
            progress.with { $0.backlog = filter }
        }
        let left = all - entries.count
        entries.removeAll { context.underWay.holds($0.origin) }
        let listing = context.listing(entries, known: known)
        progress.with { state in for entry in entries { state.owed[entry.origin.id] = nil } }
        let bytes = listing.bytes,
            isFirst = progress.with { state in
                state.visits += 1
                return state.visits == 1
            }
        if isFirst { context.hub.post(.listed(place: place, entries: entries.count, bytes: bytes)) }
        run.post(place, .open(taking: listing.shotCount, leaving: left))
        return listing
    }

    /// Lost before it could be taken: it is taken when the place is back, and counted as pending when that never happens.
    private static func owe(_ progress: VolumeProgress, _ work: ShotWork, _ error: IngestError?) {
        progress.with { state in
            for member in work.members where !member.settled { state.owed[member.entry.origin.id] = (member.entry, error?.message) }
        }
    }
}
