import FilmgateCore
import FilmgateLedger

/// A sign-in that another account is to have, and what was delivered with it or waits for it.
///
/// The ledger knows that by the entry's name: it would count for whoever signs in there next, and what waits would go
/// to their gallery.
struct AccountTakeover {
    let entry: SignIn

    /// Holds the state, so that nothing is delivered while the sign-in changes hands.
    ///
    /// Ends the verb with 10 where a run holds it, and with 2 where something is left of the account of before.
    func hold(_ context: CommandContext) async throws -> SQLiteLedger {
        let ledger = try await context.openLedger(handingOver: false), reader: any LedgerReader = ledger
        try await context.telling { () async throws(IngestError) in try check(await reader.totals()) }
        return ledger
    }

    private func check(_ totals: LedgerTotals) throws(IngestError) {
        let left = totals.targets.filter { isMeant($0.identity) && Self.count($0) > 0 }
        guard !left.isEmpty else { return }
        let files = left.reduce(0) { $0 + Self.count($1) }, places = left.map(\.identity).sorted()
        let ways = places.prefix(3).map { identity in
            "`filmgate cancel --target \(ShellWord.quoted(TargetLabel.place(of: identity))) --gone`"
        }
        let more = places.count > 3 ? ", and so on for \(places.count - 3) more that `filmgate status` lists" : ""
        throw IngestError(
            .misconfigured,
            "\(Describe.count(files, "delivery", "deliveries")) made or waiting with `\(entry.name)` would count for the other account.",
            advice:
                "Give the other account an entry of its own under `auth:`. Or retire what there is, so that it counts "
                + "no more and nothing of it is sent: \(ways.joined(separator: " and "))\(more).")
    }

    /// What it delivered, and what is to be delivered there.
    private static func count(_ target: LedgerTotals.Target) -> Int {
        target.states.reduce(0) { $0 + ($1.key == .excluded ? 0 : $1.value) }
    }

    /// Whether a target is one that uses the sign-in, for whatever event; or did so at an address that no pipeline
    /// names any more.
    private func isMeant(_ identity: String) -> Bool {
        let isUsed = entry.targets.contains { identity == $0 || identity.utf8.starts(with: ($0 + ":").utf8) }
        let parts = identity.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return isUsed || parts.dropFirst().contains { $0.elementsEqual(entry.name.utf8) }
    }
}
