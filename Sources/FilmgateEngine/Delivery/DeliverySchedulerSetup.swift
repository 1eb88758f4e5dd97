import FilmgateCore

/// What a scheduler works with: the arguments of its `init`, most of them with defaults for tests.
struct DeliverySchedulerSetup: Sendable {
    var targets: [PlannedTarget]
    var ledger: any Ledger
    var hub: EventHub
    var statistics: RunStatistics
    var reservations: NameReservations
    var budget: ByteBudget
    var run: Int64
    var event: String?
    var backoff = Backoff()
    var stages: [any Stage] = []
    var leases = DeliveryLeases()
    var terms = ClaimedAttempt.Terms()
    var clock: any RunClock = TimerQueue.shared
    /// The ledger knows of an asset before a folder takes it, too: else a crash in between leaves a copy of which
    /// nobody knows for whom it was.
    var recordsFirst = false
    /// Which of these files, all of the same bytes, still lie at their sources.
    var findOriginals: FindOriginals = { await OriginalCheck().originals(among: $0, $1) }

    typealias FindOriginals = @Sendable (_ assets: [Asset], _ sha256: String) async -> Set<AssetID>
}

extension DeliveryTable {
    init(_ setup: DeliverySchedulerSetup, at now: Moment) {
        self.init(setup.targets, run: setup.run, event: setup.event, backoff: setup.backoff, at: now)
        recordsFirst = setup.recordsFirst
    }
}
