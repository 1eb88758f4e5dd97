import FilmgateCore

/// The account that a target is signed in to, where all would be sent anew to what may be the account of before.
///
/// A sign-in that does not say whose it is goes by its name in the pipeline file: an entry that is called otherwise
/// looks like another account, and so does a new access key. What was delivered is of no importance at targets that
/// keep a file under a name of its own, are asked by digest, or make no second asset of the same bytes; what waits is
/// at all of them, for nothing sends it any more.
struct TargetAccount {
    private let target: PlannedTarget, signIn: TargetTraits.SignIn
    /// Those of the pipeline: others than it have their own sign-ins beside this one.
    private let targets: [PlannedTarget]
    /// What was delivered would be sent once more.
    private let sendsAnew: Bool

    /// Nil where the pipeline file itself says whose it is.
    init?(_ target: PlannedTarget, among targets: [PlannedTarget]) {
        let traits = target.traits
        guard let signIn = traits.signIn else { return nil }
        (self.target, self.signIn, self.targets) = (target, signIn, targets)
        sendsAnew = traits.layout == nil && !traits.answersByDigest && !traits.idempotent
    }

    /// Throws where nothing was ever for this sign-in, and something was delivered with another one, or with none, or
    /// waits for it.
    func check(_ ledger: any LedgerReader) async throws(IngestError) {
        let uses = try await ledger.uses(ofTargets: signIn.place)
        guard !uses.contains(where: { $0.identity == target.identity }) else { return }
        let beside = Set(targets.map(\.identity)), others = uses.filter { !beside.contains($0.identity) }
        if sendsAnew, let other = others.lazy.filter(\.isDelivered).compactMap(account).first { throw anew(other) }
        // Of another name it may be another pipeline's, which sends it still.
        let waiting = others.lazy.filter { $0.isWaiting && $0.name == target.name }
        if let other = waiting.compactMap(account).first { throw left(other) }
    }

    private func anew(_ other: String) -> IngestError {
        IngestError(
            .misconfigured,
            "`\(target.name)`: files were delivered there \(Self.words(other)), and now it is to be used "
                + "\(Self.words(signIn.account ?? "")): if that is the same account, all would come twice.",
            advice:
                "Write `account: \(Self.value(other))` for the target if it is the same. If it is another one that is "
                + "to get all, write `account: \(Self.value(signIn.account ?? ""))`.")
    }

    private func left(_ other: String) -> IngestError {
        IngestError(
            .misconfigured,
            "`\(target.name)`: files wait there \(Self.words(other)), and now it is to be used "
                + "\(Self.words(signIn.account ?? "")): nothing would send them.",
            advice:
                "Write `account: \(Self.value(other))` for the target if it is the same account. If it is another one, write "
                + "`account: \(Self.value(signIn.account ?? ""))`, and take back what waits with `filmgate cancel`.")
    }

    /// Why a delivery that waits for another account at the same place is not sent, and the way out; nil for another
    /// place.
    func obstacle(_ delivery: DeliveryRow) -> String? {
        let use = TargetUse(identity: delivery.target, event: delivery.event, isDelivered: false)
        guard delivery.target != target.identity, delivery.target.utf8.starts(with: signIn.place.utf8),
            let other = account(use)
        else { return nil }
        return "waits \(Self.words(other)), and `\(target.name)` is used \(Self.words(signIn.account ?? "")) now; "
            + "if that is the same account, write `account: \(Self.value(other))` for the target"
    }

    /// Whose sign-in another use of the same place for the same event has, "" for none; nil for another place or event.
    ///
    /// An event may be called by its gallery's own id in an identity: of the ledger's it is known only whether there is
    /// one.
    private func account(_ use: TargetUse) -> String? {
        guard (use.event == nil) == (signIn.event == nil) else { return nil }
        let rest = use.identity.dropFirst(signIn.place.count), end = signIn.event.map { ":" + $0 } ?? ""
        guard rest.hasSuffix(end) else { return nil }
        let account = rest.dropLast(end.count)
        if account.isEmpty { return "" }
        return account.first == ":" ? String(account.dropFirst()) : nil
    }

    private static func words(_ account: String) -> String {
        account.isEmpty ? "without a sign-in" : "with the sign-in `\(account)`"
    }
    private static func value(_ account: String) -> String { account.isEmpty ? "\"\"" : account }
}
