public import FilmgateCore
import HTTPKit
import Synchronization

/// An OpenID provider on loopback, made after RFC 6749, 7009, 7636, 8628 and what providers do differently; ends with
/// `stop()`.
///
/// Forms must come as forms. Device codes are asked about no sooner than the interval allows, which each `slow_down`
/// makes 5 s longer, and hold 900 s; an identity token is exchanged once. Device codes and authorization codes work
/// once, refresh tokens rotate, a token used twice revokes its family unless `overlap` is on.
public final class OIDCDouble: ServiceDouble {
    /// How it behaves, to be changed at any time.
    public struct Profile: Sendable {
        /// How refusals are numbered; `fine` says them with 200.
        public enum Style: Sendable, CaseIterable { case rfc, auth0, google, fine }
        /// What the token endpoint answers to everything: `invalid_client`, a network's own page, JSON without a token,
        /// some code.
        public enum EndpointFault: Sendable, Equatable {
            case refusal, page, nothing, code(String, status: Int)
            case pageOf(status: Int)
        }
        public var trouble: EndpointFault?
        public var style = Style.rfc
        /// Polls that are answered `authorization_pending`, then `slow_down`, before the code counts as used.
        public var pending = 1, slowDowns = 0
        /// Seconds between polls.
        public var interval = 5
        public var denies = false, codeExpires = false
        public var lifetime = 900, lifetimeAsText = false
        /// Refresh tokens change at each use; the one before still works.
        public var rotates = true, overlap = false
        /// Answers to refreshes that get lost on the way, after the token has changed.
        public var loses = 0
        /// 503 to everything but discovery; refuses every refresh.
        public var down = false, refuses = false
        /// What its description of itself is answered with first, one after the other.
        public var hides: [Int] = []
        public var offersDevice = true, openID = true
        public var secret: String?
        /// The type of identity token that it exchanges, of issuers that it trusts; nil = it exchanges none.
        public var exchanges: String?
        public var trusts: Set<String> = ["https://accounts.google.com"]
        /// What the ID token says otherwise.
        public var claims: JSONObject = [:]
        public init() {}
    }

    struct State {
        var profile = Profile(), count = 0, deviceForm: [String: String] = [:], deviceDone = false
        var polls: [Int] = [], early = 0, interval = 5, nextPoll = 0, deviceEnds = 0, exchanged: Set<String> = []
        var codes: [String: [String: String]] = [:]
        var refresh: String?, previous: String?, revoked: [String] = [], access: Set<String> = [], nonce: String?
        var renewals = 0, grants: [String] = [], issued: [String] = [], expiredSaid = false
    }

    let state = Mutex(State())
    private let server: DoubleServer<OIDCDouble>
    let clock: @Sendable () -> Int
    public let issuer: String
    public static let client = "camera"

    /// `clock`: seconds since 1970, for the tokens' claims.
    public init(_ profile: Profile = Profile(), clock: @escaping @Sendable () -> Int) throws {
        self.clock = clock
        server = try DoubleServer()
        issuer = server.url + (profile.style == .auth0 ? "/" : "")
        state.withLock { $0.profile = profile }
        server.answers(self)
    }

    public func stop() { server.stop() }

    public func set(_ change: (inout Profile) -> Void) { state.withLock { change(&$0.profile) } }
    /// Refreshes that it granted; every secret that it ever gave out; the grants that it was asked for; what was
    /// revoked.
    public var renewals: Int { state.withLock { $0.renewals } }
    public var secrets: [String] { state.withLock { $0.issued } }
    public var grants: [String] { state.withLock { $0.grants } }
    public var revoked: [String] { state.withLock { $0.revoked } }
    public var seen: [FaultServer.Seen] { server.seen }
    /// When the last device code was asked about, in seconds since 1970, and how many of these polls came too early.
    public var polls: [Int] { state.withLock { $0.polls } }
    public var earlyPolls: Int { state.withLock { $0.early } }

