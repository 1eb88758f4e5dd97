public import FilmgateCore

/// The cause of an error about a secret that could not be read: the provider was not asked, and has refused nothing.
struct UnreadSecret: Error {
    let error: IngestError
}

extension SecretResolver {
    /// A secret that a provider is shown; its errors say that they are about that secret alone.
    public func shown(_ secret: Secret) async throws(IngestError) -> SecretValue {
        do throws(IngestError) { return try await value(of: secret) } catch {
            throw IngestError(error.code, error.message, advice: error.advice, cause: UnreadSecret(error: error))
        }
    }
}
