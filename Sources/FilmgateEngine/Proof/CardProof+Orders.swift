import FilmgateCore

/// Which targets a file is for, by all that was ordered of it so far.
extension CardProof {
    enum Orders {
        /// Identities of the targets of which each must prove the file; and copies that were found beside them, proven
        /// now, where other stations said that they are.
        case targets([String], [StationLook.Copy])
        case settled(Verdict)
    }

    func orders(
        _ row: AssetRow, _ deliveries: [DeliveryRow], _ elsewhere: StationLook.Search? = nil
    ) async throws(IngestError) -> Orders {
        if let problem = DeliveryCheck.open(deliveries, of: row) { return .settled(problem) }
        let excluded = deliveries.filter { $0.receipt.state == .excluded }
        var wanted = row.wanted.filter { target in !excluded.contains { $0.target == target } }
        var found: [StationLook.Copy] = []
        for target in try await proofTargets?.wanted(row, reader) ?? [] where !wanted.contains(target.identity) {
            let own =
                deliveries.first { $0.target == target.identity } ?? Self.forSomeEvent(target, row, deliveries)
                // Taken back before its event was known.
                ?? deliveries.first { $0.isUnassigned && $0.isCancelled && target.isHeir(of: $0, for: row.event) }
            if own?.isCancelled == true { continue }
            // Another pipeline may have been the last that looked at the file; what this one delivered counts all the
            // same.
            guard let own, own.receipt.state == .done else {
                let look: StationLook? = if own == nil { try await elsewhere?(target, row.event) } else { nil }
                if case .proven(let copy)? = look {
                    found.append(copy)
                    continue
                }
                if case .unproven(let verdict)? = look { return .settled(verdict) }
                return .settled(.problem(Self.neverDelivered(target.name), .deliver))
            }
            if !wanted.contains(own.target) { wanted.append(own.target) }
        }
        guard wanted.isEmpty, found.isEmpty else { return .targets(wanted, found) }
        // All that the last import ordered was taken back. What others brought elsewhere proves the file all the same:
        // those copies have to be there.
        let others = deliveries.filter { $0.receipt.state == .done }.map(\.target)
        if !row.isDismissed, !others.isEmpty { return .targets(others, []) }
        // Somebody has said of copies that they were removed on purpose.
        if !excluded.isEmpty, excluded.allSatisfy(\.isCulled) {
            let names = excluded.map(\.targetName).joined(separator: ", ")
            return .settled(.exempt("removed on purpose: \(names)"))
        }
        let isTakenBack = !excluded.isEmpty && excluded.allSatisfy { DeliveryRow.isByHand($0.receipt.reason) }
        let reason = row.reason ?? excluded.first?.receipt.reason ?? "by rule"
        return .settled(leftOut(row, reason, isTakenBack ? .orderAgain : .allowFiltered))
    }

    /// The first target that the rules of today want a file for that earlier ones left out; nil for none, and where no
    /// target is asked.
    func wantedNow(_ row: AssetRow) async throws(IngestError) -> String? {
        let wanted = try await proofTargets?.wanted(row, reader, isLeftOut: true) ?? []
        if wanted.isEmpty { return nil }
        let deliveries =
            if let content = row.content { try await reader.deliveries(of: content) } else { [DeliveryRow]() }
        return wanted.first { target in
            let own = deliveries.first { $0.target == target.identity }
            return own?.isCancelled != true && own?.isUnwanted != true && own?.receipt.state != .done
        }?.name
    }

    static func neverDelivered(_ target: String) -> String {
        "\(target): never delivered there, and the pipeline wants it"
    }

