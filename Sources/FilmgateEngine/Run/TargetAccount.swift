import FilmgateCore

/// The account that a target is signed in to, where all would be sent anew to what may be the account of before.
///
/// A sign-in that does not say whose it is goes by its name in the pipeline file: an entry that is called otherwise
/// looks like another account. Of no importance at targets that keep a file under a name of its own or are asked by
/// digest: these tell what they have.
struct TargetAccount {
    private let target: PlannedTarget, account: String
    /// What comes before the account in the target's identity, and the event behind it, where there is one.
    private let place: String, event: String?

    /// Nil where it does not matter.
    init?(_ target: PlannedTarget) {
        let traits = target.traits
        guard let account = traits.account, traits.layout == nil, !traits.answersByDigest else { return nil }
        let parts = traits.identity.split(separator: ":", omittingEmptySubsequences: false)
        let isWithEvent = parts.count > 2 && parts[parts.count - 2] == account
        guard isWithEvent || parts.last == account[...] else { return nil }
        (self.target, self.account, event) = (target, account, isWithEvent ? parts.last.map(String.init) : nil)
        place = parts.dropLast(isWithEvent ? 2 : 1).joined(separator: ":")
    }

    /// Throws where nothing was delivered with this sign-in, and something with another or with none.
    func check(_ ledger: any LedgerReader) async throws(IngestError) {
        let known = try await ledger.delivered(toTargets: place)
        guard !known.contains(target.identity), let other = known.compactMap(self.other).min() else { return }
        let before = other.isEmpty ? "without a sign-in" : "as `\(other)`"
        throw IngestError(
            .misconfigured,
            "`\(target.name)` is signed in to as `\(account)` now, and files were delivered there \(before): "
                + "if that is the same account, all would come twice.",
            advice: other.isEmpty
                ? "Take its `auth` out again; or write `account: \(account)` beside it, and that account gets all."
                : "Write `account: \(other)` beside its `auth` if it is the same. If it is another one that is to get "
                    + "all, write `account: \(account)`.")
    }

    /// Whose sign-in another identity of the same place and event has, "" for none; nil for another place or event.
    private func other(_ identity: String) -> String? {
        var rest = identity.dropFirst(place.count).split(separator: ":", omittingEmptySubsequences: false)
        // The place ends where its colon stands, or with it.
        guard rest.first.map(\.isEmpty) ?? true else { return nil }
        if !rest.isEmpty { rest.removeFirst() }
        if let event {
            guard rest.last == event[...] else { return nil }
            rest.removeLast()
        }
        return rest.count <= 1 ? rest.first.map(String.init) ?? "" : nil
    }
}
