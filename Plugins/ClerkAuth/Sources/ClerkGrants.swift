import AuthKit
import FilmgateCore
import HTTPKit

/// An API key: looked up where it is kept, never stored.
struct ClerkKey: AccountGrant {
    let key: Secret, secrets: any SecretResolver, clock: @Sendable () -> Int

    var stores: Bool { false }
    var obtains: Bool { true }
    /// Read anew in each process.
    func issued(_ credential: Credential) -> Bool { true }
    func renews(_ credential: Credential) -> Bool { true }

    func refresh(_ credential: Credential) async throws(IngestError) -> Credential {
        guard let fresh = try await obtain(), fresh.access.reveal() != credential.access.reveal() else {
            throw IngestError(
                .unauthorized, "Clerk's API key was refused.",
                advice: "Make a new one and put it where the old one is kept.")
        }
        return fresh
    }

    func obtain() async throws(IngestError) -> Credential? {
        let value: SecretValue
        do throws(IngestError) { value = try await secrets.value(of: key) } catch {
            throw IngestError(.unauthorized, error.message, advice: error.advice, cause: error)
        }
        let text = value.reveal()
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw IngestError(.unauthorized, "Clerk's API key holds characters that no key has.")
        }
        guard !text.hasPrefix("sk_"), !text.hasPrefix("pk_") else {
            throw IngestError(
                .unauthorized, "That is not a user's API key.",
                advice: "API keys begin with ak_; a secret key (sk_) belongs on the server alone.")
        }
        return Credential(
            issuer: "clerk", client: "api_key", access: value, obtained: clock(),
            account: Account(id: "api key", issuer: "clerk"))
    }
}

/// Clerk as an OAuth provider: authorization code and refresh token, which changes at each use.
struct ClerkOAuth: AccountGrant {
    let client: OAuthClient

    func issued(_ credential: Credential) -> Bool { client.issued(credential) }

    func refresh(_ credential: Credential) async throws(IngestError) -> Credential {
        guard let refresh = credential.refresh else {
            throw IngestError(.unauthorized, "The sign-in has ended, and cannot be renewed.")
        }
        switch try await client.token([("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())]) {
        case .fine(let reply): return try client.renewed(credential, reply)
        case .refused(let refusal): throw refusal.error(client.issuer)
        }
    }

    func account(of credential: Credential) async throws(IngestError) -> Account {
        try await client.userInfo(credential.access, try await client.discovery.metadata())
    }

    func revoke(_ credential: Credential) async throws(IngestError) { try await client.revoke(credential) }
}
