public import FilmgateCore
import HTTPKit

/// Signing in with a code that is typed into any browser anywhere (RFC 8628).
public struct DeviceGrant: Sendable {
    let client: OAuthClient
    /// What the first request says besides the client: `scope`, `audience`.
    let form: OAuthClient.Form
    private let sleep: @Sendable (Double) async throws -> Void

    /// Seconds that a person may take, whatever the provider says.
    static let limit = 1800

    /// `sleep` takes seconds.
    public init(
        _ client: OAuthClient, _ form: OAuthClient.Form,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        (self.client, self.form, self.sleep) = (client, form, sleep)
    }

    /// Shows the code and waits until it was used.
    ///
    /// `unauthorized` when the person refuses or the code runs out.
    public func run(_ prompter: any SignInPrompter) async throws(IngestError) -> Credential {
        let metadata = try await client.discovery.metadata()
        guard let endpoint = metadata.device else {
            throw IngestError(
                .misconfigured, "\(client.issuer) offers no sign-in by device code.",
                advice: "Use `flow: browser`, or `filmgate login --browser`.")
        }
        let reply = try Self.granted(try await client.post(endpoint, form, metadata), client.issuer)
        let url = reply["verification_uri"] ?? reply["verification_url"]
        guard let code = reply["device_code"], let user = reply["user_code"], let url else {
            throw IngestError(.unavailable, "\(client.issuer) gave no code to sign in with.")
        }
        try ProviderMetadata.require(url)
        let complete = reply["verification_uri_complete"].flatMap {
            WebAddress($0)?.isEncrypted == WebAddress(url)?.isEncrypted ? $0 : nil
        }
        await prompter.invite(
            SignInPrompt(url: url, code: HeaderText.clean(String(user.prefix(40))), completeURL: complete, opens: true))
        let seconds = min(Self.limit, max(1, reply.seconds("expires_in") ?? 900))
        // However long it is: whoever asks sooner is told to slow down, and no provider has to go on answering.
        return try await poll(
            code, interval: Double(max(1, reply.seconds("interval") ?? 5)), until: client.clock() + seconds)
    }

    private static func granted(_ answer: OAuthAnswer, _ issuer: String) throws(IngestError) -> OAuthReply {
        switch answer {
        case .fine(let reply): return reply
        case .refused(let refusal):
            var error = refusal.error(issuer)
            if ["unauthorized_client", "unsupported_grant_type", "device_flow_disabled"].contains(refusal.code) {
                error.advice =
                    "Allow this client the device code grant at the provider, or use `filmgate login --browser`."
            }
            throw error
        }
    }

    /// Waits a fifth longer than asked: clocks of virtual machines run fast.
    ///
    /// A lost answer doubles the pause, as §3.5 wants it.
    private func poll(_ code: String, interval: Double, until end: Int) async throws(IngestError) -> Credential {
        var interval = interval
        let form = [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code)]
        while true {
            let left = Double(max(0, end - client.clock()))
            do { try await sleep(min(interval * 1.2, left)) } catch {
                throw IngestError(.cancelled, "Stopped while waiting for the sign-in.")
            }
            guard client.clock() < end else { throw Self.tooLate }
            do throws(IngestError) {
                switch try await client.token(form) {
                case .fine(let reply): return try await client.credential(reply)
                case .refused(let refusal): interval = try next(refusal, interval)
                }
            } catch {
                guard [.network, .unavailable, .rateLimited].contains(error.code) else { throw error }
                let asked = error.retryAfter.map { Double($0.components.seconds) } ?? 0
                interval = max(interval, min(120, max(asked, interval * 2)))
            }
        }
    }

    private func next(_ refusal: OAuthRefusal, _ interval: Double) throws(IngestError) -> Double {
        switch refusal.code {
        case "authorization_pending": return interval
        // For this poll and all later ones (§3.5); a delay that came with it is a floor.
        case "slow_down": return max(interval + 5, refusal.retryAfter.map { Double($0.components.seconds) } ?? 0)
        case "expired_token": throw Self.tooLate
        case "access_denied":
            throw IngestError(
                .unauthorized, "The sign-in was refused in the browser.",
                advice: "If that was a mistake, run `filmgate login` again and allow it there.")
        // Said once only, or used already by somebody else: the code is worth nothing any more.
        case "invalid_grant":
            throw IngestError(
                .unauthorized, "\(client.issuer) does not know the code any more: it ran out, or was used.",
                advice: "Run `filmgate login` again for a new one.")
        default: throw refusal.error(client.issuer)
        }
    }

    private static var tooLate: IngestError {
        IngestError(
            .unauthorized, "The code ran out before it was used.", advice: "Run `filmgate login` again for a new one.")
    }
}
