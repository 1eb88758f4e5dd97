import FileKit
public import FilmgateCore

/// Re-reads copies from their disks, past the page cache: bit rot, edits, removals.
public struct CopyCheck: Sendable {
    let pool = BlockingPool("filmgate.verify", width: 2)

    public init() {}

    /// Reads one delivered file and compares it with what the ledger knows.
    public func examine(_ delivery: DeliveryRow) async -> Verification {
        guard let path = delivery.receipt.path, let sha256 = delivery.receipt.sha256 else { return .cannotTell }
        return await examine(path, size: delivery.size, .sha256, sha256)
    }

    /// Reads one file and compares it with a size, where that is known, and a digest.
    public func examine(_ path: String, size: UInt64?, _ algorithm: DigestAlgorithm, _ digest: String) async -> Verification {
        let verification = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) -> Verification in
                guard let facts = try FileFacts.of(path), facts.kind == .regular else { return .missing }
                if let size, facts.size != size { return .differs("\(facts.size) bytes instead of \(size)") }
                let read = try Reread.digest(of: path, algorithm)
                return read.digest == digest ? .equal : .differs("other bytes than were written down")
            }
        }
        switch verification {
        case .success(let found): return found
        case .failure(let error): return .differs(error.message)
        }
    }
}
