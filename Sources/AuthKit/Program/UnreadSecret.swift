public import FilmgateCore

/// The cause of an error about a secret that could not be read: the provider was not asked, and has refused nothing.
struct UnreadSecret: Error {
    let error: IngestError
}

extension IngestError {
    /// As a run takes it that goes on: over by the next try, perhaps, since the provider has not refused the sign-in.
    ///
    /// Its address may answer 404 while it is set up anew, and a secret may be put right. Whoever signs in is told what
    /// is wrong with the pipeline file.
    var asPassing: IngestError {
        var passing = self
        if cause is UnreadSecret || code.disposition == .stop { passing.code = .unavailable }
        return passing
    }
}

extension SecretResolver {
    /// A secret that a provider is shown; its errors say that they are about that secret alone.
    public func shown(_ secret: Secret) async throws(IngestError) -> SecretValue {
        do throws(IngestError) { return try await value(of: secret) } catch {
            throw IngestError(error.code, error.message, advice: error.advice, cause: UnreadSecret(error: error))
        }
    }
}