    public func answer(_ seen: FaultServer.Seen) -> FaultAct {
        let parts = seen.target.split(separator: "?", maxSplits: 1)
        let form = Self.fields(
            seen.method == "POST" ? String(decoding: seen.body, as: UTF8.self) : parts.count > 1 ? String(parts[1]) : ""
        )
        let isForm = seen[header: "Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true
        return state.withLock { state in
            if seen.method == "POST", !isForm { return Self.json(["error": .string("invalid_request")], status: 400) }
            if state.profile.down, parts[0] != "/.well-known/openid-configuration" { return .answer(503) }
            switch parts[0] {
            case "/.well-known/openid-configuration":
                if !state.profile.hides.isEmpty { return .answer(state.profile.hides.removeFirst()) }
                return metadata(state.profile)
            case "/device": return device(form, &state)
            case "/authorize": return authorize(form, &state)
            case "/token": return state.profile.trouble.map(Self.answer) ?? token(form, seen, &state)
            case "/revoke":
                state.revoked.append(form["token"] ?? "")
                if form["token"] == state.refresh { (state.refresh, state.previous, state.access) = (nil, nil, []) }
                return .answer(200)
            case "/userinfo":
                let token = seen[header: "Authorization"]?.split(separator: " ").last.map { String($0) } ?? ""
                guard state.access.contains(token) else { return .answer(401) }
                return Self.json([
                    "sub": .string("auth0|ann"), "name": .string("Ann"), "email": .string("ann@example.com"),
                ])
            default: return .answer(404)
            }
        }
    }

    private func metadata(_ profile: Profile) -> FaultAct {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var members: JSONObject = [
            "issuer": .string(issuer), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "revocation_endpoint": .string(base + "/revoke"),
            "userinfo_endpoint": .string(base + "/userinfo"),
            "token_endpoint_auth_methods_supported": .array([.string("client_secret_basic")]),
        ]
        if profile.offersDevice { members["device_authorization_endpoint"] = .string(base + "/device") }
        return Self.json(members)
    }

    private func authorize(_ form: [String: String], _ state: inout State) -> FaultAct {
        guard form["client_id"] == Self.client, let back = form["redirect_uri"], back.hasPrefix("http://127.0.0.1:"),
            form["code_challenge_method"] == "S256", form["response_type"] == "code"
        else { return .answer(400) }
        let echo = "state=\(Percent.encode(form["state"] ?? ""))&iss=\(Percent.encode(issuer))"
        if state.profile.denies { return .answer(302, headers: [("Location", "\(back)?error=access_denied&\(echo)")]) }
        let code = fresh("code", &state)
        state.codes[code] = form
        return .answer(302, headers: [("Location", "\(back)?code=\(code)&\(echo)")])
    }

    private static func answer(_ trouble: Profile.EndpointFault) -> FaultAct {
        switch trouble {
        case .refusal: json(["error": .string("invalid_client")], status: 401)
        case .page: .page(200)
        case .pageOf(let status): .page(status)
        case .nothing: json([:])
        case .code(let code, let status): json(["error": .string(code)], status: status)
        }
    }

    static func fields(_ text: String) -> [String: String] {
        text.split(separator: "&").reduce(into: [:]) { fields, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[Percent.decode(parts[0]) ?? ""] = parts.count > 1 ? Percent.decode(parts[1]) : ""
        }
    }

    static func json(_ members: JSONObject, status: Int = 200) -> FaultAct {
        .answer(status, headers: [("Content-Type", "application/json")], body: JSONValue.object(members).serialized)
    }

    func fresh(_ kind: String, _ state: inout State) -> String {
        state.count += 1
        let text = "\(kind)-canary-\(state.count)-9b1f"
        state.issued.append(text)
        return text
    }
}

/// What a closure refers to that is made before its owner.
final class Weak<Object: AnyObject & Sendable>: Sendable {
    private struct Box: Sendable { weak var object: Object? }
    private let box = Mutex(Box())
    var value: Object? {
        get { box.withLock { $0.object } }
        set { box.withLock { $0.object = newValue } }
    }
}
