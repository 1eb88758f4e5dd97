import FileKit
public import FilmgateCore

/// Re-reads copies from their disks, past the page cache: bit rot, edits, removals.
public struct CopyCheck: Sendable {
    let pool = BlockingPool(width: 2)
    private let reader: any LedgerReader
    private let heard: TargetStatements

    /// `reader` knows on which disks the folders were; `heard` collects what is to be written down of delivered copies.
    public init(_ reader: any LedgerReader, _ heard: TargetStatements = TargetStatements()) {
        (self.reader, self.heard) = (reader, heard)
    }

    /// Reads one delivered file and compares it with what the ledger knows.
    public func examine(_ delivery: DeliveryRow) async -> Verification {
        guard let path = delivery.receipt.path, let sha256 = delivery.receipt.sha256 else { return .cannotTell }
        let found = await read(path, size: delivery.size, .sha256, sha256)
        if case .success(let verification) = found {
            // A disk that is not mounted has said nothing of its files.
            let isAway = verification == .missing ? await TargetDisks.isAway(delivery, reader) : false
            if !isAway { heard.note(TargetAnswer(verification), of: delivery) }
        }
        return Self.told(found)
    }

    /// Reads one file and compares it with a size, where that is known, and a digest.
    public func examine(_ path: String, size: UInt64?, _ algorithm: DigestAlgorithm, _ digest: String) async
        -> Verification
    {
        Self.told(await read(path, size: size, algorithm, digest))
    }

    /// What cannot be read counts as different, and is no word on the copy.
    private static func told(_ found: Result<Verification, IngestError>) -> Verification {
        switch found {
        case .success(let verification): verification
        case .failure(let error): .differs(error.message)
        }
    }

    private func read(
        _ path: String, size: UInt64?, _ algorithm: DigestAlgorithm, _ digest: String
    ) async -> Result<Verification, IngestError> {
        await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) -> Verification in
                guard let facts = try FileFacts.of(path), facts.kind == .regular else { return .missing }
                if let size, facts.size != size { return .differs("\(facts.size) bytes instead of \(size)") }
                let read = try Reread.digest(of: path, algorithm)
                return read.digest == digest ? .equal : .differs("other bytes than were written down")
            }
        }
    }
}
