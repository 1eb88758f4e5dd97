public import FilmgateCore

/// Looks secrets up in the store and by helper programs, and leaves the rest to `inner`.
public struct VaultSecrets: SecretResolver {
    let inner: any SecretResolver, vault: Vault
    /// Where the sign-in that asks may be used; nil where none asks.
    private var places: CredentialPlaces?

    public init(_ inner: any SecretResolver, _ vault: Vault) { (self.inner, self.vault) = (inner, vault) }

    public func serving(_ places: CredentialPlaces) -> any SecretResolver {
        var own = VaultSecrets(inner.serving(places), vault)
        own.places = places
        return own
    }

    public func resolve(_ secret: Secret) throws(IngestError) -> SecretValue {
        switch secret.reference {
        case .store(let name):
            guard let stored = try vault.value(Self.entry(name)).map({ TypedSecret(stored: $0) }) else {
                throw IngestError(
                    .unauthorized, "Nothing is stored under `\(name)`.",
                    advice: "Run `filmgate login \(name)` and type it in.")
            }
            if let places { try stored.require(places.addresses, name, signIn: places.name) }
            return stored.value
        case .command(let words):
            let printed = try HelperProgram.run(words)
            let text = HelperProgram.text(of: printed) ?? ""
            guard !text.isEmpty, !text.contains("\0") else {
                throw IngestError(.unauthorized, "\(secret.shown ?? "") printed nothing that could be a secret.")
            }
            return SecretValue(text)
        default: return try inner.resolve(secret)
        }
    }

    /// The store's own name for a secret that was typed in.
    public static func entry(_ name: String) -> String { "secret/\(name)" }
}
