import FileKit
public import FilmgateCore

/// Copies in folders: read now, whatever was said of them before.
extension CardProof {
    /// Nil when the copy is there now, elsewhere than on the card, and its bytes are those that were delivered.
    func checkCopy(_ copy: String, _ delivery: DeliveryRow, _ path: String, size: UInt64, _ sha256: String) async -> Verdict? {
        let name = delivery.targetName
        let result = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) -> (Verdict?, TargetAnswer?) in
                guard let facts = try FileFacts.of(copy), facts.kind == .regular else {
                    return (.removed("\(name): removed since: \(copy)"), TargetAnswer(.missing))
                }
                guard facts.size == size else {
                    let what = "\(copy) has \(facts.size) bytes instead of \(size)"
                    return (.problem("\(name): \(what)", .deliverAnew), .denies(.differs, what))
                }
                if FileSystem.isInMemory(copy), !allowance.contains(.sameDevice) {
                    return (.problem("\(name): the copy \(copy) lies in memory and is lost when the computer stops: no backup"), nil)
                }
                if let problem = try sharing(copy, facts, with: path, of: name) { return (problem, nil) }
                if try Reread.digest(of: copy, .sha256).digest == sha256 { return (nil, .has) }
                let what = "\(copy) has other bytes than were delivered"
                return (.problem("\(name): \(what)", .deliverAnew), .denies(.differs, what))
            }
        }
        switch result {
        case .success((.removed, _)) where await TargetDisks.isAway(delivery, reader):
            return .removed("\(name): removed since, or its disk is not mounted: \(copy)", isAway: true)
        case .success((let verdict, let word)):
            heard.note(word, of: delivery)
            return verdict
        case .failure(let error): return .problem("\(name): \(error.message)")
        }
    }

    /// Whether a copy that nobody asks for here is not there now, or has other bytes than were delivered; nobody may read it: no.
    func isSpoiled(_ delivery: DeliveryRow, _ digests: Digests) async -> Bool {
        guard let copy = delivery.receipt.path else { return delivery.denial != nil }
        let sha256 = delivery.holdsRendition ? delivery.receipt.sha256 : digests.sha256
        let looked = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in
                guard let facts = try FileFacts.of(copy), facts.kind == .regular else { return true }
                return try Reread.digest(of: copy, .sha256).digest != sha256
            }
        }
        return (try? looked.get()) == true
    }

    /// What the copy has in common with the card, so that it is none.
    private func sharing(
        _ copy: String, _ facts: FileFacts, with path: String, of target: String
    ) throws(IngestError) -> Verdict? {
        guard let card = try FileFacts.of(path), card.device == facts.device || media?.areShared(by: copy, path) == true else { return nil }
        if !allowance.contains(.sameDevice) {
            return .problem("\(target): the copy \(copy) is on the card's own device", .allowSameDevice)
        }
        let isOne = (card.device, card.inode) == (facts.device, facts.inode) || SharedBlocks.areShared(copy, path)
        return isOne ? .problem("\(target): \(copy) shares its bytes with the card") : nil
    }
}

extension DeliveryRow {
    /// There is no file at its path now; false for remote copies, and where nobody may look.
    public var isMissing: Bool {
        guard let path = receipt.path else { return false }
        let facts = Result { () throws(IngestError) in try FileFacts.of(path) }
        guard case .success(let found) = facts else { return false }
        return found?.kind != .regular
    }

    /// The folder of its target; nil for a remote one.
    public var folderRoot: String? {
        guard let copy = receipt.path, copy.hasSuffix("/" + path) else { return nil }
        return String(copy.dropLast(path.count + 1))
    }
}
