import FileKit
import FilmgateCore

/// What the ledger has by now of deliveries that were planned, or heard of last, by an older answer.
///
/// A ledger that does not answer is as one that has nothing new.
struct LatestRows: Sendable {
    let ledger: any LedgerReader, reservations: NameReservations

    func rows(of content: ContentKey) async -> [DeliveryRow]? {
        try? await Result { () async throws(IngestError) in try await ledger.deliveries(of: content) }.get()
    }

    /// Nil where the target has not got it.
    func delivered(_ id: Delivery.ID) async -> Receipt? {
        await rows(of: id.content)?.first { $0.target == id.target && $0.receipt.state == .done }?.receipt
    }

    /// Takes over what has become final since these deliveries were planned.
    func adopt(_ deliveries: [Delivery], into asset: inout AssetDeliveries) async {
        guard let rows = await rows(of: asset.content) else { return }
        for delivery in deliveries where asset.receipts[delivery.id.target] == nil {
            guard let row = rows.first(where: { $0.target == delivery.id.target }) else { continue }
            let isConcluded = reservations.isConcluded(delivery.id) && ![.pending, .held].contains(row.receipt.state)
            guard isConcluded || delivery.isEnded(by: row) else { continue }
            if asset.isRecorded, !isConcluded {
                asset.receipts[row.target] = row.receipt
            } else {
                let twin = await twin(of: asset.content)
                asset.adopt(
                    row.receipt, at: row.target, twin: twin == asset.asset.origin.absolutePath ? nil : twin)
            }
        }
        // Whoever ended it, or still has another delivery of it, says what becomes of the bytes that the ledger names.
        if asset.isRecorded, deliveries.allSatisfy({ asset.receipts[$0.id.target] != nil }) {
            asset.bytes.ownership = .delivered
        }
    }

    private func twin(of content: ContentKey) async -> String? {
        try? await Result { () async throws(IngestError) in try await ledger.twin(of: content) }.get()
    }

    /// With what other jobs have done for it meanwhile: what they sent, or somebody took back, holds it up no longer.
    func refreshed(_ asset: AssetDeliveries) async -> AssetDeliveries {
        guard let rows = await rows(of: asset.content) else { return asset }
        var asset = asset
        for row in rows { asset.refresh(row) }
        return asset
    }

    /// With other bytes to send where its own are not in their place: those of other folders' copies, and of the source.
    ///
    /// Whoever sends them compares their digest.
    func substitutes(for delivery: Delivery) async -> [Delivery] {
        let file = delivery.job.file
        // A folder that was given the file itself may have it.
        let isTaken = delivery.mayHaveArrived && delivery.target.isLocal && delivery.job.mayTake
        if delivery.rendition != nil || isTaken || Self.isThere(file.path, file.size) { return [] }
        let rows = await rows(of: delivery.id.content) ?? [], origin = delivery.job.asset.origin
        var places = rows.filter { $0.receipt.state == .done && !$0.holdsRendition }.compactMap(\.receipt.path)
            .filter { $0 != file.path && Self.isThere($0, file.size) }
            .map { LocalFile(path: $0, size: file.size, ownership: .delivered) }
        if origin.root.hasPrefix("/"), origin.size == file.size, Cancellation.isThere(origin) {
            places.append(LocalFile(path: origin.absolutePath, size: file.size, ownership: .source))
        }
        return places.map { place in
            var substitute = delivery
            (substitute.job.file, substitute.job.mayTake) = (place, false)
            return substitute
        }
    }

    private static func isThere(_ path: String, _ size: UInt64) -> Bool { (try? FileFacts.of(path))?.size == size }
}
