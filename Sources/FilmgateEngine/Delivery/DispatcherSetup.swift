import FilmgateCore

/// What a dispatcher works with.
struct DispatcherSetup: Sendable {
    var targets: [PlannedTarget]
    var ledger: any Ledger
    var hub: EventHub
    var tally: Tally
    var book: NameBook
    var budget: ByteBudget
    var run: Int64
    var event: String?
    var backoff = Backoff()
    var leases = DeliveryLeases()
}
