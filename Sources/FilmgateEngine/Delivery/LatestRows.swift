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

    /// `deliveries` as marks say now; as they are where none goes by marks, or the ledger does not answer.
    func judged(_ deliveries: [Delivery]) async -> [Delivery] {
        let sha256s = Set(deliveries.compactMap(\.gate?.sha256))
        if sha256s.isEmpty { return deliveries }
        let read = await Result { () async throws(IngestError) in try await ledger.marks(of: Array(sha256s)) }
        guard case .success(let marks) = read else { return deliveries }
        return deliveries.map { delivery in
            var delivery = delivery
            delivery.judge(by: marks)
            return delivery
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

    /// The same with bytes from another folder's copy, or from the source, where its own are not in their place; nil where
    /// they are, or nobody else has the whole of them.
    func substitute(for delivery: Delivery) async -> Delivery? {
        let file = delivery.job.file
        // A folder that was given the file itself may have it.
        let isTaken = delivery.mayHaveArrived && delivery.target.isLocal && delivery.job.mayTake
        if delivery.rendition != nil || isTaken || Self.isThere(file.path, file.size) { return nil }
        let rows = await rows(of: delivery.id.content) ?? [], origin = delivery.job.asset.origin
        var places = rows.filter { $0.receipt.state == .done && !$0.holdsRendition }.compactMap(\.receipt.path)
        // Whoever has another delivery of it may have given the staged file its whole name.
        let staged = rows.filter { $0.staged && !$0.holdsRendition }.compactMap(\.file)
        places += staged.map { StagingArea.find($0, in: []) }
        if origin.root.hasPrefix("/"), Cancellation.isThere(origin) { places.append(origin.absolutePath) }
        for path in places where path != file.path {
            guard await Self.isWhole(path, file.size, delivery.job.digests.sha256) else { continue }
            var substitute = delivery
            (substitute.job.file.path, substitute.job.mayTake) = (path, false)
            // Where it goes away, too, its disk is waited for.
            substitute.job.file.ownership = .delivered
            return substitute
        }
        return nil
    }
    private static let pool = BlockingPool(width: 1)

    /// The whole copy that one of its folder targets has of staged bytes, by reading it now.
    func copy(of asset: AssetDeliveries) async -> LocalFile? {
        guard let sha256 = asset.asset.digests?.sha256 else { return nil }
        for target in asset.wanted where target.isLocal {
            guard let receipt = asset.receipts[target.identity], receipt.state == .done, !receipt.isHearsay,
                let path = receipt.path, await Self.isWhole(path, asset.bytes.size, sha256)
            else { continue }
            var copy = asset.bytes
            (copy.path, copy.ownership) = (path, .delivered)
            return copy
        }
        return nil
    }

    /// Removes what an earlier run kept of these bytes, unless another delivery waits for it.
    func discardSpooled(_ delivery: Delivery) async {
        guard let file = delivery.spooled, let known = await rows(of: delivery.id.content) else { return }
        if !known.contains(where: { $0.names(staged: file) }) { FileSystem.remove(StagingArea.find(file, in: [])) }
    }

    private static func isThere(_ path: String, _ size: UInt64) -> Bool { (try? FileFacts.of(path))?.size == size }

    /// Reads it where its size is right.
    private static func isWhole(_ path: String, _ size: UInt64, _ sha256: String) async -> Bool {
        guard isThere(path, size) else { return false }
        let digests = try? await pool.run { () throws(IngestError) in try FileCopy.hash(path: path).digests }
        return digests?.sha256 == sha256
    }
}
