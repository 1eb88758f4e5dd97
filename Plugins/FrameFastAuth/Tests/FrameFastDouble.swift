import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization

/// FrameFast's sign-in as its server code has it: one-time codes, rotating refresh tokens with a minute's grace, event
/// PINs.
final class FrameFastDouble: ServiceDouble {
    struct State {
        var codes: [String] = [], refresh: String?, previous: String?, rotated = 0, count = 0
        var issued: [String] = [], renewals = 0, revoked = 0, down = false, refuses = false, loses = 0, pinTries = 0
        var gone = false
        /// The status of a page in place of every answer.
        var page: Int?
    }
    let state = Mutex(State())
    private let server: DoubleServer<FrameFastDouble>
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
        let path = String(seen.target.prefix { $0 != "?" }), body = JSONValue(seen.body)
        return state.withLock { state in
            if state.down { return .answer(503) }
            if let page = state.page { return .page(page) }
            switch path {
            case "/auth/desktop": return page(seen.target, &state)
            case "/desktop/auth/redeem":
                guard let code = body?["code"]?.text, let index = state.codes.firstIndex(of: code) else {
                    return refused("Invalid or expired code")
                }
                state.codes.remove(at: index)
                return tokens(&state, rotating: true)
            case "/desktop/auth/refresh": return refresh(body?["refreshToken"]?.text ?? "", &state)
            case "/desktop/auth/revoke":
                guard body?["refreshToken"]?.text == state.refresh else {
                    return refused("Invalid or expired refresh token")
                }
                (state.refresh, state.previous, state.revoked) = (nil, nil, state.revoked + 1)
                return .answer(204)
            case "/auth/me":
                let known =
                    seen[header: "Authorization"].map { sent in state.issued.contains { sent.hasSuffix($0) } } ?? false
                return .answer(200, body: JSONValue.object(["userId": known ? .string("user_ann") : .null]).serialized)
            case "/api/ftp/auth": return event(body, &state)
            default: return .answer(404, body: #"{"error":{"code":"NOT_FOUND","message":"?"}}"#)
            }
        }
    }

    /// The page where a person signs in: straight back with a code, our own query kept.
    private func page(_ target: String, _ state: inout State) -> FaultAct {
        let query = target.split(separator: "?", maxSplits: 1).last ?? ""
        let back =
            query.split(separator: "&").first { $0.hasPrefix("redirect_url=") }.flatMap {
                Percent.decode($0.dropFirst(13))
            } ?? ""
        guard let address = WebAddress(back), address.isLoopback, address.path == "/callback",
            query.contains("flow=code")
        else {
            return .answer(400)
        }
        let code = fresh("code", &state)
        state.codes.append(code)
        return .answer(302, headers: [("Location", back + (address.query == nil ? "?" : "&") + "code=\(code)")])
    }

    private func refresh(_ offered: String, _ state: inout State) -> FaultAct {
        if state.refuses { return refused("Invalid or expired refresh token") }
        if offered == state.previous, clock.now - state.rotated <= 60 { return tokens(&state, rotating: false) }
        guard offered == state.refresh else { return refused("Invalid or expired refresh token") }
        state.renewals += 1
        let answer = tokens(&state, rotating: true)
        guard state.loses > 0 else { return answer }
        state.loses -= 1
        return .hangUpAfterBody
    }

    private func tokens(_ state: inout State, rotating: Bool) -> FaultAct {
        let head = #"{"alg":"HS256"}"#, claims = #"{"sub":"user_ann","aud":"desktop-api"}"#
        let access =
            [head, claims].map { Base64.text(of: Array($0.utf8)).replacing("=", with: "") }.joined(separator: ".") + "."
            + fresh("access", &state)
        if rotating {
            (state.previous, state.refresh, state.rotated) = (state.refresh, fresh("refresh", &state), clock.now)
        }
        return .answer(
            200,
            body: JSONValue.object([
                "accessToken": .string(access), "accessTokenExpiresAt": .integer(Int64(clock.now + 900) * 1000),
                "refreshToken": rotating ? .string(state.refresh ?? "") : .null,
                "refreshTokenUnchanged": .bool(!rotating),
                "refreshTokenExpiresAt": .integer(Int64(clock.now + 2_592_000) * 1000),
            ]).serialized)
    }

    private func event(_ body: JSONValue?, _ state: inout State) -> FaultAct {
        state.pinTries += 1
        if state.gone { return .answer(410, body: #"{"error":{"code":"GONE","message":"Event expired"}}"#) }
        let events = ["K7M2Q": ("e-1", "Smith"), "P4TTY": ("e-2", "Jones")]
        guard let event = body?["username"]?.text.flatMap({ events[$0] }), body?["password"]?.text == "canary-048213"
        else {
            return refused("Invalid credentials")
        }
        state.renewals += 1
        return .answer(
            200,
            body: #"{"token":"\#(fresh("event", &state))","event_id":"\#(event.0)","event_name":"\#(event.1)","#
                + #""upload_window_end":null,"credits_remaining":5}"#)
    }

    private func refused(_ words: String) -> FaultAct {
        .answer(401, body: #"{"error":{"code":"UNAUTHENTICATED","message":"\#(words)"}}"#)
    }

    private func fresh(_ kind: String, _ state: inout State) -> String {
        state.count += 1
        state.issued.append("\(kind)-canary-\(state.count)-77aa")
        return "\(kind)-canary-\(state.count)-77aa"
    }
}
