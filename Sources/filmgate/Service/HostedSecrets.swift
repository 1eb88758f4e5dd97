import FilmgateCore
import Glibc

/// The secrets of a run that does somebody else's job: its environment is its own, not that of whoever asked.
struct HostedSecrets: SecretResolver {
    let own: any SecretResolver

    func resolve(_ secret: Secret) throws(IngestError) -> SecretValue {
        if case .environment(let name) = secret.reference, getenv(name) == nil {
            throw IngestError(
                .misconfigured,
                "The run that holds this state (process \(getpid())) does this job, and \(secret.shown ?? name) is not set there.",
                advice:
                    "Restart it with the variable \(name), or keep the secret where both can read it: ${file:…}, ${credential:…} or `store`."
            )
        }
        return try own.resolve(secret)
    }

    func serving(_ places: CredentialPlaces) -> any SecretResolver { HostedSecrets(own: own.serving(places)) }
}
