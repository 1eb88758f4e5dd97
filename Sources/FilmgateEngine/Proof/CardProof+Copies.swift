import FileKit
import FilmgateCore

/// Copies in folders: read now, whatever was said of them before.
extension CardProof {
    /// Nil when the copy is there now, elsewhere than on the card, and its bytes are those that were delivered.
    func checkCopy(_ copy: String, _ delivery: DeliveryRow, _ path: String, size: UInt64, _ sha256: String) async -> Verdict? {
        let name = delivery.targetName
        let result = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) -> (Verdict?, TargetWord?) in
                guard let facts = try FileFacts.of(copy), facts.kind == .regular else {
                    return (.removed("\(name): removed since: \(copy)"), Self.wordOnMissing(delivery))
                }
                guard facts.size == size else {
                    let what = "\(copy) has \(facts.size) bytes instead of \(size)"
                    return (.problem("\(name): \(what)"), .denies(.differs, what))
                }
                if FileSystem.isInMemory(copy), !allowance.contains(.sameDevice) {
                    return (.problem("\(name): the copy \(copy) lies in memory and is lost when the computer stops: no backup"), nil)
                }
                if let problem = try sharing(copy, facts, with: path) { return (.problem("\(name): \(problem)"), nil) }
                if try Reread.digest(of: copy, .sha256).digest == sha256 { return (nil, .has) }
                let what = "\(copy) has other bytes than were delivered"
                return (.problem("\(name): \(what)"), .denies(.differs, what))
            }
        }
        switch result {
        case .success((.removed, _)) where await mayBeAway(delivery):
            return .removed("\(name): \(Self.notMounted): \(copy)")
        case .success((let verdict, let word)):
            heard.note(word, of: delivery)
            return verdict
        case .failure(let error): return .problem("\(name): \(error.message)")
        }
    }

    /// The reason where a whole folder is not what it was: the target itself has said nothing of the copy then.
    public static let notMounted = "removed since, or its disk is not mounted"

    /// Its target's folder is empty or gone, or lies on another disk than it did.
    private func mayBeAway(_ delivery: DeliveryRow) async -> Bool {
        guard let root = Self.root(of: delivery) else { return false }
        let before = await Result { () async throws(IngestError) in try await reader.disk(of: delivery.target) }
        let isEmpty = Result { () throws(IngestError) in try TargetDisks.isEmpty(root) }
        if (try? isEmpty.get()) != false { return true }
        guard let noted = try? before.get(), let now = TargetDisks.disk(root) else { return false }
        return noted != now
    }

    /// The folder of its target; nil for a remote one.
    private static func root(of delivery: DeliveryRow) -> String? {
        guard let copy = delivery.receipt.path, copy.hasSuffix("/" + delivery.path) else { return nil }
        return String(copy.dropLast(delivery.path.count + 1))
    }

    /// What the copy has in common with the card, so that it is none.
    private func sharing(_ copy: String, _ facts: FileFacts, with path: String) throws(IngestError) -> String? {
        guard let card = try FileFacts.of(path), card.device == facts.device || media?.areShared(by: copy, path) == true else { return nil }
        if !allowance.contains(.sameDevice) { return "the copy \(copy) is on the card's own device" }
        let isOne = (card.device, card.inode) == (facts.device, facts.inode) || SharedBlocks.areShared(copy, path)
        return isOne ? "\(copy) shares its bytes with the card" : nil
    }

    /// Its target's word that it is gone; nil where the whole folder is away, as that of a disk that is not mounted: then nobody has said anything.
    static func wordOnMissing(_ delivery: DeliveryRow) -> TargetWord? {
        guard let root = root(of: delivery) else { return nil }
        let isThere = Result { () throws(IngestError) in try !FileSystem.names(in: root).isEmpty }
        return (try? isThere.get()) == true ? .denies(.gone, "removed since") : nil
    }
}

extension DeliveryRow {
    /// There is no file at its path now; false for remote copies, and where nobody may look.
    var isMissing: Bool {
        guard let path = receipt.path else { return false }
        let facts = Result { () throws(IngestError) in try FileFacts.of(path) }
        guard case .success(let found) = facts else { return false }
        return found?.kind != .regular
    }
}
