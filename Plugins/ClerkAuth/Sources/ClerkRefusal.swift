import AuthKit
import FilmgateCore
import HTTPKit

/// The cause of an error: Clerk's own word for why it refused.
struct ClerkRefusal: Error {
    var code: String

    /// A slip of the hand, which another try may cure.
    var isSlip: Bool { ["form_code_incorrect", "form_password_incorrect"].contains(code) }
}

extension ClerkFrontend {
    /// Clerk's own words for what went wrong, and what they mean.
    func failure(_ response: HTTPResponse, _ json: JSONValue) -> IngestError {
        var error = HTTPStatus.error(for: response)
        let code = json.at("errors.0.code")?.text ?? ""
        if code == "native_api_disabled" {
            return IngestError(
                .unauthorized, "The instance does not allow native clients.",
                advice: "Its owner can turn on the Native API in Clerk's dashboard.")
        }
        if (400..<500).contains(response.status), ![408, 425, 429].contains(response.status) {
            // Without Clerk's own code it is a page of some network in between, or of a firewall.
            guard !code.isEmpty else {
                (error.code, error.advice) = (.unavailable, nil)
                return error
            }
            let words =
                json.at("errors.0.long_message")?.text ?? json.at("errors.0.message")?.text ?? ServerWords.of(response)
            error = IngestError(
                .unauthorized, "Clerk refuses: \(HeaderText.clean(String(response.redactor.scrub(words).prefix(200))))",
                advice: advice(code), cause: ClerkRefusal(code: String(code.prefix(64))))
        }
        return error
    }

    /// What a person can do about it, where anybody knows.
    private func advice(_ code: String) -> String? {
        switch code {
        case "form_identifier_not_found":
            "Correct the address, or make an account: `filmgate login \(name) --register`."
        case "form_identifier_exists": "There is an account with this address: sign in with `filmgate login \(name)`."
        case "form_password_incorrect":
            "Run `filmgate login \(name)` again; a new password is made on the service's own page."
        case "form_code_incorrect": "Run the same command again: another code is sent."
        case "verification_expired", "verification_failed": "Run it again: another code is sent."
        case "form_password_pwned", "form_password_length_too_short", "form_password_not_strong_enough",
            "form_password_validation_failed":
            "Choose another password."
        case "strategy_for_user_invalid":
            "The account does not sign in this way: leave `strategy` out of the pipeline file, or use an OAuth application (`client_id`)."
        case "captcha_invalid", "captcha_missing_token", "captcha_unavailable":
            "The service tells people from programs on its own page only: make the account there, then run `filmgate login \(name)`."
        case "not_allowed_access", "sign_up_mode_restricted", "sign_up_restricted_waitlist",
            "sign_up_mode_restricted_waitlist":
            "The service does not let everybody in: ask its owner for an invitation."
        default: nil
        }
    }

    /// One step of an attempt, to sign in or up; the attempt as it stands then.
    func step(
        _ path: String, _ form: [(String, String)], _ token: inout SecretValue?, method: String = "POST"
    ) async throws(IngestError) -> JSONValue {
        let (response, json) = try await call(method, path, form, token: &token)
        guard response.status == 200, let value = json["response"] else { throw failure(response, json) }
        return value
    }

    /// The credential of an attempt that is complete.
    func credential(of attempt: JSONValue, email: String?, _ token: SecretValue?) async throws(IngestError)
        -> Credential
    {
        guard attempt["status"]?.text == "complete", let session = attempt["created_session_id"]?.text,
            let client = token
        else {
            let status = HeaderText.clean(attempt["status"]?.text ?? "nothing")
            throw IngestError(
                .unauthorized, "Clerk wants something that only its own page can do (\(status)).",
                advice: "Use an OAuth application: `client_id`.")
        }
        let plain = Account(id: session, email: email)
        var credential = try await mint(session, client: client, account: plain)
        credential.account = try await account(of: credential)
        credential.extra[Self.email] = email.map { SecretValue($0) }
        return credential
    }
}

/// Asks for something that may be mistyped, a few times.
struct Retyping {
    let prompter: any SignInPrompter
    /// Tries that a person has.
    static let tries = 3

    /// Offers each answer to `body`; where nobody answers any more, what was wrong with the last one counts.
    func ask<Value>(
        _ question: String, slip: String, _ body: (String) async throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        var refusal: IngestError?
        for left in (0..<Self.tries).reversed() {
            let answer: String
            do throws(IngestError) { answer = try await prompter.ask(question, hidden: true) } catch {
                throw refusal ?? error
            }
            do throws(IngestError) { return try await body(answer) } catch {
                guard left > 0, (error.cause as? ClerkRefusal)?.isSlip == true else { throw error }
                refusal = error
                await prompter.tell(slip)
            }
        }
        throw refusal ?? IngestError(.unauthorized, slip)
    }
}
