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
}
