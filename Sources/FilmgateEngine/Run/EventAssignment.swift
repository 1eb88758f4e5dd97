import FilmgateCore

/// Submits what waited; where that is given to an event, to one event only.
///
/// All that is submitted was looked up before: meanwhile another job of this process may have given a frame to another
/// event. The first that was said counts, and whoever comes later is told which.
struct EventAssignment {
    /// Nil where nothing is given to any.
    private let event: String?
    private let ledger: any LedgerReader, leases: DeliveryLeases
    private let scheduler: any DeliverySink, statistics: RunStatistics
    /// Contents that were asked about: those that have the event now, and why others do not get it.
    private var assigned: Set<ContentKey> = [], refused: [ContentKey: String] = [:]

    init(
        _ event: String?, _ ledger: any LedgerReader, _ leases: DeliveryLeases, to scheduler: any DeliverySink,
        _ statistics: RunStatistics
    ) {
        (self.event, self.ledger, self.leases) = (event, ledger, leases)
        (self.scheduler, self.statistics) = (scheduler, statistics)
    }

    mutating func submit(_ planned: NamePlanner.PlannedAsset) async {
        var now = planned
        if let event, let scheduler = scheduler as? DeliveryScheduler {
            let content = planned.assetDeliveries.content
            if !assigned.contains(content), refused[content] == nil {
                refused[content] = await assign(&now, to: event, by: scheduler.number)
                if refused[content] == nil { assigned.insert(content) }
            }
            if let reason = refused[content] { return statistics.settle(Self.result(planned, because: reason)) }
            await scheduler.note(now.elsewhere)
        }
        await scheduler.submit(now.assetDeliveries, deliveries: now.deliveries)
    }

    /// Why these bytes do not get the event, or nil; leaves out what another job has done of it meanwhile.
    private func assign(
        _ planned: inout NamePlanner.PlannedAsset, to event: String, by number: Int
    ) async -> String? {
        let content = planned.assetDeliveries.content, said = leases.assign(content, to: event, by: number)
        if said != event { return Self.given(to: said) }
        // Whoever said another one and has ended since has written that down.
        let read = await Result { () async throws(IngestError) in try await ledger.deliveries(of: content) }
        guard case .success(let rows) = read else {
            leases.unassign(content, by: number)
            if case .failure(let error) = read { statistics.trouble(error) }
            return "it could not be looked up which event it has"
        }
        let waiting = Set(rows.filter(\.isUnassigned).map(\.target))
        planned.elsewhere.removeAll { !waiting.contains($0.old) }
        let gone = planned.deliveries.compactMap { $0.inherits?.target }.filter { !waiting.contains($0) }
        if gone.isEmpty { return nil }
        let heirs = rows.filter { row in
            row.event != nil && !row.isUnassigned
                && gone.contains { row.target == $0 || row.target.hasPrefix($0 + ":") }
        }
        guard heirs.contains(where: { $0.event == event }) else {
            leases.unassign(content, by: number)
            return heirs.first?.event.map(Self.given) ?? "it does not wait for an event any more"
        }
        // The same event was said twice: what is there by now is not sent again.
        let mine = Set(planned.deliveries.map(\.id.target))
        let done = heirs.filter { $0.receipt.state == .done && mine.contains($0.target) }
        for row in done { planned.assetDeliveries.note(row) }
        // The bytes are whoever's to remove that sent them.
        if done.count == mine.count { planned.assetDeliveries.bytes.ownership = .delivered }
        return nil
    }

    private static func given(to event: String) -> String { "already given to \(event)" }

    /// It is told as what still waits: nothing was done for it here, and the ledger says where it goes.
    private static func result(_ planned: NamePlanner.PlannedAsset, because reason: String) -> AssetResult {
        var asset = planned.assetDeliveries
        asset.event = nil
        for one in planned.elsewhere { asset.receipts[one.row.target] = nil }
        for delivery in planned.deliveries {
            asset.receipts[delivery.id.target] = Receipt(state: .pending, reason: reason)
        }
        return asset.result
    }
}
