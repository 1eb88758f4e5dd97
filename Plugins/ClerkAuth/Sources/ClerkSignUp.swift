import AuthKit
import FilmgateCore
import HTTPKit

/// A new account: address and password, the code that comes by mail, and agreement where the service asks for it.
struct ClerkSignUp {
    let frontend: ClerkFrontend, prompter: any SignInPrompter

    static let attempts = "/v1/client/sign_ups"
    /// Characters that Clerk wants at least, unless an instance wants more.
    static let shortest = 8

    func run() async throws(IngestError) -> Credential {
        var token: SecretValue?
        let email: String
        if let known = frontend.options.email {
            email = known
        } else {
            email = try await prompter.ask("E-mail address", hidden: false)
        }
        guard Self.isAddress(email) else {
            throw IngestError(
                .misconfigured,
                "`\(HeaderText.clean(String(email.prefix(100))))` is no e-mail address; nothing was sent.")
        }
        let password = try await prompter.ask("New password", hidden: true)
        guard password.count >= Self.shortest else {
            throw IngestError(
                .misconfigured, "The password has fewer than \(Self.shortest) characters; nothing was sent.",
                advice: "Choose a longer one."
            )
        }
        let attempt = try await frontend.step(
            Self.attempts, [("email_address", email), ("password", password)], &token)
        return try await finished(attempt, email: email, &token)
    }

    /// Verifies the address where that is wanted, asks for agreement where that is, and signs in with what comes of it.
    func finished(_ attempt: JSONValue, email: String?, _ token: inout SecretValue?) async throws(IngestError)
        -> Credential
    {
        guard let id = attempt["id"]?.text.map({ Percent.encode($0) }) else {
            throw IngestError(.unavailable, "Clerk began no sign-up.")
        }
        try refuseWhatIsMissing(attempt)
        var attempt = attempt
        let unverified = Self.words(attempt["unverified_fields"])
        if let other = unverified.first(where: { $0 != "email_address" }) { throw pageOnly(other) }
        if !unverified.isEmpty { attempt = try await verified(id, email, &token) }
        if Self.words(attempt["missing_fields"]).contains(Self.agreement) { attempt = try await agreed(id, &token) }
        try refuseWhatIsMissing(attempt)
        return try await frontend.credential(of: attempt, email: email, token)
    }

    private func verified(_ id: String, _ email: String?, _ token: inout SecretValue?) async throws(IngestError)
        -> JSONValue
    {
        let path = "\(Self.attempts)/\(id)", code = [("strategy", "email_code")]
        _ = try await frontend.step("\(path)/prepare_verification", code, &token)
        let place = email.map { " sent to \(HeaderText.clean($0))" } ?? "", known = token
        let (after, newer) = try await ClerkSignIn(frontend: frontend, prompter: prompter).retyping(
            "Code\(place)", slip: "That code is not right.", token: known
        ) { answer, token throws(IngestError) in
            try await frontend.step("\(path)/attempt_verification", code + [("code", answer)], &token)
        }
        token = newer
        return after
    }

    private static let agreement = "legal_accepted"

    private func agreed(_ id: String, _ token: inout SecretValue?) async throws(IngestError) -> JSONValue {
        let answer = try await prompter.ask(
            "The service asks you to agree to its terms and its privacy policy: type `yes` if you do", hidden: false)
        guard answer.lowercased() == "yes" else {
            throw IngestError(
                .unauthorized, "Without agreement to the service's terms there is no account.",
                advice: "Read them on its own page; then run `filmgate login \(frontend.name) --register` again.")
        }
        return try await frontend.step("\(Self.attempts)/\(id)", [(Self.agreement, "true")], &token, method: "PATCH")
    }

    /// Fields that nobody is asked for here; told before a code is sent.
    private func refuseWhatIsMissing(_ attempt: JSONValue) throws(IngestError) {
        let missing = Self.words(attempt["missing_fields"]).filter { $0 != Self.agreement }
        guard missing.isEmpty else { throw pageOnly(missing.joined(separator: ", ")) }
    }

    private func pageOnly(_ what: String) -> IngestError {
        IngestError(
            .unauthorized, "The service wants more of a new account than Filmgate asks for: \(what).",
            advice: "Make the account on the service's own page, then run `filmgate login \(frontend.name)`.")
    }

    private static func words(_ value: JSONValue?) -> [String] {
        guard case .array(let items)? = value else { return [] }
        return items.compactMap { $0.text.map { HeaderText.clean(String($0.prefix(40))) } }
    }

    /// Something, an @ and a domain: what is surely none costs no round trip; what is one decides the service.
    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !text.contains(where: { $0.isWhitespace || $0.isNewline }) else {
            return false
        }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
    }
}
