import FilmgateCore

/// The names of what waits: as they were given, or given now that the event is known.
struct WaitingNames: Sendable {
    let ledger: any LedgerReader, reservations: NameReservations
    /// As `PendingDeliveries` has them.
    let event: String?, assigning: Bool

    /// What the delivery is called at `target`, and whether the target must be asked about that first; nil where it has
    /// no names.
    ///
    /// A name that was made without its event is only a wish: its number and its suffix belong to the event.
    func name(
        _ row: DeliveryRow, of asset: Asset, at target: String, _ given: inout NamesGiven
    ) async throws(IngestError) -> (name: NameParts, path: String)? {
        if row.path.isEmpty, row.name == nil { return nil }
        var name = NameParts(row, of: asset)
        let event = assigning ? self.event : row.event, before = name.suffix
        let file = NamesGiven.File(
            mark: ShotIdentity(asset), content: row.content, target: target, event: event,
            isInTree: asset.shot.innerPath != nil)
        let key = [target, event ?? "", NamePlanner.shotPlace(name.shot)].joined(separator: "\u{1F}")
        // Nobody has asked its target about it.
        var isWish = row.attempts == DeliveryRow.unasked
        if let index = given.shots[key]?.firstIndex(where: { $0.mark.isOne(with: file.mark) }),
            let same = given.shots[key]?[index]
        {
            // One that says when it was taken speaks for those that do not.
            if !same.mark.isTimed { given.shots[key]?[index].mark = file.mark }
            // Files of one shot ask for their names together, also where one of them does not say when it was taken.
            name.shot = same.name.shot
            if assigning {
                (name.counter, name.suffix) = (same.name.counter, same.name.suffix)
                name.isGiven = same.name.isGiven
            } else if isWish, same.moved > 0 {
                name.suffix += same.moved
            }
        } else {
            if assigning { isWish = try await give(&name, at: target) }
            let moved = isWish ? try await part(&name, file, given) : 0
            given.shots[key, default: []].append(NamesGiven.Entry(mark: file.mark, name: name, moved: moved))
        }
        given.note(name, file)
        if assigning { return (name, name.path(event: event)) }
        return (name, row.path.isEmpty || name.suffix != before ? name.path(event: event) : row.path)
    }

    /// Gives it the suffix that its shot has elsewhere, and that no other shot of this pass has; returns by how much it
    /// was moved.
    ///
    /// Where files of the shot are already it stays, whoever else wishes for that.
    private func part(
        _ name: inout NameParts, _ file: NamesGiven.File, _ given: NamesGiven
    ) async throws(IngestError) -> Int {
        let suffix = given.suffix(of: name, file), moved = suffix - name.suffix
        guard moved > 0, let stem = name.stem(event: file.event) else { return 0 }
        let isHome = try await ledger.files(named: stem, at: file.target).contains { other in
            !other.isWish && ShotIdentity(other).isOne(with: file.mark)
        }
        if isHome { return 0 }
        (name.suffix, name.isGiven) = (suffix, true)
        return moved
    }

    /// What the shot of `asset` is called where it is already, as far as something of it is still to be named.
    func learn(_ rows: [DeliveryRow], of asset: Asset, _ given: inout NamesGiven) async throws(IngestError) {
        guard assigning || rows.contains(where: { $0.attempts == DeliveryRow.unasked }) else { return }
        let siblings = SiblingNames(ledger: ledger, reservations: reservations)
        let shot = NamePlanner.shotKey(asset), mark = ShotIdentity(asset)
        for row in rows where row.receipt.state == .done && !row.path.isEmpty {
            let suffix = try await siblings.writtenName(shot, at: row.target, event: row.event)?.suffix ?? 1
            given.note(done: row.path, suffix: suffix, shot, mark, event: row.event)
        }
    }

    /// True where nothing was known of its shot at that target: its suffix is a wish.
    private func give(_ name: inout NameParts, at target: String) async throws(IngestError) -> Bool {
        let siblings = SiblingNames(ledger: ledger, reservations: reservations)
        let earlier = try await siblings.shotName(name.shot, at: target, event: event)
        name.suffix = earlier?.suffix ?? 1
        // What only this process knows is written down here, too: whoever chose it may never have sent anything.
        name.isGiven = try await siblings.writtenName(name.shot, at: target, event: event) == nil
        guard name.pattern.usesCounter else { return earlier == nil }
        if let number = earlier?.counter, number > 0 {
            name.counter = number
        } else {
            let last = try await ledger.counter(at: target, event: event)
            name.counter = reservations.number(of: name.shot, at: target, event: event, after: last)
        }
        return earlier == nil
    }
}
