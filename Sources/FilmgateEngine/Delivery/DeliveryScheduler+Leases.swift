import FileKit
import FilmgateCore

/// Several schedulers in one process: a run, and the jobs that are handed to it.
extension DeliveryScheduler {
    /// Makes itself known to the others; once, before anything is submitted.
    nonisolated func introduce() {
        let holder = DeliveryLeases.Holder(
            tryNow: { [weak self] target in await self?.tryNow(target) },
            cede: { [weak self] old, new, heir in await self?.cede(old, to: new, of: heir) },
            cancel: { [weak self] id in await self?.cancel(id) ?? false })
        leases.introduce(number, holder)
    }

    /// Another scheduler has that delivery: what it comes to counts for this asset, too.
    func follow(_ delivery: Delivery) {
        reservations.releaseName(of: delivery)
        if followed[delivery.id] != nil { return followed[delivery.id]?.listeners.append(contentsOf: delivery.listeners) ?? () }
        followed[delivery.id] = delivery
        Task { await self.heard(delivery.id, await leases.outcome(of: delivery.id)) }
    }

    /// Another scheduler delivered it after the ledger had been asked.
    func wasDelivered(_ delivery: Delivery, _ assetDeliveries: inout AssetDeliveries) -> Bool {
        guard delivery.recheck == nil, var receipt = leases.delivered(delivery.id) else { return false }
        if !assetDeliveries.isRecorded { receipt.existed = true }
        assetDeliveries.receipts[delivery.id.target] = receipt
        return true
    }

    /// Bytes that others deliver, too, are not ours to move.
    func share(_ own: inout [Delivery], _ assetDeliveries: inout AssetDeliveries) {
        guard assetDeliveries.isRecorded, leases.isTaken(assetDeliveries.content, except: number) else { return }
        assetDeliveries.bytes.ownership = .delivered
        for index in own.indices where own[index].rendition == nil {
            own[index].job.mayTake = false
            deliveries[own[index].id]?.job.mayTake = false
        }
    }

    /// What waits and is not sent becomes somebody else's, under its event's identity; its asset waits for that.
    private func cede(_ old: Delivery.ID, to new: Delivery.ID, of heir: Int) {
        guard let delivery = deliveries[old], case .waiting = delivery.state, queues[old.target]?.remove(old) == true else { return }
        deliveries.drop(old)
        leases.pass(old, by: number, to: new, of: heir)
        let moved = delivery.under(new)
        for asset in delivery.listeners {
            guard var assetDeliveries = open[asset] else { continue }
            let bytes = assetDeliveries.bytes
            assetDeliveries.bytes.ownership = .delivered
            assetDeliveries.isRecorded = true
            if assetDeliveries.open.remove(old.target) != nil { assetDeliveries.open.insert(new.target) }
            assetDeliveries.otherNames[new.target] = delivery.target.name
            if old.target != new.target {
                assetDeliveries.wanted.removeAll { $0.identity == old.target }
                assetDeliveries.given.append(new.target)
            }
            assetDeliveries.hasDeliveries = assetDeliveries.wanted.contains {
                deliveries[Delivery.ID(content: old.content, target: $0.identity)] != nil
            }
            open[asset] = assetDeliveries
            // The other one has what the ledger names: the file that an earlier run kept, where there is one.
            if delivery.spooled != nil, bytes.isFleeting, !assetDeliveries.hasDeliveries { FileSystem.remove(bytes.path) }
        }
        follow(moved)
        report(old.target)
    }

    /// The other scheduler's delivery is final, or was given up.
    private func heard(_ id: Delivery.ID, _ answer: Receipt?) async {
        var receipt = answer
        if receipt == nil {
            let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: id.content) }
            receipt = (try? rows.get())?.first { $0.target == id.target && $0.receipt.state == .done }?.receipt
        }
        guard let delivery = followed.drop(id) else { return }
        lastProgress = ContinuousClock().now
        var finished: [AssetDeliveries] = []
        for asset in delivery.listeners {
            guard var assetDeliveries = open[asset] else { continue }
            assetDeliveries.open.remove(delivery.id.target)
            assetDeliveries.receipts[delivery.id.target] = receipt ?? Receipt(state: .pending, reason: "another job could not send it yet")
            // A file of its own with the same bytes: what it needs was there before it.
            if !assetDeliveries.isRecorded, receipt?.state == .done { assetDeliveries.receipts[delivery.id.target]?.existed = true }
            open[asset] = assetDeliveries
            if assetDeliveries.open.isEmpty, let last = open.drop(asset) { finished.append(last) }
        }
        unrecorded += 1
        let rows = finished.filter { !$0.isElsewhere }.flatMap(ended)
        if !rows.isEmpty { await record(rows) }
        unrecorded -= 1
        for assetDeliveries in finished { told(assetDeliveries) }
        wakeIfIdle()
    }
}
