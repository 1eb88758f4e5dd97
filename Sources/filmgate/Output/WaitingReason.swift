import FilmgateCore

/// Why a file waits, where its own row does not say so: by what is known of its deliveries.
enum WaitingReason {
    /// The files in their order, each that waits with a reason.
    ///
    /// A file without a row of a delivery that waits is left as it is.
    static func filled(_ rows: [AssetRow], _ reader: any LedgerReader) async throws(IngestError) -> [AssetRow] {
        var rows = rows
        for index in rows.indices where rows[index].lacksReason {
            guard let content = rows[index].content else { continue }
            rows[index].reason = text(rows[index], try await reader.deliveries(of: content))
        }
        return rows
    }

    /// What the file says itself; else for what each of its targets is waited for; nil where nothing waits.
    static func text(_ row: AssetRow, _ deliveries: [DeliveryRow]) -> String? {
        guard row.lacksReason else { return row.reason }
        let waiting = deliveries.filter { one in
            [.pending, .held].contains(one.receipt.state) && row.wanted.contains(one.target)
        }
        let reasons = waiting.map { "\($0.targetName): \($0.receipt.reason ?? Receipt.notSent)" }
        return reasons.isEmpty ? nil : reasons.sorted().joined(separator: "; ")
    }
}

extension AssetRow {
    fileprivate var lacksReason: Bool { ending == .pending && reason == nil }
}
