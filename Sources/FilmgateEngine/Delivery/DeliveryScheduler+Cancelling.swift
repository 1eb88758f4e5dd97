import FileKit
import FilmgateCore

/// Deliveries that somebody takes back while they wait here.
extension DeliveryScheduler {
    /// Ends a delivery that waits, as filtered for its target; false when it is being sent, or not there any more.
    func cancel(_ id: Delivery.ID) async -> Bool {
        guard let delivery = deliveries[id], case .waiting = delivery.state, withdraw(delivery) else { return false }
        unasked[delivery.shotKey]?.removeAll { $0 == id }
        for asset in delivery.listeners { keepLastCopy(of: asset, without: id.target) }
        await conclude(id, Receipt(state: .excluded, at: WallClock.nanoseconds, reason: DeliveryRow.cancelledReason))
        report(id.target)
        wakeIfIdle()
        return true
    }

    /// Out of its queue, or from among what waits until a folder has the bytes.
    private func withdraw(_ delivery: Delivery) -> Bool {
        if queues[delivery.id.target]?.remove(delivery.id) == true { return true }
        guard let owner = delivery.listeners.first, let index = open[owner]?.later.firstIndex(where: { $0.id == delivery.id }) else {
            return false
        }
        open[owner]?.later.remove(at: index)
        return true
    }

    /// Staged bytes that are nowhere else outlive the order: a frame is never lost because nobody wants it delivered.
    private func keepLastCopy(of id: AssetID, without target: String) {
        guard let assetDeliveries = open[id], assetDeliveries.bytes.ownership == .staged, assetDeliveries.open == [target],
            !assetDeliveries.receipts.values.contains(where: { $0.state == .done }), !Cancellation.isThere(assetDeliveries.asset.origin)
        else { return }
        open[id]?.bytes = kept(assetDeliveries.bytes)
        open[id]?.bytes.ownership = .delivered
    }
}
