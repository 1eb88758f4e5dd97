import AuthKit
import FilmgateCore
import HTTPKit

/// One sign-in: by e-mail code, by password or by another sign-in's identity token, with the second factor where Clerk
/// wants one.
struct ClerkSignIn {
    let frontend: ClerkFrontend, prompter: any SignInPrompter

    func run() async throws(IngestError) -> Credential {
        var token: SecretValue?
        let email: String
        if let known = frontend.options.email {
            email = known
        } else {
            email = try await prompter.ask("E-mail address", hidden: false)
        }
        var attempt: JSONValue
        if frontend.options.strategy == .password {
            (attempt, token) = try await retyping("Password", slip: "That password is not right.") {
                word, token throws(IngestError) in
                try await frontend.step(
                    Self.attempts, [("strategy", "password"), ("identifier", email), ("password", word)], &token)
            }
        } else {
            attempt = try await frontend.step(Self.attempts, [("identifier", email)], &token)
            if attempt["status"]?.text == "needs_first_factor" { attempt = try await first(attempt, &token) }
        }
        return try await finished(attempt, email: email, &token)
    }

    static let attempts = "/v1/client/sign_ins"

    /// The second factor, where one is wanted, and what comes of it all.
    func finished(_ attempt: JSONValue, email: String?, _ token: inout SecretValue?) async throws(IngestError)
        -> Credential
    {
        var attempt = attempt
        switch attempt["status"]?.text {
        // The same to a person: a device that is not known yet is proven by one of them, too.
        case "needs_second_factor", "needs_client_trust": attempt = try await second(attempt, &token)
        case "needs_new_password":
            throw IngestError(
                .unauthorized, "Clerk wants a new password for this account first.",
                advice: "Make one on the service's own page.")
        default: break
        }
        return try await frontend.credential(of: attempt, email: email, token)
    }

    /// A code by mail where it is offered, else the password, unless the file says which.
    private func first(_ attempt: JSONValue, _ token: inout SecretValue?) async throws(IngestError) -> JSONValue {
        let strategies = frontend.options.strategy == .emailCode ? ["email_code"] : ["email_code", "password"]
        guard let chosen = Self.offer(strategies, attempt["supported_first_factors"]) else {
            throw IngestError(
                .unauthorized, "The account cannot sign in by code\(strategies.count > 1 ? " or password" : "").",
                advice: "Use an OAuth application: `client_id`.")
        }
        return try await factor("first", chosen, try id(attempt), &token)
    }

    private func second(_ attempt: JSONValue, _ token: inout SecretValue?) async throws(IngestError) -> JSONValue {
        let offered = attempt["supported_second_factors"]
        guard let chosen = Self.offer(["totp", "email_code", "phone_code", "backup_code"], offered) else {
            var kinds = ""
            if case .array(let items)? = offered {
                kinds = items.compactMap { $0["strategy"]?.text }.map { HeaderText.clean(String($0.prefix(40))) }
                    .joined(separator: ", ")
            }
            throw IngestError(
                .unauthorized,
                "The account wants a second factor that only the service's own page can ask for\(kinds.isEmpty ? "" : ": \(kinds)").",
                advice: "Use an OAuth application (`client_id`), or add an authenticator to the account.")
        }
        return try await factor("second", chosen, try id(attempt), &token)
    }

    private static func offer(_ strategies: [String], _ offered: JSONValue?) -> JSONValue? {
        guard case .array(let items)? = offered else { return nil }
        return strategies.lazy.compactMap { name in items.first { $0["strategy"]?.text == name } }.first
    }

    private func id(_ attempt: JSONValue) throws(IngestError) -> String {
        guard let id = attempt["id"]?.text else { throw IngestError(.unavailable, "Clerk began no sign-in.") }
        return Percent.encode(id)
    }

    /// Has a code sent where that is needed, asks for it, and offers it.
    private func factor(
        _ which: String, _ chosen: JSONValue, _ id: String, _ token: inout SecretValue?
    ) async throws(IngestError) -> JSONValue {
        let strategy = chosen["strategy"]?.text ?? "", path = "\(Self.attempts)/\(id)"
        if let address = ["email_address_id", "phone_number_id"].lazy.compactMap({ key in
            chosen[key]?.text.map { (key, $0) }
        }).first,
            strategy != "password"
        {
            _ = try await frontend.step("\(path)/prepare_\(which)_factor", [("strategy", strategy), address], &token)
        }
        let place = chosen["safe_identifier"]?.text.map { " sent to \(HeaderText.clean($0))" } ?? ""
        let question =
            switch strategy {
            case "password": "Password"
            case "totp": "Code of your authenticator"
            case "backup_code": "Backup code"
            default: "Code\(place)"
            }
        let isPassword = strategy == "password", known = token
        let (after, newer) = try await retyping(
            question, slip: "That \(isPassword ? "password" : "code") is not right.", token: known
        ) { answer, token throws(IngestError) in
            try await frontend.step(
                "\(path)/attempt_\(which)_factor",
                [("strategy", strategy), (isPassword ? "password" : "code", answer)], &token)
        }
        token = newer
        return after
    }

    /// Each try goes on with the client token that the one before left.
    func retyping(
        _ question: String, slip: String, token: SecretValue? = nil,
        _ body: (String, inout SecretValue?) async throws(IngestError) -> JSONValue
    ) async throws(IngestError) -> (JSONValue, SecretValue?) {
        var token = token
        let attempt = try await Retyping(prompter: prompter).ask(question, slip: slip) { answer throws(IngestError) in
            try await body(answer, &token)
        }
        return (attempt, token)
    }
}
