import FilmgateCore

/// Finds what the ledger knows of a file of a card whose bytes are known.
struct RowSearch: Sendable {
    let reader: any LedgerReader

    /// What the ledger knows of the file or of another one with its bytes; the last is what was only taken off the
    /// list.
    ///
    /// A sidecar's copy must lie beside its own picture, wherever both came from; for anything else equal bytes are
    /// equal.
    func row(
        of entry: SourceEntry, _ sha256: String, _ beside: [String]
    ) async throws(IngestError) -> AssetRow? {
        let rows = try await reader.assets(sha256: sha256)
        let own = rows.first {
            $0.origin.volume == entry.origin.volume && $0.origin.volumePath.isSpelled(as: entry.origin.volumePath)
        }
        let keys = Set(beside.map { ContentKey(sha256: sha256, beside: $0) })
        let others = rows.filter { row in entry.kind != .sidecar || row.content.map(keys.contains) == true }
        let isOthers = entry.kind == .sidecar ? try await isReplaced(own?.content?.beside, beside) : false
        if let own, !own.isDismissed, !isOthers {
            // Its last import left it out, and an earlier one found its bytes delivered for another file: they are
            // there.
            let isLeftOut = own.ending == .filtered && own.wanted.isEmpty
            return isLeftOut ? others.first { !$0.isDismissed && !$0.wanted.isEmpty } ?? own : own
        }
        return others.first { !$0.isDismissed } ?? (isOthers ? nil : own) ?? others.first
    }

    /// Whether the picture that a sidecar was delivered beside has been replaced at its path by one of those that are
    /// there now: the copy of that one has no sidecar then.
    private func isReplaced(_ picture: String?, _ beside: [String]) async throws(IngestError) -> Bool {
        guard let picture, !beside.isEmpty, !beside.contains(picture) else { return false }
        let old = try await reader.assets(sha256: picture).map { $0.origin.volume + $0.origin.volumePath }
        for sha256 in beside {
            let now = try await reader.assets(sha256: sha256).map { $0.origin.volume + $0.origin.volumePath }
            if !Set(old).isDisjoint(with: now) { return true }
        }
        return false
    }
}
