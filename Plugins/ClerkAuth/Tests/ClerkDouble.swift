import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization

/// Clerk's frontend API as native clients see it: client tokens in `Authorization`, sign-ins in steps, session tokens
/// of 60 seconds.
///
/// Bodies must be forms, codes count once and only after they were sent, an identity token is taken once for each kind
/// of attempt.
final class ClerkDouble: ServiceDouble {
    struct State {
        var native = true, second: String?, wrongCodes = 0, rotates = true
        var token: String?, session: String?, email: String?, count = 0, issued: [String] = []
        /// Passwords by address; identities that have an account, as issuer and subject.
        var accounts: [String: String?] = ["ann@example.com": "correct horse"], identities: Set<String> = []
        var firstFactors = ["password", "email_code"], trusts = true, sent: Set<String> = [], tokens: Set<String> = []
        var signUp = ClerkSignUps()
        var minted = 0, removed = 0, down = false, ended = false, loses = 0, origins = 0, limits = 0
        /// The status of a page in place of every answer.
        var page: Int?
    }
    let state = Mutex(State())
    private let server: DoubleServer<ClerkDouble>
    let clock: BenchClock
    let url: String

    init(_ clock: BenchClock) throws {
        self.clock = clock
        server = try DoubleServer()
        url = server.url
        server.answers(self)
    }

    var seen: [FaultServer.Seen] { server.seen }

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        let parts = seen.target.split(separator: "?", maxSplits: 1), path = String(parts[0])
        let body = String(decoding: seen.body, as: UTF8.self)
        return state.withLock { state in
            if state.down { return .answer(503) }
            if let page = state.page { return .page(page) }
            guard parts.count == 2, parts[1].contains("_is_native=1"), seen[header: "clerk-api-version"] == "2026-05-12"
            else {
                return Self.refused("native_required", 400)
            }
            if seen[header: "Origin"] != nil { return Self.refused("origin_authorization_headers_conflict", 400) }
            if seen.method == "POST", seen[header: "Content-Type"] != "application/x-www-form-urlencoded" {
                return Self.refused("unsupported_content_type", 415)
            }
            guard state.native else { return Self.refused("native_api_disabled", 403) }
            let form = Self.fields(body)
            if path == "/v1/client/sign_ins" { return begin(form, &state) }
            if path == "/v1/client/sign_ups" { return beginSignUp(form, &state) }
            guard seen[header: "Authorization"] == state.token, state.token != nil else {
                return Self.refused("authentication_invalid", 401)
            }
            if path.hasPrefix("/v1/client/sign_ups/") {
                return signUp(String(path.dropFirst(20)), form, isPatch: parts[1].contains("_method=PATCH"), &state)
            }
            if path.hasSuffix("/prepare_first_factor") || path.hasSuffix("/prepare_second_factor") {
                guard body.contains("_id=") else { return Self.refused("form_param_missing", 422) }
                state.sent.insert(path.hasSuffix("/prepare_first_factor") ? "424242" : "111111")
                return step("prepared", &state)
            }
            if path.hasSuffix("/attempt_first_factor") {
                if form["strategy"] == "password" { return password(state.email ?? "", form["password"], &state) }
                return attempt(form, "424242", then: afterFirst(state), &state)
            }
            if path.hasSuffix("/attempt_second_factor") {
                if form["strategy"] == "totp" { state.sent.insert("111111") }
                return attempt(form, "111111", then: "complete", &state)
            }
            if path == "/v1/client" { return client(state) }
            guard let session = state.session, path.hasPrefix("/v1/client/sessions/\(session)/"), !state.ended else {
                return Self.refused("resource_not_found", 404)
            }
            if path.hasSuffix("/remove") {
                (state.session, state.token, state.removed) = (nil, nil, state.removed + 1)
                return .answer(200, body: #"{"response":{},"client":null}"#)
            }
            return mint(&state)
        }
    }

