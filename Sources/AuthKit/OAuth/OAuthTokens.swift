public import FilmgateCore
import HTTPKit

extension OAuthClient {
    /// A credential from the answer to a sign-in; `nonce` as it was sent, where it was.
    ///
    /// `unauthorized` when the answer lacks a token, or its ID token is not for us.
    public func credential(_ reply: OAuthReply, nonce: String? = nil) async throws(IngestError) -> Credential {
        guard let access = reply["access_token"] else {
            throw IngestError(.unauthorized, "\(issuer) gave no access token.")
        }
        guard HeaderText.clean(access) == access else {
            throw IngestError(.unauthorized, "\(issuer) gave an access token with characters that no header may have.")
        }
        guard reply.isBearer else {
            throw IngestError(
                .unauthorized,
                "\(issuer) gave a token of a kind that is not known here: \(HeaderText.clean(reply.kind)).",
                advice: "Let the provider give this client Bearer tokens.")
        }
        let identity = try reply["id_token"].map { text throws(IngestError) in try IDToken(text) }
        try identity?.check(issuer: issuer, client: id, nonce: nonce, now: clock())
        var account = identity?.account
        if account == nil, let metadata = try? await discovery.metadata(), metadata.userInfo != nil {
            account = try? await userInfo(SecretValue(access), metadata)
        }
        var credential = Credential(
            issuer: issuer, client: id, access: SecretValue(access), obtained: reply.at,
            account: account ?? Account(id: id)
        )
        credential.refresh = reply["refresh_token"].map { SecretValue($0) }
        credential.identity = reply["id_token"].map { SecretValue($0) }
        credential.expires = reply.seconds("expires_in").map { reply.at + $0 }
        credential.scope = reply["scope"]
        return credential
    }

    /// Whether it came from this issuer, for this client.
    public func issued(_ credential: Credential) -> Bool { credential.issuer == issuer && credential.client == id }

    /// The old credential with what the provider changed: a missing refresh token means that the old one stays.
    public func renewed(_ old: Credential, _ reply: OAuthReply) throws(IngestError) -> Credential {
        guard let access = reply["access_token"], HeaderText.clean(access) == access, reply.isBearer else {
            throw IngestError(.unavailable, "\(issuer) gave no access token that could be sent.")
        }
        var fresh = old
        if let text = reply["id_token"] { fresh.identity = isOurs(text) ? SecretValue(text) : nil }
        (fresh.access, fresh.obtained) = (SecretValue(access), reply.at)
        fresh.expires = reply.seconds("expires_in").map { reply.at + $0 }
        if let refresh = reply["refresh_token"] { fresh.refresh = SecretValue(refresh) }
        fresh.scope = reply["scope"] ?? old.scope
        return fresh
    }

    /// An ID token that is not for us is dropped; the tokens beside it are not, for the refresh token has changed hands
    /// already.
    private func isOurs(_ text: String) -> Bool {
        guard let token = try? IDToken(text) else { return false }
        return (try? token.check(issuer: issuer, client: id, nonce: nil, now: clock())) != nil
    }

    /// Asks who an access token belongs to.
    public func userInfo(_ access: SecretValue, _ metadata: ProviderMetadata) async throws(IngestError) -> Account {
        guard let endpoint = metadata.userInfo else {
            throw IngestError(.misconfigured, "\(issuer) has no userinfo endpoint.")
        }
        var request = HTTPRequest("GET", endpoint, headers: [("Accept", "application/json")])
        request.set("Authorization", "Bearer \(access.reveal())")
        var response = try await transport.send(HTTPExchange(request))
        response.redactor = Redactor(secrets: [access])
        guard response.status == 200 else { throw HTTPStatus.error(for: response) }
        guard let json = response.json, let account = Account(claims: json, issuer: issuer) else {
            throw IngestError(.unavailable, "\(issuer) does not say whose the sign-in is.")
        }
        return account
    }

    /// RFC 7009: 200 also for tokens that are unknown by now.
    ///
    /// Where there is no such endpoint, nothing is to be done.
    public func revoke(_ credential: Credential) async throws(IngestError) {
        let metadata = try await discovery.metadata()
        guard let endpoint = metadata.revocation else { return }
        let token = credential.refresh ?? credential.access
        let hint = credential.refresh == nil ? "access_token" : "refresh_token"
        let answer = try await post(endpoint, [("token", token.reveal()), ("token_type_hint", hint)], metadata)
        if case .refused(let refusal) = answer, refusal.code != "unsupported_token_type" { throw refusal.error(issuer) }
    }
}

extension Account {
    /// From an ID token's or the userinfo endpoint's claims; nil without a subject.
    init?(claims: JSONValue, issuer: String) {
        guard let id = claims["sub"]?.text, !id.isEmpty else { return nil }
        func claim(_ names: String...) -> String? {
            names.lazy.compactMap { claims[$0]?.text }.first { !$0.isEmpty }.map {
                HeaderText.clean(String($0.prefix(200)))
            }
        }
        self.init(
            id: HeaderText.clean(String(id.prefix(256))),
            name: claim("name", "preferred_username", "nickname", "username"), email: claim("email"), issuer: issuer)
    }
}
