import FilmgateCore

/// Gives what waited for an event to one, before any of it is sent.
///
/// A shot has one event, so all of it is given at once: nobody else gives a part of it to another one meanwhile, and a
/// process that is killed leaves none behind that another event could still be said of.
///
/// All that is given was looked up before: another job of this process may have given a frame to another event by now.
/// The first that was said counts, and whoever comes later is told which.
struct EventAssignment {
    /// Nil where nothing is given to any.
    private let event: String?
    private let ledger: any LedgerReader, leases: DeliveryLeases
    private let scheduler: any DeliverySink, statistics: RunStatistics

    init(
        _ event: String?, _ ledger: any LedgerReader, _ leases: DeliveryLeases, to scheduler: any DeliverySink,
        _ statistics: RunStatistics
    ) {
        (self.event, self.ledger, self.leases) = (event, ledger, leases)
        (self.scheduler, self.statistics) = (scheduler, statistics)
    }

    /// Those of `all` that are to be sent, once the ledger knows whose they are; the others are told as what still
    /// waits.
    func assigned(_ all: [NamePlanner.PlannedAsset]) async -> [NamePlanner.PlannedAsset] {
        guard let event, let scheduler = scheduler as? DeliveryScheduler else { return all }
        let said = leases.assign(Set(all.map(\.assetDeliveries.content)), to: event, by: scheduler.number)
        var mine: [NamePlanner.PlannedAsset] = [], refused: [ContentKey: String] = [:], seen: Set<ContentKey> = []
        var takenBack: [ContentKey: [DeliveryRow]] = [:]
        for var planned in all {
            let content = planned.assetDeliveries.content
            if seen.insert(content).inserted {
                if let other = said[content], other != event {
                    refused[content] = Self.given(to: other)
                } else {
                    refused[content] = await obstacle(&planned, event, by: scheduler.number, &takenBack)
                }
            }
            for row in takenBack[content] ?? [] { planned.leaveOut(row) }
            if let reason = refused[content] {
                statistics.settle(Self.result(planned, because: reason))
            } else {
                mine.append(planned)
            }
        }
        await scheduler.assign(mine)
        return mine
    }

    /// Why these bytes do not get the event, or nil; leaves out what another job has done of it meanwhile.
    ///
    /// `takenBack`: what somebody took back since it was looked up stays so.
    private func obstacle(
        _ planned: inout NamePlanner.PlannedAsset, _ event: String, by number: Int,
        _ takenBack: inout [ContentKey: [DeliveryRow]]
    ) async -> String? {
        let content = planned.assetDeliveries.content
        // Whoever said another one and has ended since has written that down.
        let read = await Result { () async throws(IngestError) in try await ledger.deliveries(of: content) }
        guard case .success(let rows) = read else {
            leases.unassign(content, by: number)
            if case .failure(let error) = read { statistics.trouble(error) }
            return "it could not be looked up which event it has"
        }
        takenBack[content] = rows.filter { row in
            row.isUnassigned && row.receipt.state == .excluded && DeliveryRow.isByHand(row.receipt.reason)
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
        let waits = Receipt(state: .pending, reason: reason)
        for one in planned.elsewhere { asset.receipts[one.row.target] = planned.deliveries.isEmpty ? waits : nil }
        for delivery in planned.deliveries { asset.receipts[delivery.id.target] = waits }
        return asset.result
    }
}

/// A delivery that was assigned, and whose target no pipeline at hand has.
struct UnreachableAssignment: Sendable {
    var row: DeliveryRow
    /// The target's identity before its event was known.
    var old: String
    var shotName: LedgerChange?

    var changes: [LedgerChange] { [.assigned(row, from: old)] + (shotName.map { [$0] } ?? []) }
}

extension NamePlanner.PlannedAsset {
    /// Somebody took it back while it waited for its event: it is not given to one, and not sent.
    mutating func leaveOut(_ row: DeliveryRow) {
        let heirs =
            deliveries.filter { $0.inherits?.target == row.target }.map(\.id.target)
            + elsewhere.filter { $0.old == row.target }.map(\.row.target)
        deliveries.removeAll { $0.inherits?.target == row.target }
        elsewhere.removeAll { $0.old == row.target }
        assetDeliveries.wanted.removeAll { $0.identity != row.target && heirs.contains($0.identity) }
        assetDeliveries.given.removeAll { heirs.contains($0) || $0 == row.target }
        if !assetDeliveries.wanted.contains(where: { $0.identity == row.target }) {
            assetDeliveries.given.append(row.target)
        }
        for heir in heirs where heir != row.target { assetDeliveries.receipts[heir] = nil }
        assetDeliveries.note(row)
    }

    /// As what its deliveries waited for their event, and as what they go on.
    var successions: [(old: Delivery.ID, new: Delivery.ID)] {
        let content = assetDeliveries.content
        func id(_ target: String) -> Delivery.ID { Delivery.ID(content: content, target: target) }
        return deliveries.compactMap { one in one.inherits.map { (old: $0, new: one.id) } }
            + elsewhere.map { (old: id($0.old), new: id($0.row.target)) }
    }

    /// That all of it belongs to its event from now on.
    var assigned: [LedgerChange] {
        deliveries.flatMap { $0.assigned(bytes: assetDeliveries.bytes) } + elsewhere.flatMap(\.changes)
    }
}
