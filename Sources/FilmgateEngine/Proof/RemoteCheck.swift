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

    private let witnesses: Witnesses

    public init(_ witnesses: Witnesses) { self.witnesses = witnesses }

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
            try witnesses.requireHeard(delivery.target)
            guard let target = try witnesses.target(of: delivery) else { return .noTarget }
            let sha256 = delivery.receipt.sha256 ?? delivery.content.sha256
            return .told(try await target.verify(delivery.receipt, size: delivery.size, sha256: sha256))
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let error):
            witnesses.note(error, of: delivery.target)
            return .failed(error)
        }
    }
}
