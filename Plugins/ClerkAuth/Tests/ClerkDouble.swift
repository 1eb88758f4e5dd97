import FilmgateTesting
import HTTPKit
import Synchronization

/// Clerk's frontend API as native clients see it: client tokens in `Authorization`, sign-ins in steps, session tokens of 60 seconds.
final class ClerkDouble: ServiceDouble {
    struct State {
        var native = true, second: String?, wrongCodes = 0, rotates = true
        var token: String?, session: String?, email: String?, count = 0, issued: [String] = []
        var minted = 0, removed = 0, down = false, ended = false, loses = 0, origins = 0, limits = 0
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
            guard parts.count == 2, parts[1].contains("_is_native=1"), seen[header: "clerk-api-version"] == "2026-05-12" else {
                return Self.refused("native_required", 400)
            }
            if seen[header: "Origin"] != nil { return Self.refused("origin_authorization_headers_conflict", 400) }
            guard state.native else { return Self.refused("native_api_disabled", 403) }
            if path == "/v1/client/sign_ins" { return begin(body, &state) }
            guard seen[header: "Authorization"] == state.token, state.token != nil else {
                return Self.refused("authentication_invalid", 401)
            }
            if path.hasSuffix("/prepare_first_factor") || path.hasSuffix("/prepare_second_factor") {
                return body.contains("_id=") ? step("prepared", &state) : Self.refused("form_param_missing", 422)
            }
            if path.hasSuffix("/attempt_first_factor") {
                return attempt(body, "424242", then: state.second == nil ? "complete" : "needs_second_factor", &state)
            }
            if path.hasSuffix("/attempt_second_factor") { return attempt(body, "111111", then: "complete", &state) }
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

    private func begin(_ body: String, _ state: inout State) -> FaultAct {
        if state.limits > 0 {
            state.limits -= 1
            return .answer(429, headers: [("Retry-After", "1")], body: #"{"errors":[{"code":"too_many_requests"}]}"#)
        }
        guard body.contains("identifier=ann%40example.com") else { return Self.refused("form_identifier_not_found", 422) }
        state.token = fresh("client", &state)
        return step("needs_first_factor", &state)
    }

    private func attempt(_ body: String, _ code: String, then status: String, _ state: inout State) -> FaultAct {
        guard body.contains("code=\(code)") else {
            state.wrongCodes += 1
            return Self.refused("form_code_incorrect", 422)
        }
        if status == "complete" { state.session = fresh("sess", &state) }
        if state.rotates { state.token = fresh("client", &state) }
        return step(status, &state)
    }

    private func step(_ status: String, _ state: inout State) -> FaultAct {
        let first = #"[{"strategy":"password"},{"strategy":"email_code","safe_identifier":"a**@example.com","email_address_id":"idn_1"}]"#
        let second = state.second.map { #"[{"strategy":"\#($0)"\#($0 == "totp" ? "" : #","phone_number_id":"idn_2""#)}]"# } ?? "null"
        let session = status == "complete" ? "\"\(state.session ?? "")\"" : "null"
        let body =
            #"{"response":{"object":"sign_in_attempt","id":"sia_1","status":"\#(status)","supported_first_factors":\#(first),"#
            + #""supported_second_factors":\#(second),"created_session_id":\#(session)},"client":null}"#
        return .answer(200, headers: [("Authorization", state.token ?? "")], body: body)
    }

    private func client(_ state: State) -> FaultAct {
        let status = state.ended ? "ended" : "active"
        let user = #"{"id":"user_ann","first_name":"Ann","last_name":"B","email_addresses":[{"email_address":"ann@example.com"}]}"#
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
        let text = [#"{"alg":"RS256","kid":"ins_1"}"#, claims].map { Base64.text(of: Array($0.utf8)).replacing("=", with: "") }.joined(
            separator: ".")
        return .answer(200, body: #"{"object":"token","jwt":"\#(text).\#(fresh("jwt", &state))"}"#)
    }

    static func refused(_ code: String, _ status: Int) -> FaultAct {
        .answer(status, body: #"{"errors":[{"message":"No","long_message":"The double says \#(code).","code":"\#(code)"}]}"#)
    }

    private func fresh(_ kind: String, _ state: inout State) -> String {
        state.count += 1
        state.issued.append("\(kind)-canary-\(state.count)-c1e4")
        return "\(kind)-canary-\(state.count)-c1e4"
    }
}
