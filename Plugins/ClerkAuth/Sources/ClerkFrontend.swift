import AuthKit
import FilmgateCore
import HTTPKit

/// Clerk's frontend API as native clients use it: a client token that stays, sessions, and tokens of theirs that live a
/// minute.
struct ClerkFrontend: AccountGrant {
    /// What the pipeline file calls the sign-in, for advice.
    let name: String
    let base: String, options: ClerkOptions, transport: any HTTPTransport, clock: @Sendable () -> Int

    static let version = "2026-05-12"

    /// One call; `token` is the client token, and what the answer carries replaces it.
    ///
    /// No `Origin` is sent: together with a token Clerk refuses it. Changes go as POST that says what is meant, as its
    /// own clients do it.
    func call(_ method: String, _ path: String, _ form: [(String, String)] = [], token: inout SecretValue?)
        async throws(IngestError)
        -> (response: HTTPResponse, json: JSONValue)
    {
        let isPlain = method == "GET" || method == "POST"
        let query = "_is_native=1" + (isPlain ? "" : "&_method=\(method)")
        var request = HTTPRequest(
            isPlain ? method : "POST", "\(base)\(path)?\(query)", headers: [("Accept", "application/json")])
        request.set("clerk-api-version", Self.version)
        if let token { request.set("Authorization", token.reveal()) }
        let text = form.map { "\(Percent.encode($0.0))=\(Percent.encode($0.1))" }.joined(separator: "&")
        let body = method == "GET" ? nil : HTTPBody.text(text, type: "application/x-www-form-urlencoded")
        var response = try await transport.send(HTTPExchange(request, body: body))
        response.redactor = Redactor(
            secrets: [token].compactMap { $0 }
                + form.filter { ["code", "password", "token"].contains($0.0) }.map { SecretValue($0.1) })
        if let said = response[header: "Authorization"] {
            let bare = said.hasPrefix("Bearer") ? String(said.dropFirst(6).drop { $0 == " " }) : said
            token = bare.isEmpty ? nil : SecretValue(bare)
        }
        return (response, response.json ?? .null)
    }

    /// A token of the session, fresh for a minute.
    func mint(_ session: String, client: SecretValue, account: Account) async throws(IngestError) -> Credential {
        var token: SecretValue? = client
        let path =
            "/v1/client/sessions/\(Percent.encode(session))/tokens"
            + (options.template.map { "/" + Percent.encode($0) } ?? "")
        let (response, json) = try await call(
            "POST", path, options.organization.map { [("organization_id", $0)] } ?? [], token: &token)
        guard response.status == 200 else { throw failure(response, json) }
        guard let text = json["jwt"]?.text, let claims = try? IDToken(text), let client = token ?? Optional(client)
        else {
            throw IngestError(.unavailable, "Clerk gave no session token.")
        }
        var credential = Credential(
            issuer: base, client: options.key.shown ?? "", access: SecretValue(text), obtained: clock(),
            account: account)
        // By our own clock: how long it holds, not until when it says.
        let life = (claims.seconds("exp") ?? 60) - (claims.seconds("iat") ?? 0)
        credential.expires = clock() + min(3600, max(1, claims.seconds("iat") == nil ? 60 : life))
        (credential.refresh, credential.extra) = (client, ["session": SecretValue(session)])
        return credential
    }

    /// The address that somebody signed in with; nil where they did otherwise, or with an earlier version.
    static let email = "email"

    /// With another address in the file it would act for somebody else.
    func issued(_ credential: Credential) -> Bool {
        guard credential.issuer == base else { return false }
        guard let named = options.email, let used = credential.extra[Self.email] else { return true }
        return named.lowercased() == used.reveal().lowercased()
    }

    func refresh(_ credential: Credential) async throws(IngestError) -> Credential {
        guard let client = credential.refresh, let session = credential.extra["session"] else {
            throw IngestError(.unauthorized, "The sign-in has ended, and cannot be renewed.")
        }
        var fresh = try await mint(session.reveal(), client: client, account: credential.account)
        fresh.extra[Self.email] = credential.extra[Self.email]
        return fresh
    }

    /// The session as Clerk sees it now.
    func account(of credential: Credential) async throws(IngestError) -> Account {
        var token = credential.refresh
        let (response, json) = try await call("GET", "/v1/client", token: &token)
        guard response.status == 200 else { throw failure(response, json) }
        guard json["response"] != nil else {
            throw IngestError(.unavailable, "Clerk does not say whose the session is.")
        }
        guard case .array(let sessions)? = json.at("response.sessions"),
            let session = sessions.first(where: {
                $0["id"]?.text == credential.extra["session"]?.reveal() && $0["status"]?.text == "active"
            })
        else { throw IngestError(.unauthorized, "Clerk has ended the session.") }
        return Self.account(session["user"], base) ?? credential.account
    }

    static func account(_ user: JSONValue?, _ base: String) -> Account? {
        guard let user, let id = user["id"]?.text else { return nil }
        let name = [user["first_name"]?.text, user["last_name"]?.text].compactMap { $0 }.joined(separator: " ")
        return Account(
            id: HeaderText.clean(id), name: name.isEmpty ? nil : HeaderText.clean(name),
            email: user.at("email_addresses.0.email_address")?.text.map(HeaderText.clean), issuer: base)
    }

    func revoke(_ credential: Credential) async throws(IngestError) {
        guard let session = credential.extra["session"] else { return }
        var token = credential.refresh
        let (response, json) = try await call(
            "POST", "/v1/client/sessions/\(Percent.encode(session.reveal()))/remove", token: &token)
        guard response.status == 200 || response.status == 404 || response.status == 401 else {
            throw failure(response, json)
        }
    }
}
