import FilmgateCore

/// Looks for one file of a card where other stations say to have delivered it: a remote target is asked for its bytes,
/// a shared folder is read from this station's own mount.
struct StationSearch: Sendable {
    let check: DeliveryCheck, targets: ProofTargets
    let hints: StationHints
    let entry: SourceEntry, path: String, digests: Digests

    /// Nil where the target is this station's alone, or no station says that it delivered the file there.
    func look(at target: PlannedTarget, for event: String?) async throws(IngestError) -> StationLook? {
        guard let common = try targets.shared(for: event).common(target.identity), let hints = hints.shared[common]
        else {
            return nil
        }
        var first: CardProof.Verdict?, tried: Set<Receipt> = []
        for hint in hints {
            guard let row = row(hint, target, event) else {
                let what = "no place there that makes sense (\(hint.words))"
                first = first ?? .problem("\(target.name): \(what)", .deliver)
                continue
            }
            guard tried.insert(row.receipt).inserted else { continue }
            let verdict = await check.check(row, entry, path, digests)
            // Nil, and nothing else: nobody's earlier word counts.
            if verdict == nil { return .proven(StationLook.Copy(row: row, station: hint.station)) }
            first = first ?? Self.told(verdict, hint, target)
        }
        return first.map(StationLook.unproven)
    }

    /// A delivery of these bytes as it would stand in this ledger; nil where what was said leads to no place of the
    /// target.
    ///
    /// Its receipt proves nothing: it names a place and the card's own digest.
    private func row(_ hint: StationHints.Hint, _ target: PlannedTarget, _ event: String?) -> DeliveryRow? {
        var receipt = Receipt(state: .done, sha256: digests.sha256, verified: .none), name = ""
        let traits = target.traits
        if let root = traits.localRoot {
            guard let copy = hint.path(below: root) else { return nil }
            (receipt.path, name) = (copy, hint.detail ?? "")
        } else if traits.layout != nil {
            let below = hint.detail.flatMap { text in traits.address.flatMap { AddressBelow(text, base: $0) } }
            guard below != nil || traits.answersByDigest else { return nil }
            (receipt.url, name) = (below?.url, below?.path ?? "")
        }
        var row = DeliveryRow(
            content: ContentKey(sha256: digests.sha256), target: target.identity, targetName: target.name,
            receipt: receipt, size: entry.origin.size, path: name)
        row.event = event
        return row
    }

    /// What was found, and why it was looked for there.
    private static func told(
        _ verdict: CardProof.Verdict?, _ hint: StationHints.Hint, _ target: PlannedTarget
    ) -> CardProof.Verdict {
        switch verdict {
        case .removed(let why, _): .problem("\(why) (\(hint.words))", .deliver)
        case .problem(let why, .allowSameDevice): .problem("\(why) (\(hint.words))", .allowSameDevice)
        case .problem(let why, _): .problem("\(why) (\(hint.words))", .deliver)
        case .proven, .exempt, nil: .problem("\(target.name): nothing was asked now (\(hint.words))", .deliver)
        }
    }
}
