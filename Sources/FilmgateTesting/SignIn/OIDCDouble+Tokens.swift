import FilmgateCore
import HTTPKit

extension OIDCDouble {
    func device(_ form: [String: String], _ state: inout State) -> FaultAct {
        guard form["client_id"] == Self.client, state.profile.offersDevice else {
            return refusal("invalid_client", &state)
        }
        (state.deviceForm, state.polls, state.deviceDone, state.expiredSaid) = (form, [], false, false)
        (state.interval, state.early) = (state.profile.interval, 0)
        (state.nextPoll, state.deviceEnds) = (clock() + state.interval, clock() + 900)
        let code = fresh("device", &state)
        state.deviceForm["device_code"] = code
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let place = state.profile.style == .google ? "verification_url" : "verification_uri"
        return Self.json([
            "device_code": .string(code), "user_code": .string("QTZL-MCBW"), place: .string(base + "/activate"),
            "expires_in": .integer(900),
            "verification_uri_complete": .string(base + "/activate?user_code=QTZL-MCBW"),
            "interval": .integer(Int64(state.profile.interval)),
        ])
    }

    func token(_ form: [String: String], _ seen: FaultServer.Seen, _ state: inout State) -> FaultAct {
        state.grants.append(form["grant_type"] ?? "")
        guard isClient(form, seen, state.profile) else { return refusal("invalid_client", &state) }
        switch form["grant_type"] {
        case "urn:ietf:params:oauth:grant-type:device_code": return poll(form, &state)
        case "authorization_code": return redeem(form, &state)
        case "urn:ietf:params:oauth:grant-type:token-exchange": return exchange(form, &state)
        case "refresh_token": return renew(form["refresh_token"] ?? "", &state)
        case "client_credentials":
            guard state.profile.secret != nil else { return refusal("unauthorized_client", &state) }
            state.renewals += 1
            return grant(&state, refresh: false)
        default: return refusal("unsupported_grant_type", &state)
        }
    }

    private func isClient(_ form: [String: String], _ seen: FaultServer.Seen, _ profile: Profile) -> Bool {
        guard let secret = profile.secret else {
            return form["client_id"] == Self.client && seen[header: "Authorization"] == nil
        }
        return seen[header: "Authorization"] == "Basic " + Base64.text(of: Array("\(Self.client):\(secret)".utf8))
    }

    private func poll(_ form: [String: String], _ state: inout State) -> FaultAct {
        guard form["device_code"] == state.deviceForm["device_code"], !state.deviceDone else {
            return refusal("invalid_grant", &state)
        }
        let now = clock(), isEarly = now < state.nextPoll
        state.polls.append(now)
        let count = state.polls.count, waits = count <= state.profile.pending
        if isEarly { state.early += 1 }
        let isSlowed = isEarly || !waits && count <= state.profile.pending + state.profile.slowDowns
        if isSlowed { state.interval += 5 }
        state.nextPoll = now + state.interval
        if isSlowed { return refusal("slow_down", &state) }
        if waits, now < state.deviceEnds { return refusal("authorization_pending", &state) }
        if state.profile.denies { return refusal("access_denied", &state) }
        if state.profile.codeExpires || now >= state.deviceEnds {
            // Auth0 says so once; afterwards the code is unknown.
            defer { state.expiredSaid = true }
            return refusal(state.expiredSaid ? "invalid_grant" : "expired_token", &state)
        }
        state.deviceDone = true
        return grant(&state, refresh: true)
    }

    private func redeem(_ form: [String: String], _ state: inout State) -> FaultAct {
        guard let asked = state.codes.removeValue(forKey: form["code"] ?? ""),
            asked["redirect_uri"] == form["redirect_uri"],
            let verifier = form["code_verifier"], (43...128).contains(verifier.utf8.count),
            asked["code_challenge"] == Self.url(ByteDigest.sha256(Array(verifier.utf8)))
        else { return refusal("invalid_grant", &state) }
        state.nonce = asked["nonce"]
        defer { state.nonce = nil }
        return grant(&state, refresh: true)
    }

    /// RFC 8693 §2.1: the token's type is said, and is the one that is taken here; the token is for this provider's
    /// client, and not used before.
    private func exchange(_ form: [String: String], _ state: inout State) -> FaultAct {
        guard let kind = state.profile.exchanges else { return refusal("unsupported_grant_type", &state) }
        guard form["subject_token_type"] == kind, let token = form["subject_token"] else {
            return refusal("invalid_request", &state)
        }
        let parts = token.split(separator: ".")
        guard parts.count == 3, let claims = Base64.bytes(parts[1]).flatMap({ JSONValue($0) }),
            state.profile.trusts.contains(claims["iss"]?.text ?? ""), claims["aud"]?.text == Self.client,
            state.exchanged.insert(token).inserted
        else { return refusal("invalid_grant", &state) }
        return grant(&state, refresh: true)
    }

    private func renew(_ offered: String, _ state: inout State) -> FaultAct {
        if state.profile.refuses || state.refresh == nil { return refusal("invalid_grant", &state) }
        guard offered == state.refresh || (state.profile.overlap && offered == state.previous) else {
            // Used twice: the whole family goes.
            (state.refresh, state.previous) = (nil, nil)
            return refusal("invalid_grant", &state)
        }
        state.renewals += 1
        let answer = grant(&state, refresh: state.profile.rotates && offered == state.refresh)
        guard state.profile.loses > 0 else { return answer }
        state.profile.loses -= 1
        return .hangUpAfterBody
    }

    private func grant(_ state: inout State, refresh: Bool) -> FaultAct {
        let access = fresh("access", &state)
        state.access.insert(access)
        var members: JSONObject = ["access_token": .string(access), "token_type": .string("Bearer")]
        let lifetime = state.profile.lifetime
        members["expires_in"] = state.profile.lifetimeAsText ? .string("\(lifetime)") : .integer(Int64(lifetime))
        if refresh {
            (state.previous, state.refresh) = (state.refresh, fresh("refresh", &state))
            members["refresh_token"] = state.refresh.map { .string($0) }
        }
        if state.profile.openID { members["id_token"] = .string(identity(&state)) }
        return Self.json(members)
    }

    private func identity(_ state: inout State) -> String {
        let now = Int64(clock())
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": .string("auth0|ann"), "aud": .string(Self.client), "iat": .integer(now),
            "exp": .integer(now + Int64(state.profile.lifetime)), "name": .string("Ann"),
            "email": .string("ann@example.com"),
        ]
        claims["nonce"] = state.nonce.map { .string($0) }
        claims = claims.adding(state.profile.claims)
        let head = JSONValue.object(["alg": state.profile.claims["alg"] ?? .string("RS256"), "kid": .string("1")])
        let parts = [head, .object(claims)].map { Self.url(Array($0.serialized.utf8)) }
        return parts.joined(separator: ".") + "." + fresh("signature", &state)
    }

    private func refusal(_ code: String, _ state: inout State) -> FaultAct {
        var status = code == "invalid_client" ? 401 : 400
        if state.profile.style == .auth0 {
            status = ["slow_down": 429, "invalid_client": 401, "unsupported_grant_type": 400][code] ?? 403
        }
        if state.profile.style == .fine { status = 200 }
        if state.profile.style == .google, code == "authorization_pending" { status = 428 }
        return Self.json(
            ["error": .string(code), "error_description": .string("The double says \(code).")], status: status)
    }

    static func url(_ bytes: [UInt8]) -> String {
        Base64.text(of: bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
