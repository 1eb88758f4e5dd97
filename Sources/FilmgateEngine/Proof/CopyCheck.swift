import FileKit
public import FilmgateCore

/// Re-reads delivered copies against the ledger: bit rot, edits, removals.
public struct CopyCheck: Sendable {
    public struct Finding: Sendable {
        public var delivery: DeliveryRow, verification: Verification
    }
    let pool = BlockingPool("filmgate.verify", width: 2)

    public init() {}

    /// Reads one delivered file from its disk, past the page cache.
    public func examine(_ delivery: DeliveryRow) async throws(IngestError) -> Finding {
        guard let path = delivery.receipt.path, let sha256 = delivery.receipt.sha256 else {
            return Finding(delivery: delivery, verification: .cannotTell)
        }
        let size = delivery.size
        let verification = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) -> Verification in
                guard let facts = try FileFacts.of(path), facts.kind == .regular else { return .missing }
                guard facts.size == size else { return .differs("\(facts.size) bytes instead of \(size)") }
                let read = try Reread.digest(of: path, .sha256)
                return read.digest == sha256 ? .equal : .differs("other bytes than were delivered")
            }
        }
        switch verification {
        case .success(let found): return Finding(delivery: delivery, verification: found)
        case .failure(let error): return Finding(delivery: delivery, verification: .differs(error.message))
        }
    }
}
