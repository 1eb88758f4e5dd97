public import FilmgateCore

/// What a person is told of the catalogue, each once when it begins and once when it ends.
public enum CatalogNotice: Sendable, Hashable {
    /// Not reachable: the run goes on alone, and what that means for each shared target.
    case away(String, [AwayOutlook] = [])
    /// Reachable again, after so many seconds.
    case back(seconds: Int)
    /// What happened meanwhile is told: so many files, in so many seconds.
    ///
    /// `byOthers`: deliveries that were found since then to have been made by other stations.
    case caughtUp(files: Int64, seconds: Double, byOthers: Int)
    /// It refuses this station: nothing is told until a person has done something.
    case refused(String, advice: String?)
    /// It knows of changes that this ledger never told: the state directory was restored or copied.
    case ahead(known: Int64, told: Int64)
    /// It was set back, and is told the rest again.
    case setBack(had: Int64, has: Int64)
}

/// Tells a catalogue what happens here, beside a run and never in its way.
///
/// The ledger comes first: what is told is read from it, batch by batch, and a batch whose answer was lost is sent
/// again. Where the catalogue does not answer for 5 seconds, it is tried again after 5, then after up to 60; nothing of the
/// run waits for that, and no error of it is the run's.
public actor CatalogReporter {
    private let catalog: any Catalog, ledger: any StationLedger
    /// Claims are made in the same session.
    private let claims: StationClaims?
    private let gauges: CatalogGauges?
    private let tell: @Sendable (CatalogNotice) -> Void
    private let pace: ReportingPace
    private var limit: ReportingLimit
    private var session: CatalogSession?, known: Int64 = 0
    /// Up to where a report went whose answer has not come.
    private var telling: Int64?
    private var renewed = ContinuousClock.now, isDoubtful = false
    /// Since when it counts as away, so that nobody waits for it any more.
    private var lostAt: ContinuousClock.Instant?
    /// Until when nothing is told after that: many stations come back at one moment, and none is in a hurry.
    private var quietUntil: ContinuousClock.Instant?
    /// Since when, and from which file on, what happened while it was away is told.
    private var catchingUp: (since: ContinuousClock.Instant, told: Int64, others: Int)?
    /// What this station said of itself last, and until when that is not counted anew.
    private var counted: (status: String?, until: ContinuousClock.Instant)?
    /// What was said last, so that it is not said again.
    private var said: CatalogNotice?
    private var isStopping = false, sleeper: Task<Void, Never>?
    /// Something goes on that may take longer than the session lasts, and what waits beside it until that is renewed.
    private var isBusy = false, untilRenewal: Task<Void, Never>?
    private(set) var told: Int64 = 0

    public init(
        _ catalog: any Catalog, _ ledger: any StationLedger, claims: StationClaims? = nil, gauges: CatalogGauges? = nil,
        pace: ReportingPace = ReportingPace(), tell: @escaping @Sendable (CatalogNotice) -> Void
    ) {
        (self.catalog, self.ledger, self.claims, self.gauges, self.pace, self.tell) = (
            catalog, ledger, claims, gauges, pace, tell
        )
        limit = ReportingLimit(perSecond: pace.filesPerSecond, at: .now)
    }

    /// Goes on until `stop`, or until its task is cancelled, which breaks off a question under way.
    public func run() async {
        var failures = 0, firstFailure: ContinuousClock.Instant?
        await claims?.whenDoubtful { [weak self] in await self?.doubt() }
        while !Task.isCancelled, !isStopping {
            let pause: Duration, begun = ContinuousClock.now
            do throws(IngestError) {
                let all = try await step(isPaced: true)
                (failures, firstFailure) = (0, nil)
                pause = all ? pace.idle : limit.pause(at: .now)
            } catch {
                if error.code == .cancelled, Task.isCancelled { break }
                let since = firstFailure ?? begun
                firstFailure = since
                let isLost = await note(error, since: since)
                failures += isLost ? 1 : 0
                pause = isLost ? pace.pause(after: failures) : pace.again
            }
            if pause > .zero, !isStopping { await rest(pause) }
        }
    }

    /// Lets `run` return after the question under way: one that is broken off may have opened a session that nobody
    /// knows of.
    public func stop() {
        isStopping = true
        sleeper?.cancel()
    }

    /// Whoever asked in this session got no answer: whether it lasts still is found out at once.
    private func doubt() {
        isDoubtful = true
        sleeper?.cancel()
        untilRenewal?.cancel()
    }

    private func rest(_ pause: Duration) async {
        let task = Task { _ = try? await Task.sleep(for: pause) }
        sleeper = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        sleeper = nil
    }

    /// Tells what is left, for so long at most, and ends the session; whether all is told.
    public func finish(within time: Duration) async -> Bool {
        let begun = ContinuousClock.now, end = begun + time
        quietUntil = nil
        if let since = catchingUp?.since { catchingUp?.since = min(since, begun) }
        // Where it was away all the time, one more try would only hold up the end.
        var isAll = false, isSilent = false
        while lostAt == nil, !isAll, ContinuousClock.now < end {
            let result = await Result { () async throws(IngestError) in try await step() }
            guard case .success(let all) = result else {
                isSilent = true
                break
            }
            isAll = all
        }
        // What was given back while nobody could be told is told before the session ends.
        await claims?.stop()
        if let session, lostAt == nil, !isSilent { await leave(session) }
        session = nil
        await catalog.close()
        return isAll
    }

    /// Tells all that is left and ends the session; throws what the catalogue says where it cannot.
    ///
    /// `progress` hears after each report up to which change the catalogue knows this station.
    public func tellAll(_ progress: @Sendable (Int64) -> Void) async throws(IngestError) {
        let result = await Result { () async throws(IngestError) in try await tellRest(progress) }
        if let session { await leave(session) }
        session = nil
        await catalog.close()
        try result.get()
    }

    /// What it says last is what people read of it until it is back.
    private func leave(_ session: CatalogSession) async {
        if let status = await status(isNew: true) { _ = try? await catalog.renew(session.token, status: status) }
        try? await catalog.leave(session.token)
    }

    private func tellRest(_ progress: @Sendable (Int64) -> Void) async throws(IngestError) {
        var inVain = 0
        while inVain < Self.mostInVain {
            if Task.isCancelled { throw IngestError(.cancelled, "It was broken off.") }
            let before = known
            if try await step() { return }
            progress(known)
            inVain = known > before ? 0 : inVain + 1
        }
        throw IngestError(
            .protocolViolation, "\(catalog.place): the catalogue takes no report, and does not say why.",
            advice: "`filmgate catalog check` tries it.")
    }

    /// Steps without progress after which a catalogue is not believed to take anything.
    ///
    /// A session that was over and a catalogue that was set back take one each.
    private static let mostInVain = 5
    private static let strange = "this state directory has not joined"

    /// One batch; true when nothing is left.
    ///
    /// `isPaced`: none within the time that the last one's files may take, so that others are answered meanwhile.
    private func step(isPaced: Bool = false) async throws(IngestError) -> Bool {
        guard let open = try await opened() else {
            gauges?.note(isUp: false, trouble: Self.strange)
            await claims?.note(away: Self.strange)
            return true
        }
        if isDoubtful || ContinuousClock.now - renewed >= pace.renewal {
            guard try await renew(open, status: await status()) else {
                session = nil
                return false
            }
        }
        if let quietUntil, ContinuousClock.now < quietUntil { return true }
        if isPaced, limit.pause(at: .now) > .zero { return false }
        guard let report = try await next() else {
            caughtUp()
            return true
        }
        limit.count(max(report.sightings.count, report.contents.count), at: .now)
        let answer = try await keeping(open) { () async throws(IngestError) in
            try await catalog.tell(report, open.token)
        }
        guard let applied = answer else {
            session = nil
            return false
        }
        told += applied == report.upTo ? Int64(report.sightings.count) : 0
        if applied == report.upTo { gauges?.noteReport() }
        try await settle(applied, in: open)
        return false
    }

    /// Keeps the session; false where it is over, or another server has taken the place of the one that it was opened at.
    ///
    /// That one may not have what was granted last: in a new session all that is being sent is claimed anew.
    private func renew(_ open: CatalogSession, status: String?) async throws(IngestError) -> Bool {
        let now = ContinuousClock.now, before = (session ?? open).history
        guard let renewal = try await catalog.renew(open.token, status: status) else { return false }
        if let history = renewal.history, history != before {
            // The next process of this station does not go back behind that server, either, however this one ends.
            try await ledger.note(session: open.token, history: history)
            if before != nil { return false }
            session?.history = history
            if let session { gauges?.note(session) }
        }
        await reached(in: open, since: now)
        return true
    }

    /// Renews the session beside `body`: a report that the server is slow with, or lines for all that a ledger has, may
    /// take longer than it lasts, and others would be given what is being sent here.
    ///
    /// A renewal that is under way at the end is waited for: broken off, it would end the connection that claims are made
    /// over.
    private func keeping<Value: Sendable>(
        _ open: CatalogSession, _ body: () async throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        isBusy = true
        let beside = Task { await renewWhileBusy(open) }
        let result = await withTaskCancellationHandler {
            await Result { () async throws(IngestError) in try await body() }
        } onCancel: {
            beside.cancel()
        }
        isBusy = false
        untilRenewal?.cancel()
        await beside.value
        return try result.get()
    }

    private func renewWhileBusy(_ open: CatalogSession) async {
        var least = Duration.zero
        while isBusy, session?.token == open.token, !Task.isCancelled {
            let pause = max(least, pace.renewal - (.now - renewed))
            if pause > .zero, !isDoubtful || least > .zero {
                let task = Task { _ = try? await Task.sleep(for: pause) }
                untilRenewal = task
                await task.value
                untilRenewal = nil
                guard isBusy, !Task.isCancelled else { return }
            }
            let result = await Result { () async throws(IngestError) in try await renew(open, status: nil) }
            switch result {
            case .success(true): least = .zero
            case .success(false): session = nil
            // Whether it is away is for the next step to say.
            case .failure: (isDoubtful, least) = (true, pace.again)
            }
        }
    }

    private func caughtUp() {
        guard let begun = catchingUp.take() else { return }
        let files = told - begun.told, time = max(0, (ContinuousClock.now - begun.since).inSeconds)
        let others = (claims?.byOthers ?? 0) - begun.others
        if files > 0 { tell(.caughtUp(files: files, seconds: time, byOthers: others)) }
    }

    /// Nothing of it is needed for telling: where it cannot be read, nothing is said.
    ///
    /// Each open delivery is looked at for it. Where there are so many that this takes long, what was counted is said
    /// again for fifty times as long, up to a minute, unless it has to be new.
    private func status(isNew: Bool = false) async -> String? {
        let begun = ContinuousClock.now
        if !isNew, let counted, begun < counted.until { return counted.status }
        let found = await Result { () async throws(IngestError) in try await ledger.status() }
        let status = (try? found.get())?.json, now = ContinuousClock.now
        counted = (status, now + min((now - begun) * 50, .seconds(60)))
        return status
    }

    /// What is to be told now, which the ledger has noted.
    ///
    /// What may have arrived is told again as it was cut then: the catalogue can be at its end, and nowhere else.
    private func next() async throws(IngestError) -> StationReport? {
        if let telling, let report = try await ledger.untold(after: known, upTo: telling, limit: .max) {
            return report
        }
        guard let report = try await ledger.untold(after: known, upTo: nil, limit: pace.lines) else { return nil }
        try await ledger.note(telling: report.upTo)
        telling = report.upTo
        return report
    }

    /// The session, opened where there is none; nil where this station must not tell anything.
    private func opened() async throws(IngestError) -> CatalogSession? {
        if let session { return session }
        guard let standing = try await ledger.standing() else { return nil }
        let now = ContinuousClock.now
        let open = try await catalog.open(standing.membership, last: standing.session)
        try await ledger.note(session: open.token, history: open.history)
        (known, telling) = (standing.membership.applied, standing.telling)
        try await requireOwn(open.applied, in: open)
        session = open
        gauges?.note(open)
        await reached(in: open, since: now)
        try await settle(open.applied, in: open)
        // A session begins without one: a station that is killed right after would seem to have nothing left.
        if let status = await status(isNew: true) { _ = try? await catalog.renew(open.token, status: status) }
        return open
    }

    /// The catalogue knows what this ledger told, or less, or what it may have told: else somebody else has told it in
    /// this station's name, however many changes this one has made since.
    private func requireOwn(_ applied: Int64, in open: CatalogSession) async throws(IngestError) {
        if applied <= known || applied == telling { return }
        say(.ahead(known: applied, told: known))
        session = nil
        try? await catalog.leave(open.token)
        throw IngestError(
            .rejected, "The catalogue knows changes of this station that its ledger has not told.",
            advice: "If this state directory was restored or copied, `filmgate catalog join --as-new` takes the "
                + "identity for it.")
    }

    /// The session was opened or renewed by a request that went out at that moment.
    private func reached(in open: CatalogSession, since now: ContinuousClock.Instant) async {
        (renewed, isDoubtful) = (now, false)
        gauges?.note(isUp: true)
        if let lostAt {
            let quiet = pace.quiet(after: now - lostAt)
            quietUntil = now + quiet
            // What an earlier outage left untold is told with what this one did.
            if catchingUp == nil { catchingUp = (now + quiet, told, claims?.byOthers ?? 0) }
            say(.back(seconds: Int((now - lostAt).components.seconds)))
        }
        (lostAt, said) = (nil, nil)
        await claims?.note(session: open.token, since: now)
    }

    private func settle(_ applied: Int64, in open: CatalogSession) async throws(IngestError) {
        try await requireOwn(applied, in: open)
        if applied < known { say(.setBack(had: known, has: applied)) }
        try await keeping(open) { () async throws(IngestError) in try await ledger.acknowledge(applied) }
        if applied != known { telling = nil }
        known = applied
    }

    /// Whether the catalogue counts as lost.
    ///
    /// A session outlives a connection: where nobody answers it is renewed before a new one would end it, and with it
    /// what is claimed. A server or a pooler that starts anew is there again within seconds: stations that went on
    /// alone over that would send the same pictures side by side.
    private func note(_ error: IngestError, since: ContinuousClock.Instant) async -> Bool {
        gauges?.note(isUp: false, trouble: error.message)
        let isAway = [.unavailable, .network, .rateLimited, .untrusted, .protocolViolation].contains(error.code)
        if isAway { isDoubtful = true } else { session = nil }
        if session != nil, lostAt == nil, ContinuousClock.now - since < pace.patience { return false }
        lostAt = lostAt ?? since
        await claims?.note(away: error.message)
        await report(error)
        return true
    }

    /// Which targets are shared is known once the run has its plan, which takes a moment.
    private func outlook() async -> [AwayOutlook] {
        guard let claims else { return [] }
        for _ in 0..<20 where !claims.knowsTargets && !isStopping && !Task.isCancelled {
            _ = try? await Task.sleep(for: .milliseconds(50))
        }
        let open = await Result { () async throws(IngestError) in try await ledger.openTargets() }
        return claims.outlook(of: (try? open.get()) ?? [])
    }

    private func report(_ error: IngestError) async {
        if case .ahead? = said { return }
        switch error.code {
        case .unavailable, .network, .rateLimited, .untrusted, .cancelled, .protocolViolation:
            if case .away? = said { return }
            say(.away(error.message, await outlook()))
        default:
            if case .refused? = said { return }
            say(.refused(error.message, advice: error.advice))
        }
    }

    private func say(_ notice: CatalogNotice) {
        if case .ahead = notice, said == notice { return }
        if case .back = notice {} else { said = notice }
        tell(notice)
    }
}
