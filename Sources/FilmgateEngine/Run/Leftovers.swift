import FileKit
import FilmgateCore

/// What earlier runs left waiting for an event, and whose bytes are at hand: it goes first; the rest is read from its
/// source again.
struct Leftovers: Sendable {
    private let context: RunContext, leases: DeliveryLeases
    /// Where staged bytes may lie.
    private let staging: [String]

    /// `plan`: the run's own.
    init(_ context: RunContext, beside plan: Plan, _ leases: DeliveryLeases) {
        (self.context, self.leases) = (context, leases)
        staging = context.options.stagingFolders(plan.targets + context.plan.targets)
    }

    /// With `rows`, those of these only.
    func found(among rows: [QueuedDelivery]? = nil) async throws(IngestError) -> [NamePlanner.PlannedAsset] {
        guard context.writer != nil else { return [] }
        let plan = context.plan, states: Set<Receipt.State> = [.pending, .held]
        var rows = rows
        if context.options.deliveryEvent == DeliveryRow.unassigned {
            // A run that holds what has no event would hold these, too, and hide them from whoever sends them.
            if rows == nil { rows = try await context.reader.queue(states) }
            rows?.removeAll { $0.delivery.event != nil }
        }
        return try await PendingDeliveries(
            ledger: context.reader, targets: plan.targets, event: context.options.event, gated: plan.gated,
            station: plan.station, staging: staging
        ).planned(states, only: nil, among: rows)
    }

    func submit(_ all: [NamePlanner.PlannedAsset], to scheduler: any DeliverySink) async {
        for var planned in all {
            let asset = planned.assetDeliveries.id, isHeld = context.underWay.holds(asset)
            guard isFree(planned.assetDeliveries.content, isHeld: isHeld, for: scheduler) else { continue }
            var targets = Set(planned.deliveries.map(\.id.target))
            planned.deliveries.removeAll { leases.isTaken($0.id) }
            if planned.deliveries.isEmpty { continue }
            await leaveOutEnded(&planned)
            let bytes = planned.assetDeliveries.bytes.found
            // What cannot be looked at stays where it is, and waits: its disk may be away, and others are not.
            if (try? FileFacts.of(bytes.path))?.size != bytes.size {
                for one in planned.deliveries where one.rendition == nil { targets.remove(one.id.target) }
                planned.deliveries.removeAll { $0.rendition == nil }
            } else if isHeld, bytes.ownership == .staged {
                planned.assetDeliveries.bytes.ownership = .delivered
            } else if bytes.ownership == .staged, !planned.deliveries.isEmpty {
                context.budget.occupy(bytes.size)
                planned.assetDeliveries.budget = bytes.size
            }
            if planned.deliveries.isEmpty { continue }
            context.underWay.begin(asset, left: targets)
            await scheduler.submit(planned)
        }
    }

    /// Nobody else has these bytes to deliver.
    ///
    /// Where this run has them for some targets already, by the same file, what waits for others joins that.
    private func isFree(_ content: ContentKey, isHeld: Bool, for scheduler: any DeliverySink) -> Bool {
        guard isHeld else { return !leases.isTaken(content) }
        let number = (scheduler as? DeliveryScheduler)?.number
        return leases.isTaken(content) && !leases.isTaken(content, except: number)
    }

    /// What has ended since it was looked up is counted where it ended, and not once more.
    private func leaveOutEnded(_ planned: inout NamePlanner.PlannedAsset) async {
        let content = planned.assetDeliveries.content
        guard leases.lastEnding(of: content) != nil else { return }
        let latest = LatestRows(ledger: context.reader, reservations: context.reservations)
        for row in await latest.rows(of: content) ?? [] {
            guard
                let index = planned.deliveries.firstIndex(where: { $0.id.target == row.target && $0.isEnded(by: row) })
            else { continue }
            planned.deliveries.remove(at: index)
            planned.assetDeliveries.note(row)
        }
    }
}
