import FilmgateCore

/// The names of what waits: as they were given, or given now that the event is known.
extension PendingDeliveries {
    /// The numbers and suffixes that shots are given in one pass, by target and shot.
    struct NamesGiven {
        fileprivate var shots: [String: [(mark: ShotIdentity, name: NameParts)]] = [:]
    }

    /// What the delivery is called at `target`, and whether the target must be asked about that first; nil where it has
    /// no names.
    ///
    /// A name that was made without its event is only a wish: its number and its suffix belong to the event.
    func name(
        _ row: DeliveryRow, of asset: Asset, at target: String, _ given: inout NamesGiven
    ) async throws(IngestError) -> (name: NameParts, path: String)? {
        if row.path.isEmpty, row.name == nil { return nil }
        var name = NameParts(row, of: asset)
        let event = (assigning ? self.event : row.event) ?? "", mark = ShotIdentity(asset)
        let key = [target, event, NamePlanner.shotPlace(name.shot)].joined(separator: "\u{1F}")
        if let index = given.shots[key]?.firstIndex(where: { $0.mark.isOne(with: mark) }),
            var same = given.shots[key]?[index]
        {
            // One that says when it was taken speaks for those that do not.
            if !same.mark.isTimed { same.mark = mark }
            given.shots[key]?[index] = same
            // Files of one shot ask for their names together, also where one of them does not say when it was taken.
            name.shot = same.name.shot
            if assigning {
                (name.counter, name.suffix) = (same.name.counter, same.name.suffix)
                name.isGiven = same.name.isGiven
            }
        } else {
            if assigning { try await give(&name, at: target) }
            given.shots[key, default: []].append((mark, name))
        }
        if assigning { return (name, name.path(event: self.event)) }
        return (name, row.path.isEmpty ? name.path(event: row.event) : row.path)
    }

    private func give(_ name: inout NameParts, at target: String) async throws(IngestError) {
        let siblings = SiblingNames(ledger: ledger, reservations: reservations)
        let earlier = try await siblings.shotName(name.shot, at: target, event: event)
        name.suffix = earlier?.suffix ?? 1
        // What only this process knows is written down here, too: whoever chose it may never have sent anything.
        name.isGiven = try await siblings.writtenName(name.shot, at: target, event: event) == nil
        guard name.pattern.usesCounter else { return }
        if let number = earlier?.counter, number > 0 { return name.counter = number }
        let last = try await ledger.counter(at: target, event: event)
        name.counter = reservations.number(of: name.shot, at: target, event: event, after: last)
    }
}

extension PendingDeliveries {
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
            if let (name, path) = try await name(old, of: asset, at: row.target, &given) {
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
