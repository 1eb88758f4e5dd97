import FileKit
import FilmgateCore

/// Deliveries that somebody takes back while they wait here.
extension Dispatcher {
    /// Ends a delivery that waits, as filtered for its target; false when it is being sent, or not there any more.
    func cancel(_ id: Parcel.ID) async -> Bool {
        guard let parcel = parcels[id], case .waiting = parcel.state, withdraw(parcel) else { return false }
        unasked[parcel.shotKey]?.removeAll { $0 == id }
        for asset in parcel.listeners { keepLastCopy(of: asset, without: id.target) }
        await conclude(id, Receipt(state: .excluded, at: WallClock.nanoseconds, reason: DeliveryRow.cancelledReason))
        report(id.target)
        wakeIfIdle()
        return true
    }

    /// Out of its queue, or from among what waits until a folder has the bytes.
    private func withdraw(_ parcel: Parcel) -> Bool {
        if queues[parcel.id.target]?.remove(parcel.id) == true { return true }
        guard let owner = parcel.listeners.first, let index = open[owner]?.later.firstIndex(where: { $0.id == parcel.id }) else {
            return false
        }
        open[owner]?.later.remove(at: index)
        return true
    }

    /// Staged bytes that are nowhere else outlive the order: a frame is never lost because nobody wants it delivered.
    private func keepLastCopy(of id: AssetID, without target: String) {
        guard let consignment = open[id], consignment.bytes.ownership == .staged, consignment.open == [target],
            !consignment.receipts.values.contains(where: { $0.state == .done }), !Cancellation.isThere(consignment.asset.origin)
        else { return }
        open[id]?.bytes = kept(consignment.bytes)
        open[id]?.bytes.ownership = .delivered
    }
}
