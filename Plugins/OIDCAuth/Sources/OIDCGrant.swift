import AuthKit
import FilmgateCore
import HTTPKit

/// What the provider does with credentials.
struct OIDCGrant: AccountGrant {
    let client: OAuthClient, options: OIDCOptions

    private var isMachine: Bool { options.flow == .clientCredentials }

    var obtains: Bool { isMachine }

    /// A machine's token is also for the audience and scopes that it was asked for; a person's is what the person
    /// agreed to.
    func issued(_ credential: Credential) -> Bool {
        client.issued(credential) && (!isMachine || credential.extra[Self.asked]?.reveal() == preference)
    }

    private static let asked = "asked"
    private var preference: String { options.form.map { "\($0.name)=\($0.value)" }.joined(separator: "\n") }

    func renews(_ credential: Credential) -> Bool { isMachine || credential.refresh != nil }

    func refresh(_ credential: Credential) async throws(IngestError) -> Credential {
        if isMachine, let fresh = try await obtain() { return fresh }
        guard let refresh = credential.refresh else {
            throw IngestError(.unauthorized, "The sign-in has ended, and cannot be renewed.")
        }
        switch try await client.token([("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())]) {
        case .fine(let reply): return try client.renewed(credential, reply)
        case .refused(let refusal): throw refusal.error(client.issuer)
        }
    }

    /// Client credentials (RFC 6749 §4.4): a token without a person, asked for again when it ends.
    func obtain() async throws(IngestError) -> Credential? {
        guard isMachine else { return nil }
        switch try await client.token([("grant_type", "client_credentials")] + options.form) {
        case .fine(let reply):
            guard reply["access_token"] != nil else {
                throw IngestError(.unavailable, "\(client.issuer) gave no access token.")
            }
            var credential = try await client.credential(reply)
            credential.extra[Self.asked] = SecretValue(preference)
            return credential
        case .refused(let refusal): throw refusal.error(client.issuer)
        }
    }

    func account(of credential: Credential) async throws(IngestError) -> Account {
        let metadata = try await client.discovery.metadata()
        guard metadata.userInfo != nil, !isMachine, options.scope.split(separator: " ").contains("openid") else {
            return credential.account
        }
        return try await client.userInfo(credential.access, metadata)
    }

    func revoke(_ credential: Credential) async throws(IngestError) { try await client.revoke(credential) }
}
