import FilmgateCore

extension PendingDeliveries {
    var names: WaitingNames {
        WaitingNames(ledger: ledger, reservations: reservations, event: event, assigning: assigning)
    }

    /// What waits for an event at other targets than `mine`, written down for the one that is said now: a frame has one
    /// event.
    ///
    /// So is what people's marks keep from a target: they may say something else later.
    func elsewhere(
        _ rows: [DeliveryRow], of asset: Asset, but mine: Set<String>, _ given: inout NamesGiven
    ) async throws(IngestError) -> [UnreachableAssignment] {
        guard assigning, let event else { return [] }
        var found: [UnreachableAssignment] = []
        // What was taken back before its event was known stays so.
        for old in rows where old.isUnassigned && !mine.contains(old.target) && old.mayBeSent {
            var row = old
            let heir = targets.first { $0.isHeir(of: old, for: event) }?.identity
            (row.target, row.event) = (heir ?? PlannedTarget.identity(old.target, for: event), event)
            if !old.isUnwanted {
                row.receipt.state = old.receipt.state == .failed ? .failed : .pending
                row.receipt.reason =
                    "it belongs to \(event) and waits for \(old.targetName), which this run does not send to; "
                    + "`filmgate retry` does"
            }
            var one = UnreachableAssignment(row: row, old: old.target)
            if let (name, path) = try await names.name(old, of: asset, at: row.target, &given) {
                (one.row.name, one.row.path) = (name.row, path)
                // Nobody has asked the target about that name.
                if !old.isUnwanted { one.row.attempts = DeliveryRow.unasked }
                one.shotName = name.shotName(base: path).map {
                    .shotName($0, shot: name.shot, target: row.target, event: event)
                }
            }
            found.append(one)
        }
        return found
    }
}

extension DeliveryRow {
    /// Waits, or waits for another mark.
    fileprivate var mayBeSent: Bool { isUnwanted || receipt.state != .done && receipt.state != .excluded }
}
