public import FilmgateCore

/// Asks remote targets whether they still have what was delivered to them, as `verify` does for copies in folders.
public final class RemoteCheck: Sendable {
    /// What became of one question.
    public enum Answer: Sendable {
        case told(Verification)
        /// Nobody was asked: no pipeline names that target any more.
        case noTarget
        case failed(IngestError)
    }

    private let proofTargets: ProofTargets, reader: any LedgerReader, heard: TargetStatements

    /// `heard` collects what is to be written down.
    public init(_ proofTargets: ProofTargets, reader: any LedgerReader, _ heard: TargetStatements) {
        (self.proofTargets, self.reader, self.heard) = (proofTargets, reader, heard)
    }

    /// The answers in the order of `deliveries`, a few asked at a time.
    public func examine(_ deliveries: [DeliveryRow], _ tell: (DeliveryRow, Answer) -> Void) async {
        await withTaskGroup(of: (Int, Answer).self) { group in
            var next = 0, told = 0, waiting: [Int: Answer] = [:]
            func begin() {
                guard next < deliveries.count else { return }
                let index = next, delivery = deliveries[next]
                next += 1
                group.addTask { (index, await self.ask(delivery)) }
            }
            for _ in 0..<4 { begin() }
            while let (index, answer) = await group.next() {
                waiting[index] = answer
                while let answer = waiting.removeValue(forKey: told) {
                    tell(deliveries[told], answer)
                    told += 1
                }
                begin()
            }
        }
    }

    private func ask(_ delivery: DeliveryRow) async -> Answer {
        let answer = await Result { () async throws(IngestError) -> Answer in
            try proofTargets.requireHeard(delivery.target)
            guard let target = try proofTargets.target(of: delivery) else { return .noTarget }
            let sha256 = delivery.receipt.sha256 ?? delivery.content.sha256
            let found = try await target.verify(delivery.receipt, size: delivery.size, sha256: sha256)
            // Bytes at the address of earlier take no denial back while the target says by their digest that it has
            // them not.
            if found == .equal, delivery.denial != nil, try await knows(delivery, sha256, target) == false {
                return .told(.discarded(TargetAnswer.unknownDigest))
            }
            return .told(found)
        }
        switch answer {
        case .success(let answer):
            if case .told(let found) = answer { heard.note(TargetAnswer(found), of: delivery) }
            return answer
        case .failure(let error):
            proofTargets.note(error, of: delivery)
            return .failed(error)
        }
    }

    private func knows(_ delivery: DeliveryRow, _ sha256: String, _ target: any UploadTarget) async throws(IngestError)
        -> Bool?
    {
        guard !delivery.holdsRendition, let row = try await reader.assets(sha256: sha256).first else { return nil }
        let entry = SourceEntry(origin: row.origin, kind: row.kind, shot: row.shot)
        let digests = row.digests ?? Digests(sha256: sha256)
        return try await target.knows(
            DeliveryCheck.question(entry, row.origin.absolutePath, size: delivery.size, digests, delivery))
    }
}
