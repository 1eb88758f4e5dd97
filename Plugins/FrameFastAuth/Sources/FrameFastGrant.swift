import AuthKit
import FilmgateCore
import HTTPKit
import Synchronization

/// What FrameFast does with credentials.
final class FrameFastGrant: AccountGrant {
    let api: JSONPost, options: FrameFastAuth.Options, secrets: any SecretResolver, clock: @Sendable () -> Int
    /// The PIN that was refused: there are a million of them, and guessing is not for us.
    private let refusedPIN = Mutex<String?>(nil)

    init(
        api: JSONPost, options: FrameFastAuth.Options, secrets: any SecretResolver, clock: @escaping @Sendable () -> Int
    ) {
        (self.api, self.options, self.secrets, self.clock) = (api, options, secrets, clock)
    }

    /// What was left when the token was given.
    static let credits = "credits"

    private var isEvent: Bool { options.username != nil }
    private var client: String { options.username ?? "desktop" }

    var obtains: Bool { isEvent }

    /// The token of another event would put this one's pictures into the other's gallery.
    func issued(_ credential: Credential) -> Bool { credential.issuer == api.base && credential.client == client }

    func renews(_ credential: Credential) -> Bool { isEvent || credential.refresh != nil }

    func refresh(_ credential: Credential) async throws(IngestError) -> Credential {
        if let fresh = try await obtain() { return fresh }
        guard let refresh = credential.refresh else {
            throw IngestError(.unauthorized, "The sign-in has ended, and cannot be renewed.")
        }
        let response = try await api.send(
            "POST", "/desktop/auth/refresh", ["refreshToken": .string(refresh.reveal())], hidden: [refresh])
        var fresh = try tokens(response)
        // The token before, honoured for a minute: the service gives no newer one for it.
        fresh.refresh = fresh.refresh ?? refresh
        // Whose it is was found out at the sign-in.
        fresh.account = credential.account
        return fresh
    }

    func redeem(_ code: String) async throws(IngestError) -> Credential {
        let response = try await api.send(
            "POST", "/desktop/auth/redeem", ["code": .string(code), "deviceName": .string(options.device)],
            hidden: [SecretValue(code)])
        return try tokens(response)
    }

    private func tokens(_ response: HTTPResponse) throws(IngestError) -> Credential {
        guard response.status == 200 else { throw Self.failure(response) }
        guard let json = response.json, let access = json["accessToken"]?.text,
            case .integer(let ends)? = json["accessTokenExpiresAt"]
        else {
            throw IngestError(.unavailable, "\(api.base) gave no token.")
        }
        let subject = (try? IDToken(access))?.claims["sub"]?.text
        let account = subject.map { Account(id: HeaderText.clean($0), issuer: api.base) } ?? Account(id: "photographer")
        var credential = credential(access, account)
        credential.refresh = json["refreshToken"]?.text.map { SecretValue($0) }
        credential.expires = JSONPost.local(Int(ends / 1000), in: response, receivedAt: clock())
        return credential
    }

    private func credential(_ access: String, _ account: Account) -> Credential {
        Credential(
            issuer: api.base, client: client, access: SecretValue(access), obtained: clock(), account: account)
    }

    func obtain() async throws(IngestError) -> Credential? { try await obtain(again: false) }

    /// An event's token, twelve hours long; nil without an event.
    ///
    /// `again`: the person asks for it, so a refused PIN may be tried once more.
    func obtain(again: Bool) async throws(IngestError) -> Credential? {
        guard let username = options.username else { return nil }
        let pin = try await secrets.shown(options.password)
        if !again, refusedPIN.withLock({ $0 == pin.reveal() }) {
            throw IngestError(
                .unauthorized, "The event's user name or PIN was refused; it is not tried again.",
                advice: "Correct it in the dashboard.")
        }
        let response = try await api.send(
            "POST", "/api/ftp/auth", ["username": .string(username), "password": .string(pin.reveal())], hidden: [pin])
        guard response.status == 200 else {
            if response.status == 401 || response.status == 400, Self.isOwn(response) {
                refusedPIN.withLock { $0 = pin.reveal() }
            }
            throw Self.failure(response)
        }
        guard let token = response.json?["token"]?.text else {
            throw IngestError(.unavailable, "\(api.base) gave no token.")
        }
        let event = response.json?["event_id"]?.text ?? username
        let name = response.json?["event_name"]?.text.map(HeaderText.clean)
        var credential = credential(token, Account(id: HeaderText.clean(event), name: name, issuer: api.base))
        credential.expires = clock() + 12 * 3600
        if case .integer(let left)? = response.json?["credits_remaining"] {
            credential.extra[Self.credits] = SecretValue(String(left))
        }
        return credential
    }

    /// `GET /auth/me` always answers 200; nobody is `null`.
    func account(of credential: Credential) async throws(IngestError) -> Account {
        if isEvent { return credential.account }
        let headers = [(name: "Authorization", value: "Bearer \(credential.access.reveal())")]
        let response = try await api.send("GET", "/auth/me", headers: headers, hidden: [credential.access])
        guard response.status == 200 else { throw Self.failure(response) }
        guard let said = response.json?["userId"] else {
            throw IngestError(.unavailable, "\(api.base) does not say whose the sign-in is.")
        }
        guard let id = said.text else {
            throw IngestError(.unauthorized, "\(api.base) does not know this sign-in any more.")
        }
        return Account(id: HeaderText.clean(id), issuer: api.base)
    }

    /// 401: it was gone already.
    func revoke(_ credential: Credential) async throws(IngestError) {
        guard !isEvent, let refresh = credential.refresh else { return }
        let response = try await api.send(
            "POST", "/desktop/auth/revoke", ["refreshToken": .string(refresh.reveal())], hidden: [refresh])
        guard response.status == 204 || response.status == 200 || response.status == 401 else {
            throw Self.failure(response)
        }
    }

    /// Only in an envelope of its own a refusal is the service's: a page of some network in between, or of a firewall,
    /// says nothing about the sign-in.
    private static func failure(_ response: HTTPResponse) -> IngestError {
        var error = HTTPStatus.error(for: response)
        switch response.status {
        case 400, 401, 403: (error.code, error.advice) = (isOwn(response) ? .unauthorized : .unavailable, nil)
        case 410 where isOwn(response): (error.code, error.message) = (.unauthorized, "The event has expired.")
        default: if error.code == .rejected || error.code == .unauthorized { error.code = .unavailable }
        }
        return error
    }

    /// `{"error": {"code": …}}`, or what is wrong with the fields of the request.
    private static func isOwn(_ response: HTTPResponse) -> Bool {
        let said = response.json?["error"]
        return said?["code"]?.text != nil || said?["issues"] != nil
    }
}
