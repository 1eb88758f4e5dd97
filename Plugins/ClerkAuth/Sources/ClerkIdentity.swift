import AuthKit
import FilmgateCore
import HTTPKit

/// Signs in with the identity token that Apple or Google gave somewhere else.
struct ClerkIdentity {
    let frontend: ClerkFrontend, prompter: any SignInPrompter
    /// Makes an account where the identity has none.
    let registers: Bool

    func run() async throws(IngestError) -> Credential {
        let (text, identity) = try await IDToken.handedIn(prompter, now: frontend.clock())
        let form = [("strategy", try Self.strategy(of: identity)), ("token", text.reveal())]
        var token: SecretValue?
        let attempt: JSONValue
        do throws(IngestError) { attempt = try await frontend.step(ClerkSignIn.attempts, form, &token) } catch {
            guard (error.cause as? ClerkRefusal)?.code == "external_account_not_found" else { throw error }
            return try await registered(form, &token)
        }
        // Who it is Clerk knows by now, and that there is no account of theirs.
        if attempt.at("first_factor_verification.status")?.text == "transferable" {
            return try await registered([("transfer", "true")], &token)
        }
        return try await ClerkSignIn(frontend: frontend, prompter: prompter).finished(attempt, email: nil, &token)
    }

    private func registered(_ form: [(String, String)], _ token: inout SecretValue?) async throws(IngestError)
        -> Credential
    {
        guard registers else {
            throw IngestError(
                .unauthorized, "No account at Clerk belongs to this identity.",
                advice: "To make one: `filmgate login \(frontend.name) --register --identity-token -`.")
        }
        let attempt = try await frontend.step(ClerkSignUp.attempts, form, &token)
        return try await ClerkSignUp(frontend: frontend, prompter: prompter).finished(attempt, email: nil, &token)
    }

    /// Clerk's name for tokens of that issuer.
    private static func strategy(of identity: IDToken) throws(IngestError) -> String {
        switch identity.issuer {
        case "https://appleid.apple.com": return "oauth_token_apple"
        case "https://accounts.google.com", "accounts.google.com": return "google_one_tap"
        default:
            throw IngestError(
                .misconfigured,
                "Clerk takes identity tokens of Apple and Google only, not of \(HeaderText.clean(identity.issuer)).",
                advice: "Sign in by code, by password or by browser.")
        }
    }
}
