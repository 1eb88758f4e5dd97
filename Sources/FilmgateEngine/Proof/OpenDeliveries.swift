import FilmgateCore

extension DeliveryCheck {
    /// What is open at a file's targets, with what ends it; nil where nothing is.
    ///
    /// Also at a target that only an earlier run was to fill: what was ordered and is not there yet may still be read
    /// from the card.
    static func open(_ deliveries: [DeliveryRow], of row: AssetRow) -> CardProof.Verdict? {
        let waiting: Set<Receipt.State> = [.pending, .held, .failed]
        let problems = deliveries.filter { waiting.contains($0.receipt.state) }.map { one -> CardProof.Verdict in
            let undone = undone(one)
            if row.wanted.contains(one.target) {
                return .problem(undone, one.isWaitingForMarks ? .mark : one.isUnassigned ? .assign : nil)
            }
            return .problem((undone.hasSuffix(".") ? String(undone.dropLast()) : undone) + wayBack(one))
        }
        return CardProof.Verdict.together(problems)
    }

    /// For what an earlier pipeline ordered: the place may have been a mistake.
    private static func wayBack(_ delivery: DeliveryRow) -> String {
        let place = CardProof.place(of: delivery.target)
        return ". An earlier run ordered it at \(place); "
            + "if that was a mistake, `filmgate cancel --target '\(place)'` takes it back"
    }
}

extension DeliveryRow {
    /// Its target has it no more: by what it said last, or, for a folder that is there, by looking.
    func isLost(_ reader: any LedgerReader, emptied: TargetDisks.Emptied = .unsaid) async -> Bool {
        guard receipt.path != nil else { return denial != nil }
        guard isMissing else { return false }
        return await !TargetDisks.isAway(self, reader, emptied: emptied)
    }
}
