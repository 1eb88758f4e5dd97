import FilmgateTesting
import HTTPKit

/// Where a sign-up at the double stands.
struct ClerkSignUps {
    var email: String?, password: String?, isVerified = false, isSent = false, isComplete = false, agrees = false
    /// An identity that a sign-in found to have no account.
    var transfers: String?
    /// What the instance wants besides; whether it lets strangers in, and without a captcha.
    var missing: [String] = [], wantsAgreement = false, isClosed = false, wantsCaptcha = false
    static let code = "313131"
}

/// Sign-ups: an address is taken once, a password has eight characters and was not stolen, a code counts once and after
/// it was sent.
extension ClerkDouble {
    func beginSignUp(_ form: [String: String], _ state: inout State) -> FaultAct {
        if state.signUp.isClosed { return Self.refused("sign_up_mode_restricted", 403) }
        if state.signUp.wantsCaptcha { return Self.refused("captcha_missing_token", 400) }
        if form["token"] != nil || form["transfer"] == "true" { return external(form, &state) }
        guard let email = form["email_address"], email.contains("@") else {
            return Self.refused("form_param_format_invalid", 422)
        }
        guard state.accounts[email] == nil else { return Self.refused("form_identifier_exists", 422) }
        guard let password = form["password"], password.count >= 8 else {
            return Self.refused("form_password_length_too_short", 422)
        }
        guard password != "password1" else { return Self.refused("form_password_pwned", 422) }
        (state.signUp.email, state.signUp.password, state.email) = (email, password, email)
        state.token = fresh("client", &state)
        return standing(&state)
    }

    private func external(_ form: [String: String], _ state: inout State) -> FaultAct {
        let known = form["token"] == nil ? state.signUp.transfers : identity(of: form, at: "sign_ups", &state)
        guard let known else { return Self.refused("authorization_invalid", 401) }
        state.identities.insert(known)
        state.signUp.isVerified = true
        if state.token == nil { state.token = fresh("client", &state) }
        return standing(&state)
    }

    func signUp(_ path: String, _ form: [String: String], isPatch: Bool, _ state: inout State) -> FaultAct {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.first == "sua_1" else { return Self.refused("resource_not_found", 404) }
        switch parts.dropFirst().first {
        case nil where isPatch:
            if form["legal_accepted"] == "true" { state.signUp.agrees = true }
            return standing(&state)
        case "prepare_verification" where form["strategy"] == "email_code":
            state.signUp.isSent = true
            return standing(&state)
        case "attempt_verification" where form["strategy"] == "email_code":
            if state.signUp.isVerified { return Self.refused("verification_already_verified", 400) }
            guard state.signUp.isSent, form["code"] == ClerkSignUps.code else {
                state.wrongCodes += 1
                return Self.refused("form_code_incorrect", 422)
            }
            (state.signUp.isVerified, state.signUp.isSent) = (true, false)
            return standing(&state)
        default: return Self.refused("resource_not_found", 404)
        }
    }

    private func standing(_ state: inout State) -> FaultAct {
        let up = state.signUp, missing = up.missing + (up.wantsAgreement && !up.agrees ? ["legal_accepted"] : [])
        if up.isVerified, missing.isEmpty, !up.isComplete {
            state.signUp.isComplete = true
            if let email = up.email { state.accounts[email] = up.password }
            (state.session, state.token) = (fresh("sess", &state), fresh("client", &state))
        }
        let isComplete = state.signUp.isComplete, session = isComplete ? "\"\(state.session ?? "")\"" : "null"
        let words = missing.map { "\"\($0)\"" }.joined(separator: ","), open = up.isVerified ? "" : "\"email_address\""
        return .answer(
            200, headers: [("Authorization", state.token ?? "")],
            body:
                #"{"response":{"object":"sign_up_attempt","id":"sua_1","status":"\#(isComplete ? "complete" : "missing_requirements")","#
                + #""missing_fields":[\#(words)],"unverified_fields":[\#(open)],"created_session_id":\#(session)},"client":null}"#
        )
    }
}
