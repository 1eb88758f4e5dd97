/// Turns a reference into the secret's value.
public protocol SecretResolver: Sendable {
    /// Blocks: for a small file, but also for a program or a passphrase where the reference asks for one.
    ///
    /// `misconfigured` when the secret is missing, empty, or its file readable by others.
    func resolve(_ secret: Secret) throws(IngestError) -> SecretValue
    /// The same for one sign-in, which may be used at `places` and nowhere else.
    func serving(_ places: CredentialPlaces) -> any SecretResolver
}

extension SecretResolver {
    /// Most secrets are kept by whoever wrote the pipeline file, for whatever it names.
    public func serving(_ places: CredentialPlaces) -> any SecretResolver { self }

    /// The same without holding up anybody else: what may take long runs on a thread that may block.
    public func value(of secret: Secret) async throws(IngestError) -> SecretValue {
        switch secret.reference {
        case .none, .environment, .file, .credential: return try resolve(secret)
        case .store, .command: return try await SecretThreads.pool.run { () throws(IngestError) in try resolve(secret) }
        }
    }
}

private enum SecretThreads {
    static let pool = BlockingPool(width: 4)
}

/// Gives the word `store` its meaning: the secret that is stored under the name of the entry that refers to it.
struct EntrySecrets: SecretResolver {
    let name: String
    let inner: any SecretResolver

    func resolve(_ secret: Secret) throws(IngestError) -> SecretValue {
        try inner.resolve(secret.reference == .store("") ? Secret(.store(name)) : secret)
    }

    func serving(_ places: CredentialPlaces) -> any SecretResolver {
        EntrySecrets(name: name, inner: inner.serving(places))
    }
}

/// Refuses every secret; for contexts that must not read any (`check`, `plan` without targets).
public struct NoSecrets: SecretResolver {
    public init() {}
    public func resolve(_ secret: Secret) throws(IngestError) -> SecretValue {
        throw IngestError(.misconfigured, "No secret can be read here (\(secret.shown ?? "none given")).")
    }
}
