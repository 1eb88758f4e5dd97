public import FilmgateCore
import Synchronization

/// This station's claims at the catalogue: performs what `ClaimTable` says, in the session that the reporter keeps.
///
/// One for all runs and jobs of a process. Nothing here waits for longer than the catalogue's own limits.
public actor StationClaims {
    /// Nil where there is none that could be asked.
    let catalog: (any Catalog)?
    /// This station's name there.
    nonisolated let station: String
    nonisolated let whenAway: StationRule.WhenAway
    private nonisolated let refuse: @Sendable (SharedTargets.Refusal) -> Void
    private nonisolated let tell: @Sendable (ClaimNotice) -> Void
    private var notices = ClaimNotices()
    nonisolated let activity = StationActivity()
    private nonisolated let others = Mutex(0)
    private nonisolated let targets = Mutex(SharedTargets())
    private nonisolated let isKnown = Mutex(false)
    /// What earlier runs knew of shared targets; nil keeps nothing.
    private nonisolated let kept: KeptSharedTargets?
    let clock: any RunClock
    private var table: ClaimTable
    private var asker = 0, askers: [Int: CheckedContinuation<ClaimTable.Verdict, Never>] = [:]
    /// Of what is being sent now: whether it may still be begun, and the session in which it was granted.
    private var rights: [ClaimTable.Key: (right: SendRight, session: Int64?)] = [:]
    /// Claims that are being given back.
    private var releases: [Int: Task<Void, Never>] = [:], lastRelease = 0
    private var doubt: (@Sendable () async -> Void)?
    /// A copy into a folder waits no longer than that for the catalogue, nor does whoever asks about a card.
    static let patience = Duration.milliseconds(250)
    private static let late = "it has not answered in time"
    /// For whoever asks about cards.
    var presence = CatalogPresence()
    /// How many words came of the catalogue, and whether a copy has waited in vain since the last one.
    private var words = 0, isLate = false
    private let gauges: CatalogGauges?

    /// `refuse` hears of each target that cannot be shared, once; `tell` of stations that are waited for or lost.
    public init(
        _ catalog: any Catalog, station: String, whenAway: StationRule.WhenAway, gauges: CatalogGauges? = nil,
        kept: KeptSharedTargets? = nil, refuse: @escaping @Sendable (SharedTargets.Refusal) -> Void = { _ in },
        tell: @escaping @Sendable (ClaimNotice) -> Void = { _ in }
    ) {
        self.init(
            catalog, station: station, whenAway: whenAway, gauges: gauges, kept: kept, refuse: refuse, tell: tell,
            clock: TimerQueue.shared)
    }

    init(
        _ catalog: any Catalog, station: String, whenAway: StationRule.WhenAway = .deliver,
        gauges: CatalogGauges? = nil, kept: KeptSharedTargets? = nil,
        refuse: @escaping @Sendable (SharedTargets.Refusal) -> Void = { _ in },
        tell: @escaping @Sendable (ClaimNotice) -> Void = { _ in }, clock: any RunClock
    ) {
        (self.catalog, self.station, self.whenAway, self.refuse, self.clock) = (
            catalog, station, whenAway, refuse, clock
        )
        self.tell = tell
        (self.gauges, self.kept) = (gauges, kept)
        table = ClaimTable(at: clock.now.instant)
    }

    /// For a catalogue that is named and that nobody here can ask, as if it were away for good; why is in `absent`.
    public init(
        absent words: String, station: String, whenAway: StationRule.WhenAway, kept: KeptSharedTargets? = nil,
        refuse: @escaping @Sendable (SharedTargets.Refusal) -> Void = { _ in }
    ) {
        let now = TimerQueue.shared.now.instant
        var table = ClaimTable(at: now)
        _ = table.handle(.away(words), at: now)
        (self.station, self.whenAway, self.kept, self.refuse) = (station, whenAway, kept, refuse)
        (catalog, gauges, clock, tell, self.table) = (nil, nil, TimerQueue.shared, { _ in }, table)
    }

    // MARK: Targets

    /// What a plan knows of the targets that stations share; what an earlier one knew stays known.
    public nonisolated func add(_ shared: SharedTargets) {
        let new = targets.withLock { targets in
            defer { targets.add(shared) }
            return shared.refusals.filter { !targets.refusals.contains($0) }
        }
        kept?.note(shared)
        isKnown.withLock { $0 = true }
        new.forEach(refuse)
    }

    /// A plan has said which targets are shared: before that nothing can be told of deliveries.
    public nonisolated var knowsTargets: Bool { isKnown.withLock(\.self) }

    /// The report with what all stations call their shared targets, also those that only earlier plans had.
    public nonisolated func qualified(_ report: StationReport) -> StationReport {
        let known = targets.withLock(\.self)
        guard let kept, report.deliveries.contains(where: { !known.knows($0.target) }) else {
            return known.qualified(report)
        }
        var all = kept.read()
        all.renew(by: known)
        return all.qualified(report)
    }

    /// What has to be claimed before that is sent; nil where the target is this station's alone.
    nonisolated func wish(for delivery: Delivery) -> ClaimWish? {
        guard let common = targets.withLock({ $0.common(delivery.id.target) }) else { return nil }
        let traits = delivery.target.traits, canBeAsked = traits.localRoot != nil || traits.answersByDigest
        var wish = ClaimWish(
            content: delivery.id.content, target: common, targetName: delivery.target.name,
            canBeSettled: canBeAsked || traits.idempotent, canBeAsked: canBeAsked)
        wish.isKnown = delivery.mayHaveArrived
        return wish
    }

    /// Of the remote targets that this run's plan shares; a shared folder never waits for the catalogue.
    nonisolated func outlook(of open: [OpenTarget]) -> [AwayOutlook] {
        targets.withLock { $0.remotes(counting: open, mustHold: whenAway == .hold) }
    }

    // MARK: The session

    /// Who keeps the session looks whether it lasts still when it is asked to.
    func whenDoubtful(_ doubt: @escaping @Sendable () async -> Void) { self.doubt = doubt }

    /// It was opened or renewed by a request that went out at that moment.
    func note(session: Int64, since: ContinuousClock.Instant) {
        presence.note(session)
        handle(.session(session, since: since))
    }

    /// The catalogue does not answer, or refuses this station.
    func note(away words: String) {
        presence.note(nil)
        handle(.away(words))
    }

    /// How many deliveries other stations were found to have made, by the targets' own word.
    nonisolated var byOthers: Int { others.withLock(\.self) }
    nonisolated func countOther() { others.withLock { $0 += 1 } }

    /// A person is told of it, unless that was just now.
    func note(_ notice: ClaimNotice) {
        if notices.tells(notice, at: clock.now.instant) { tell(notice) }
    }

    /// Why the catalogue cannot be asked now, as it was said last; nil while it answers, and before anybody asked.
    public var trouble: String? { table.trouble }

    // MARK: Claims

    /// Asks for the right to deliver; waits for the catalogue's word, or until nobody can expect one.
    ///
    /// In a cancelled task, as if the catalogue were away, and so for a folder where no answer comes within a moment: no
    /// copy waits for it. What is granted is said to be over with `ended`.
    func claim(_ wish: ClaimWish) async -> ClaimTable.Verdict { await claim(wish, isReserving: false) }

    /// The same, to keep others from what this station will send when its turn comes; given back at the end where it
    /// never did.
    func reserve(_ wish: ClaimWish) async -> ClaimTable.Verdict { await claim(wish, isReserving: true) }

    private func claim(_ wish: ClaimWish, isReserving: Bool) async -> ClaimTable.Verdict {
        let isCopy = targets.withLock { $0.isFolder(wish.target) }
        if isCopy, isLate { return .away(Self.late) }
        asker += 1
        let mine = asker, words = words
        let limit = isCopy ? clock.set(after: Self.patience) { Task { await self.giveUp(mine, since: words) } } : nil
        defer { if let limit { clock.forget(limit) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                askers[mine] = continuation
                if Task.isCancelled {
                    withdraw(mine)
                } else {
                    handle(.wanted(wish, asker: mine, isReserving: isReserving))
                }
            }
        } onCancel: {
            Task { await self.withdraw(mine) }
        }
    }

    private func withdraw(_ asker: Int, because words: String = "the run is over") {
        guard let continuation = askers.removeValue(forKey: asker) else { return }
        handle(.withdrawn(asker: asker))
        continuation.resume(returning: .away(words))
    }

    /// Those that come next do not wait, either, until the catalogue is heard.
    private func giveUp(_ asker: Int, since earlier: Int) {
        guard askers[asker] != nil else { return }
        isLate = words == earlier
        withdraw(asker, because: Self.late)
    }

    /// Before the target is asked: what was granted may be begun for as long as that session is known to last.
    func right(to wish: ClaimWish) -> SendRight {
        let key = ClaimTable.Key(wish), session = table.session(of: key), clock = clock
        let right = SendRight(until: table.end(of: key, in: session)) { clock.now.instant }
        rights[key] = (right, session)
        return right
    }

    func ended(_ wish: ClaimWish, isDone: Bool, mayHaveArrived: Bool = true) {
        rights[ClaimTable.Key(wish)] = nil
        handle(.ended(wish, isDone: isDone, mayHaveArrived: mayHaveArrived))
    }

    /// It cannot be sent from here now: another station may, where nothing is in doubt.
    func letGo(of wish: ClaimWish) { handle(.dropped(wish.content, target: wish.target)) }

    /// The same of all that is claimed for the target of that identity and not being sent.
    nonisolated func letGo(at target: String) {
        guard let common = targets.withLock({ $0.common(target) }) else { return }
        Task { await self.handle(.heldUp(target: common)) }
    }

    /// Nothing is tried with these any more at this station: what it had claimed of them is free.
    nonisolated func drop(_ deliveries: [Delivery.ID]) {
        let keys = deliveries.compactMap { id in targets.withLock { $0.common(id.target) }.map { (id.content, $0) } }
        if !keys.isEmpty {
            Task { for (content, target) in keys { await self.handle(.dropped(content, target: target)) } }
        }
    }

    /// Gives back what was claimed and not delivered; before the session ends.
    public func stop() async {
        handle(.stopped)
        while let release = releases.values.first { await release.value }
    }

    // MARK: Actions

    private func handle(_ event: ClaimTable.Event) {
        switch event {
        case .answered, .session, .away: (words, isLate) = (words + 1, false)
        default: break
        }
        let actions = table.handle(event, at: clock.now.instant)
        for (key, one) in rights { one.right.set(until: table.end(of: key, in: one.session)) }
        for action in actions { perform(action) }
        gauges?.note(claims: table.held)
    }

    private func perform(_ action: ClaimTable.Action) {
        switch action {
        case .gather(let time): _ = clock.set(after: time) { [weak self] in Task { await self?.handle(.gathered) } }
        case .ask(let wishes, let session, let question):
            guard let catalog else { return }
            // What is given back and wanted again is first given back: else a claim that was granted would end with it.
            let earlier = Array(releases.values)
            Task { [catalog] in
                for release in earlier { await release.value }
                let asked = clock.now.instant
                let result = await Result { () async throws(IngestError) in try await catalog.claim(wishes, session) }
                if case .success(let answers) = result { gauges?.note(answers, after: clock.now.instant - asked) }
                handle(.answered(question: question, result))
            }
        case .tell(let asker, let verdict): askers.removeValue(forKey: asker)?.resume(returning: verdict)
        case .release(let wishes, let session):
            guard let catalog else { return }
            lastRelease += 1
            let number = lastRelease
            releases[number] = Task { [catalog] in
                // Where that fails they are free when the session is over.
                _ = await Result { () async throws(IngestError) in try await catalog.release(wishes, session) }
                releases[number] = nil
            }
        case .lost(let key): rights[key]?.right.lose()
        case .doubt:
            // Where nobody keeps the session, nobody would ever say whether it lasts.
            if let doubt { Task { await doubt() } } else { handle(.away("The catalogue does not answer.")) }
        }
    }
}
