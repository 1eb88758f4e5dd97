public import FilmgateCore
import HTTPKit

/// A secret that a person typed in, and the origins that it was typed in for.
public struct TypedSecret: Sendable {
    public let value: SecretValue
    /// None where an older version stored it, which did not ask.
    public let origins: [String]

    /// As the store has it: a line of origins before the value, so that neither can be there without the other.
    ///
    /// What is typed in is one line, so a value without that line is an older one.
    public init(stored: SecretValue) {
        let parts = stored.reveal().split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            (value, origins) = (stored, [])
            return
        }
        (value, origins) = (SecretValue(String(parts[1])), parts[0].split(separator: " ").map(String.init))
    }

    /// Stores what was typed in for these addresses, and for no other from then on; true where it took another secret's
    /// place.
    ///
    /// The same secret typed in again, for other places, serves both.
    @discardableResult
    public static func keep(
        _ value: SecretValue, as name: String, for addresses: [String], in vault: Vault
    ) throws(IngestError) -> Bool {
        var places = Set(origins(of: addresses)), before: TypedSecret?
        do throws(IngestError) {
            before = try vault.value(VaultSecrets.entry(name)).map { TypedSecret(stored: $0) }
        } catch {
            // What is damaged there is replaced.
            if error.isLocked { throw error }
        }
        let isSame = before?.value.reveal() == value.reveal()
        if isSame, let before { places.formUnion(before.origins.filter { $0 != nowhere }) }
        let line = places.isEmpty ? nowhere : places.sorted().joined(separator: " ")
        try vault.set(VaultSecrets.entry(name), SecretValue(line + "\n" + value.reveal()))
        return before != nil && !isSame
    }

    /// `untrusted` where one of the addresses is none that it was typed in for: an edit of the pipeline file sends it
    /// nowhere new.
    func require(_ addresses: [String], _ name: String, signIn: String) throws(IngestError) {
        let strange = Self.origins(of: addresses).filter { !origins.contains($0) }
        guard !origins.isEmpty, !strange.isEmpty else { return }
        throw IngestError(
            .untrusted,
            "What is stored under `\(name)` was typed in for \(origins.joined(separator: ", ")), "
                + "not for \(strange.joined(separator: ", ")); it is sent nowhere.",
            advice: "If the new address is right, run `filmgate login \(signIn)` and type it in again.")
    }

    private static let nowhere = "nowhere"

    /// An address that cannot be read stands for itself.
    private static func origins(of addresses: [String]) -> [String] {
        Set(addresses.map { WebAddress($0)?.origin ?? $0.filter { !$0.isWhitespace } }).sorted()
    }
}
