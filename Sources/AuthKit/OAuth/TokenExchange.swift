public import FilmgateCore
import HTTPKit

/// Another sign-in's identity token, exchanged at a provider for tokens of its own (RFC 8693).
public struct TokenExchange: Sendable {
    let client: OAuthClient
    /// What the request says besides the token: its type, `scope`, `audience`, the provider's own parameters.
    let form: OAuthClient.Form

    public static let grant = "urn:ietf:params:oauth:grant-type:token-exchange"

    public init(_ client: OAuthClient, _ form: OAuthClient.Form) { (self.client, self.form) = (client, form) }

    /// `unauthorized` when the provider refuses the token or the exchange.
    public func run(_ token: SecretValue) async throws(IngestError) -> Credential {
        switch try await client.token([("grant_type", Self.grant), ("subject_token", token.reveal())] + form) {
        case .fine(let reply): return try await client.credential(reply)
        case .refused(let refusal):
            var error = refusal.error(client.issuer)
            switch refusal.code {
            case "unsupported_grant_type", "unauthorized_client":
                error.advice =
                    "Allow this client the token exchange grant at the provider, or sign in with --device or --browser."
            case "invalid_grant", "invalid_request", "invalid_token":
                error.advice =
                    "Get a new identity token, made for a client that this provider trusts, and give it at once: it soon runs out."
            default: break
            }
            throw error
        }
    }
}

extension IDToken {
    /// One that a person hands in for exchange: asked for at the desk, and looked at before it is sent anywhere.
    ///
    /// `unauthorized` when it is none, or has run out.
    public static func handedIn(_ prompter: any SignInPrompter, now: Int) async throws(IngestError) -> (
        text: SecretValue, token: IDToken
    ) {
        let text = try await prompter.ask("Identity token", hidden: true)
        let again = "Get a new one and give it at once; such tokens hold for minutes."
        guard let token = try? IDToken(text) else {
            throw IngestError(
                .unauthorized,
                "What was given is no identity token: that is a signed JWT, three parts with dots between them.",
                advice: "Give the token alone, on one line.")
        }
        guard token.claims["iss"]?.text != nil else {
            throw IngestError(.unauthorized, "The identity token does not say who issued it.", advice: again)
        }
        if let expires = token.seconds("exp"), expires <= now {
            throw IngestError(.unauthorized, "The identity token has run out.", advice: again)
        }
        return (SecretValue(text), token)
    }

    /// Who issued it; "" where it does not say.
    public var issuer: String { claims["iss"]?.text ?? "" }
}
