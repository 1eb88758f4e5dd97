public import FilmgateCore
import HTTPKit

/// Signing in with a browser that comes back with a code: to a port of this machine (RFC 8252), or by a pasted address.
public struct CodeGrant: Sendable {
    let client: OAuthClient
    /// What the authorization request says besides: `scope`, `audience`, `prompt`.
    let form: OAuthClient.Form
    /// Ports that are registered with the provider; empty = any.
    let ports: [Int]

    public init(_ client: OAuthClient, _ form: OAuthClient.Form, ports: [Int]) {
        (self.client, self.form, self.ports) = (client, form, ports)
    }

    /// `unauthorized` when the person refuses, takes too long, or what comes back is not the answer to our question.
    public func run(_ prompter: any SignInPrompter, paste: Bool) async throws(IngestError) -> Credential {
        let metadata = try await client.discovery.metadata()
        guard let endpoint = metadata.authorization else {
            throw IngestError(
                .misconfigured, "\(client.issuer) offers no sign-in by browser.", advice: "Use `flow: device`.")
        }
        let listener = try LoopbackListener(ports: ports), pkce = PKCE(), state = PKCE.random(), nonce = PKCE.random()
        let openID = form.contains { $0.name == "scope" && $0.value.split(separator: " ").contains("openid") }
        var query =
            form + [
                ("response_type", "code"), ("client_id", client.id), ("redirect_uri", listener.redirect),
                ("state", state), ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
            ]
        if openID { query.append(("nonce", nonce)) }
        let text = query.map { "\(Percent.encode($0.name))=\(Percent.encode($0.value))" }.joined(separator: "&")
        await prompter.invite(SignInPrompt(url: endpoint + (endpoint.contains("?") ? "&" : "?") + text, opens: !paste))
        let answer = try await Callback.answer(listener, prompter, state: state, paste: paste)
        let code = try answer.code(state: state, issuer: client.issuer, namesIssuer: metadata.namesIssuer)
        let reply = try await client.token([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", listener.redirect),
            ("code_verifier", pkce.verifier),
        ])
        switch reply {
        case .fine(let reply): return try await client.credential(reply, nonce: openID ? nonce : nil)
        case .refused(let refusal): throw refusal.error(client.issuer)
        }
    }
}
