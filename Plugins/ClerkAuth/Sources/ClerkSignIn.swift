import AuthKit
import FilmgateCore
import HTTPKit

/// One sign-in by e-mail code, with the second factor where Clerk wants one.
struct ClerkSignIn {
    let frontend: ClerkFrontend, desk: any SignInDesk
    /// Tries that a person has for one code.
    static let tries = 3

    func run() async throws(IngestError) -> Credential {
        var token: SecretValue?
        let email: String
        if let known = frontend.options.email { email = known } else { email = try await desk.ask("E-mail address", hidden: false) }
        var attempt = try await step("/v1/client/sign_ins", [("identifier", email)], &token)
        guard let id = attempt["id"]?.text.map({ Percent.encode($0) }) else { throw IngestError(.unavailable, "Clerk began no sign-in.") }
        if attempt["status"]?.text == "needs_first_factor" { attempt = try await factor("first", id, ["email_code"], attempt, &token) }
        if ["needs_second_factor", "needs_client_trust"].contains(attempt["status"]?.text) {
            attempt = try await factor("second", id, ["totp", "email_code", "phone_code", "backup_code"], attempt, &token)
        }
        guard attempt["status"]?.text == "complete", let session = attempt["created_session_id"]?.text, let client = token else {
            let status = HeaderText.clean(attempt["status"]?.text ?? "nothing")
            throw IngestError(
                .unauthorized, "Clerk wants something that only its own page can do (\(status)).",
                advice: "Use an OAuth application: `client_id`.")
        }
        let plain = Account(id: session, email: email, issuer: frontend.base)
        var credential = try await frontend.mint(session, client: client, account: plain)
        credential.account = try await frontend.account(of: credential)
        return credential
    }

    /// Has a code sent where that is needed, asks for it, and offers it.
    private func factor(_ which: String, _ id: String, _ strategies: [String], _ attempt: JSONValue, _ token: inout SecretValue?)
        async throws(IngestError) -> JSONValue
    {
        guard case .array(let offered)? = attempt["supported_\(which)_factors"],
            let chosen = strategies.lazy.compactMap({ name in offered.first { $0["strategy"]?.text == name } }).first,
            let strategy = chosen["strategy"]?.text
        else { throw IngestError(.unauthorized, "The account cannot sign in by code.", advice: "Use an OAuth application: `client_id`.") }
        if let address = ["email_address_id", "phone_number_id"].lazy.compactMap({ key in chosen[key]?.text.map { (key, $0) } }).first {
            _ = try await step("/v1/client/sign_ins/\(id)/prepare_\(which)_factor", [("strategy", strategy), address], &token)
        }
        let place = chosen["safe_identifier"]?.text.map { " sent to \(HeaderText.clean($0))" } ?? ""
        for left in (0..<Self.tries).reversed() {
            let code = try await desk.ask(strategy == "totp" ? "Code of your authenticator" : "Code\(place)", hidden: true)
            do throws(IngestError) {
                return try await step(
                    "/v1/client/sign_ins/\(id)/attempt_\(which)_factor", [("strategy", strategy), ("code", code)], &token)
            } catch {
                guard left > 0, error.cause is WrongCode else { throw error }
                await desk.tell("That code is not right.")
            }
        }
        throw IngestError(.unauthorized, "The code was not right.")
    }

    private func step(_ path: String, _ form: [(String, String)], _ token: inout SecretValue?) async throws(IngestError) -> JSONValue {
        let (response, json) = try await frontend.call("POST", path, form, token: &token)
        guard response.status == 200, let value = json["response"] else {
            var error = ClerkFrontend.failure(response, json)
            if json.at("errors.0.code")?.text == "form_code_incorrect" { error.cause = WrongCode() }
            throw error
        }
        return value
    }
}

/// The cause of an error that another try may cure.
struct WrongCode: Error {}