    /// A file that is not finished names its remedy where no delivery of it waits, or nothing but a mark or its event is
    /// missing; and the targets that want it since, and that no run has met it with.
    func markable(_ verdict: Verdict, _ row: AssetRow) async throws(IngestError) -> Verdict {
        guard case .problem(let words, nil) = verdict else { return verdict }
        let waiting: Set<Receipt.State> = [.pending, .held, .failed]
        let deliveries =
            if let content = row.content { try await reader.deliveries(of: content) } else { [DeliveryRow]() }
        let open = deliveries.filter { waiting.contains($0.receipt.state) }
        if open.isEmpty { return .problem(words, row.ending == .setAside ? .readAgain : .finish) }
        if row.ending == .setAside { return verdict }
        let others = await proofTargets?.unordered(row, deliveries, reader).map(Self.neverDelivered) ?? []
        if !others.isEmpty { return .problem(([words] + others).joined(separator: "; "), .deliver) }
        if open.allSatisfy(\.isUnassigned) { return .problem(words, .assign) }
        return open.allSatisfy(\.isWaitingForMarks) ? .problem(words, .mark) : verdict
    }

    /// Its delivery to that place for an event, where the import that looked at the file last knew of none.
    private static func forSomeEvent(
        _ target: PlannedTarget, _ row: AssetRow, _ deliveries: [DeliveryRow]
    ) -> DeliveryRow? {
        guard row.event == nil || row.event == DeliveryRow.unassigned else { return nil }
        return deliveries.first { $0.receipt.state == .done && target.isPlace(of: $0) }
    }

    /// What a rule left out, the user may lift; what was taken off the list while it was not there, nobody has looked
    /// at.
    func leftOut(_ row: AssetRow, _ reason: String, _ remedy: Remedy = .allowFiltered) -> Verdict {
        if row.isDismissed { return .problem(Self.dismissed, .readAgain) }
        return allowance.contains(.filtered)
            ? .exempt("filtered: \(reason)") : .problem("filtered: \(reason)", remedy)
    }
    private static let dismissed =
        "set aside, and taken back with `filmgate cancel` when it was gone from here; "
        + "`filmgate import --again` reads it again"

    /// Places that wait for these bytes, or refused them, whatever pipeline ordered that; what waits for its event is
    /// told by its reason.
    func open(_ sha256: String) async throws(IngestError) -> [String] {
        let waiting: Set<Receipt.State> = [.pending, .held, .failed]
        var places: [String] = []
        for content in Set(try await reader.assets(sha256: sha256).compactMap(\.content)) {
            let rows = try await reader.deliveries(of: content).filter {
                waiting.contains($0.receipt.state) && !$0.isUnassigned
            }
            places += rows.map { String(Self.place(of: $0.target)) }
        }
        return places
    }

    /// A run was killed between ordering and noting it down at the target.
    static func neverBegun(_ target: String) -> String {
        "\(place(of: target)): a run that broke off ordered it there, and it was never delivered; "
            + "import the card with that pipeline again, or with `--again` by the one that counts now"
    }

    /// The address in a target's identity.
    static func place(of target: String) -> Substring {
        target.utf8.firstIndex(of: 0x3A).map { target[$0...].dropFirst() } ?? target[...]
    }
}

extension AssetRow {
    /// Why a file without an ending is not proven: it waits for its event or a target, is being delivered, or a run was
    /// killed; nil where all that it was ordered for have it.
    func unfinished(_ reader: any LedgerReader) async throws(IngestError) -> String? {
        let deliveries = if let content { try await reader.deliveries(of: content) } else { [DeliveryRow]() }
        let done = deliveries.filter { $0.receipt.state == .done }.map(\.target)
        if !wanted.isEmpty, wanted.allSatisfy(done.contains) { return nil }
        let open = deliveries.filter { [.pending, .held, .failed].contains($0.receipt.state) }
        return open.isEmpty
            ? "not delivered yet: a run is at it, or broke off"
            : open.map(DeliveryCheck.undone).joined(separator: "; ")
    }
}

extension DeliveryRow {
    /// Nothing is missing but a person's mark.
    var isWaitingForMarks: Bool {
        receipt.state == .pending && gate != nil && [MarkRule.notPicked, MarkRule.notRated].contains(receipt.reason)
    }
}