    private func begin(_ form: [String: String], _ state: inout State) -> FaultAct {
        if state.limits > 0 {
            state.limits -= 1
            return .answer(429, headers: [("Retry-After", "1")], body: #"{"errors":[{"code":"too_many_requests"}]}"#)
        }
        if form["token"] != nil { return identity(form, &state) }
        guard let email = form["identifier"], state.accounts[email] != nil else {
            return Self.refused("form_identifier_not_found", 422)
        }
        state.email = email
        if form["strategy"] == "password" { return password(email, form["password"], &state) }
        state.token = fresh("client", &state)
        return step("needs_first_factor", &state)
    }

    /// A password on a device that Clerk has not seen wants a second factor, too.
    private func afterFirst(_ state: State) -> String {
        state.second == nil ? "complete" : state.trusts ? "needs_second_factor" : "needs_client_trust"
    }

    private func password(_ email: String, _ word: String?, _ state: inout State) -> FaultAct {
        guard let known = state.accounts[email] ?? nil else { return Self.refused("strategy_for_user_invalid", 422) }
        guard word == known else {
            state.wrongCodes += 1
            return Self.refused("form_password_incorrect", 422)
        }
        return done(afterFirst(state), &state)
    }

    private func identity(_ form: [String: String], _ state: inout State) -> FaultAct {
        guard let known = identity(of: form, at: "sign_ins", &state) else {
            return Self.refused("authorization_invalid", 401)
        }
        if state.identities.contains(known) { return done("complete", &state) }
        guard form["strategy"] == "oauth_token_apple" else { return Self.refused("external_account_not_found", 422) }
        (state.token, state.signUp.transfers) = (fresh("client", &state), known)
        return step("needs_identifier", &state, verification: "transferable")
    }

    /// Whose token it is; nil when it is not of the strategy's issuer, or was shown there before.
    func identity(of form: [String: String], at place: String, _ state: inout State) -> String? {
        let issuers = [
            "oauth_token_apple": "https://appleid.apple.com", "google_one_tap": "https://accounts.google.com",
        ]
        let parts = form["token"]?.split(separator: ".") ?? []
        guard parts.count == 3, let claims = Base64.bytes(parts[1]).flatMap({ JSONValue($0) }),
            let subject = claims["sub"]?.text,
            let issuer = claims["iss"]?.text, issuers[form["strategy"] ?? ""] == issuer,
            state.tokens.insert("\(place) \(form["token"] ?? "")").inserted
        else { return nil }
        return "\(issuer) \(subject)"
    }

    private func attempt(
        _ form: [String: String], _ code: String, then status: String, _ state: inout State
    ) -> FaultAct {
        guard form["code"] == code, state.sent.remove(code) != nil else {
            state.wrongCodes += 1
            return Self.refused("form_code_incorrect", 422)
        }
        return done(status, &state)
    }

    private func done(_ status: String, _ state: inout State) -> FaultAct {
        if status == "complete" { state.session = fresh("sess", &state) }
        if state.rotates || state.token == nil { state.token = fresh("client", &state) }
        return step(status, &state)
    }

    private func step(_ status: String, _ state: inout State, verification: String = "unverified") -> FaultAct {
        let mail = #","safe_identifier":"a**@example.com","email_address_id":"idn_1""#
        let factors = state.firstFactors.map { #"{"strategy":"\#($0)"\#($0 == "email_code" ? mail : "")}"# }
        let first = "[" + factors.joined(separator: ",") + "]"
        let second =
            state.second.map { #"[{"strategy":"\#($0)"\#($0 == "phone_code" ? #","phone_number_id":"idn_2""# : "")}]"# }
            ?? "null"
        let session = status == "complete" ? "\"\(state.session ?? "")\"" : "null"
        let body =
            #"{"response":{"object":"sign_in_attempt","id":"sia_1","status":"\#(status)","supported_first_factors":\#(first),"#
            + #""supported_second_factors":\#(second),"first_factor_verification":{"status":"\#(verification)"},"created_session_id":\#(session)},"client":null}"#
        return .answer(200, headers: [("Authorization", state.token ?? "")], body: body)
    }

    private func client(_ state: State) -> FaultAct {
        let status = state.ended ? "ended" : "active"
        let user =
            #"{"id":"user_ann","first_name":"Ann","last_name":"B","email_addresses":[{"email_address":"\#(state.email ?? "ann@example.com")"}]}"#
        let session = state.session.map { #"{"id":"\#($0)","status":"\#(status)","user":\#(user)}"# } ?? ""
        return .answer(200, body: #"{"response":{"sessions":[\#(session)]},"client":null}"#)
    }

    private func mint(_ state: inout State) -> FaultAct {
        state.minted += 1
        if state.loses > 0 {
            state.loses -= 1
            return .hangUpAfterBody
        }
        let claims = #"{"iss":"\#(url)","sub":"user_ann","iat":\#(clock.now),"exp":\#(clock.now + 60),"v":2}"#
        let text = [#"{"alg":"RS256","kid":"ins_1"}"#, claims].map {
            Base64.text(of: Array($0.utf8)).replacing("=", with: "")
        }.joined(
            separator: ".")
        return .answer(200, body: #"{"object":"token","jwt":"\#(text).\#(fresh("jwt", &state))"}"#)
    }

    static func refused(_ code: String, _ status: Int) -> FaultAct {
        .answer(
            status, body: #"{"errors":[{"message":"No","long_message":"The double says \#(code).","code":"\#(code)"}]}"#
        )
    }

    static func fields(_ text: String) -> [String: String] {
        text.split(separator: "&").reduce(into: [:]) { fields, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[Percent.decode(parts[0]) ?? ""] = parts.count > 1 ? Percent.decode(parts[1]) : ""
        }
    }

    func fresh(_ kind: String, _ state: inout State) -> String {
        state.count += 1
        state.issued.append("\(kind)-canary-\(state.count)-c1e4")
        return "\(kind)-canary-\(state.count)-c1e4"
    }
}
