import FilmgateCore

/// Takes one place from its opening until nothing more comes from it, and comes again where it was lost, or may be
/// ready later.
struct PlaceSupervisor: Sendable {
    let driver: any SourceDriver
    let place: SourcePlace
    let run: RunContext

    /// How far it got, over all visits.
    private struct Course {
        /// Known once the place has been opened.
        var progress: VolumeProgress?
        /// All that the place holds is known.
        var isListed = false
        var failures = 0
        /// What other stations told of the card; nil where nobody asks.
        var inquiry: CardInquiry?
    }

    /// Visits the place until it has given all it has, cannot be come back to, or the run ends.
    func keep() async {
        var course = Course(), isDone = false
        while !run.stopping.isSet {
            let begun = run.clock.now.instant
            let result = await Result { () async throws(IngestError) in try await visit(&course) }
            guard case .failure(let error) = result else {
                isDone = true
                break
            }
            guard await comesAgain(after: error, since: begun, &course) else { break }
        }
        await course.inquiry?.end(run.stopping)
        run.tell(place, .finished)
        // A volume that was lost may turn up elsewhere and give what it owes.
        guard isDone, let progress = course.progress else { return }
        run.places.ended(progress)
        progress.leave(run)
    }

    /// Returns when it is time for another visit; false where none helps, or the run ends before.
    private func comesAgain(
        after error: IngestError, since begun: ContinuousClock.Instant, _ course: inout Course
    ) async -> Bool {
        if run.mode.ends {
            if isCamera, !course.isListed, await run.readiness.mayPass(error) { return true }
            if error.code != .cancelled || !run.stopping.isSet { run.statistics.trouble(error) }
            return false
        }
        if run.stopping.isSet { return false }
        course.failures = run.clock.now.instant - begun > .seconds(60) ? 1 : course.failures + 1
        if course.failures == 1 { run.tell(place, .lost(error)) }
        if isFinal(error) {
            run.statistics.trouble(error)
            return false
        }
        return await run.stopping.sleep(min(.seconds(30), .milliseconds(500) * (1 << min(course.failures - 1, 6))))
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

    /// Cameras are switched on and off, and are busy.
    private var isCamera: Bool { PlaceSearch.comesAndGoes(driver) }

    /// One visit: returns when the place has given all it has, throws when it was lost.
    private func visit(_ course: inout Course) async throws(IngestError) {
        // A camera is left alone while the run is paused; folders and ports are watched, or what comes there would be
        // lost.
        if isCamera { await run.options.gate?.pass(or: run.stopping) }
        if run.stopping.isSet { return }
        try await run.visit(place, of: driver) { session throws(IngestError) in
            let progress = run.places.progress(session), copies = run.mode == .once ? ReadCopies() : nil
            course.progress = progress
            let search = copies.map { _ in Task { await run.searchCopies(of: session) } }
            defer { search?.cancel() }
            try await take(session, progress, copies, &course)
            // Last: the folder of a target that hangs must not keep the card from being read.
            guard let copies, let found = await search?.value else { return }
            found.look(afterDelivery: copies.take())
            run.statistics.note(removed: found.found)
        }
    }

    /// Lists the place and takes what it holds to the targets; in a run without an end also what comes then.
    private func take(
        _ session: any SourceSession, _ progress: VolumeProgress, _ copies: ReadCopies?, _ course: inout Course
    ) async throws(IngestError) {
        let (arrivals, feed) = AsyncStream<ShotWork>.makeStream()
        let (works, trees) = try await works(session, progress, &course, then: arrivals)
        let upcoming = run.options.upcoming?.begin(session, works, gate: run.options.gate)
        defer { if let upcoming { run.options.upcoming?.end(upcoming) } }
        let condition = WakeSignal()
        let watch =
            run.mode.ends
            ? nil
            : ArrivalWatch(session: session, run: run, feed: feed, condition: condition, upcoming: upcoming)
        let reading = Task {
            let result = await Result { () async throws(IngestError) in try await watch?.listen() ?? true }
            feed.finish()
            return result
        }
        let asking = run.mode.ends ? nil : Task { await ask(session, condition) }
        defer { asking?.cancel() }
        let key = run.stopping.whenSet { reading.cancel() }
        defer { run.stopping.forget(key) }
        var intake = PlaceContext(run: run, session: session, trees: trees, copies: copies).intake()
        intake.upcoming = upcoming
        if !run.mode.ends {
            (intake.wait, intake.leaving, intake.further) = (nil, { progress.owe($0, $1) }, { feed.yield($0) })
        }
        let trouble = CancelToken(run.clock)
        _ = trouble.whenSet { reading.cancel() }
        if let works { try await intake.take(works, trouble: trouble) }
        if run.mode.ends || run.stopping.isSet { await leaveUnfinished(session) }
        let isComplete = try await reading.value.get()
        if !isComplete, !run.stopping.isSet { throw IngestError(.deviceGone, "\(place.label) no longer answers.") }
    }

    /// The feed alone holds the listing, and lets it go; nil where nothing of it is to be read.
    private func works(
        _ session: any SourceSession, _ progress: VolumeProgress, _ course: inout Course,
        then arrivals: AsyncStream<ShotWork>
    ) async throws(IngestError) -> (ShotFeed?, ClipTreeNames) {
        let listing = try await list(session, progress, &course)
        await run.settle(
            listing.settled.lazy.filter { run.mode.ends || progress.tells(of: $0.asset.id) }, of: session)
        let isTold = await run.tellOnly(listing, of: session)
        return (isTold ? nil : ShotFeed(listing, then: arrivals), ClipTreeNames(listing))
    }

    /// All that the place holds now.
    private func list(
        _ session: any SourceSession, _ progress: VolumeProgress, _ course: inout Course
    ) async throws(IngestError) -> IntakeListing {
        let moving = run.underWay.all
        // The ledger is asked while the place is listed: for a full card each takes its time, and neither needs the
        // other.
        async let asked = Result { () async throws(IngestError) in try await run.known(session) }
        var entries = try await run.entries(of: session, readiness: isCamera ? run.readiness : nil)
        course.isListed = true
        if run.mode.ends, let lost = try await run.lostCard(session, entries) { run.statistics.trouble(lost) }
        let all = entries.count, remembered = try await asked.get(), known = run.recognises ? remembered : []
        if let backlog = driver.traits.backlog, !run.mode.ends {
            var filter =
                progress.with { $0.backlog } ?? BacklogFilter(run.options.backlog ?? backlog, session.volume, run)
            entries = try await filter.keep(entries, known: known)
            progress.with { $0.backlog = filter }
        }
        let left = all - entries.count
        var others: [String?: Int] = [:]
        if run.leavesOtherEvents {
            let taken = leaveOtherEvents(&entries, remembered, &others)
            if run.mode.ends { await run.settle(taken, of: session) }
        }
        // What was on its way when the ledger was asked has its ending from there, whatever the ledger said.
        let waiting = run.mode.isSideBySide ? run.underWay.takeOut(of: &entries, or: moving) : [:]
        run.statistics.expectAgain(waiting.keys) { run.underWay.holds($0) }
        let listing = run.listing(entries, known: known, left: waiting)
        if progress.begin(entries) {
            run.hub.post(.listed(place: place, entries: entries.count, bytes: listing.bytes))
            course.inquiry = CardInquiry(place, session.volume, entries, run)
        }
        run.tell(place, .open(taking: listing.shotCount, leaving: left, others: others))
        return listing
    }

    private func leaveOtherEvents(
        _ entries: inout [SourceEntry], _ known: [KnownFile], _ counts: inout [String?: Int]
    ) -> [AssetResult] {
        let event = run.options.event
        let others = known.filter { file in
            guard file.hasContent else { return false }
            // What waits for its event is nobody's yet.
            if file.event == DeliveryRow.unassigned { return event != nil }
            // Older builds noted no event of what no target was to have.
            if file.event == nil, run.mode != .continuous || file.ending == .filtered || file.ending == .setAside {
                return false
            }
            return file.event != event
        }
        if others.isEmpty { return [] }
        let taken = Recognition(others, hourShift: false)
        var left: [AssetResult] = []
        entries.removeAll { entry in
            guard let file = taken.find(entry.origin) else { return false }
            let asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
            // What was taken back waits for its event no more: `assign` would not find it.
            let event = file.event == DeliveryRow.unassigned && !file.isUnfinished ? nil : file.event
            left.append(run.left(asset, file.content, to: event))
            counts[event, default: 0] += 1
            return true
        }
        return left
    }

    /// What the run ends without because it is not whole; when it was stopped, a source that hangs is not waited for.
    private func leaveUnfinished(_ session: any SourceSession) async {
        guard let session = session as? any ReceivingSession else { return }
        let limit = run.stopping.isSet ? CancelToken.grace : nil
        let found = await CancelToken(run.clock).answer(within: limit) { () async throws(IngestError) in
            await session.unfinished()
        }
        guard case .success(let left)? = found else { return }
        for (entry, reason) in left where !run.underWay.holds(entry.origin.id) { run.leave(entry, reason) }
    }

    /// Tells how the camera fares, for those who watch.
    private func ask(_ session: any SourceSession, _ changed: WakeSignal) async {
        guard let session = session as? any ConditionReportingSession else { return }
        var told: DeviceCondition?
        while !Task.isCancelled, !run.stopping.isSet {
            let condition = await session.condition()
            if condition != told { run.hub.post(.device(place, condition)) }
            told = condition
            await changed.wait(atMost: .seconds(condition.isQuick ? 2 : 60), or: run.stopping)
        }
    }
}

extension KnownFile {
    /// Something of it waits still.
    fileprivate var isUnfinished: Bool { ending == nil || ending == .pending }
}
