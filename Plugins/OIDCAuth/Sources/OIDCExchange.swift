import AuthKit
import FilmgateCore

/// What providers want to know of an identity token that is exchanged: each has names of its own for its kind.
extension OIDCOptions {
    private static let issuedByApple: Set = ["https://appleid.apple.com"]
    private static let issuedByGoogle: Set = ["https://accounts.google.com", "accounts.google.com"]

    /// The form of the exchange besides the token; `exchange` wins over what is known of the provider.
    ///
    /// `misconfigured` where that provider takes no such token at all.
    func exchangeForm(_ token: IDToken) throws(IngestError) -> OAuthClient.Form {
        var more = exchange
        if more["subject_token_type"] == nil { more["subject_token_type"] = try kind(of: token) }
        return form + more.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    private func kind(of token: IDToken) throws(IngestError) -> String {
        let another = "Sign in with --device or --browser instead."
        switch preset {
        case .google, .glewlwyd:
            throw IngestError(
                .misconfigured, "\(preset == .google ? "Google" : "glewlwyd") exchanges no identity tokens.",
                advice: another)
        // Matches the token by its issuer.
        case .keycloak: return "urn:ietf:params:oauth:token-type:jwt"
        case .auth0:
            if Self.issuedByGoogle.contains(token.issuer) { return "http://auth0.com/oauth/token-type/google-id-token" }
            if Self.issuedByApple.contains(token.issuer) {
                throw IngestError(
                    .misconfigured, "Auth0 takes Apple's authorization code and not its identity token.",
                    advice:
                        "\(another) Choose Apple on Auth0's page; `authorize: { connection: apple }` goes straight there."
                )
            }
            throw IngestError(
                .misconfigured, "Auth0 exchanges tokens of this issuer only by a profile of the tenant's own.",
                advice: "Name its type: `exchange: { subject_token_type: … }`.")
        case nil: return "urn:ietf:params:oauth:token-type:id_token"
        }
    }
}
