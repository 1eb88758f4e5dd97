import FilmgateCore

/// A delivery that a person ended with `cancel`: what it was for counts as a copy no more.
public struct TakenBackCopy: Sendable, Hashable {
    /// The target's name, and its folder or address.
    public var place: String
    /// What was said of it.
    public var reason: String

    /// Nil for a delivery that nobody ended.
    init?(_ row: DeliveryRow) {
        guard row.receipt.state == .excluded, let reason = row.receipt.reason, DeliveryRow.isByHand(reason) else {
            return nil
        }
        self.reason = reason
        place = "\(row.targetName) (\(CardProof.place(of: row.target)))"
    }
}

extension LedgerReader {
    /// All that was ordered of a file; what a person ended of it is noted.
    func deliveries(
        of content: ContentKey, noting finding: inout CardProof.Finding
    ) async throws(IngestError) -> [DeliveryRow] {
        let rows = try await deliveries(of: content)
        finding.takenBack = rows.compactMap(TakenBackCopy.init)
        return rows
    }
}
