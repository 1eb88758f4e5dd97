public import FilmgateCore
public import HTTPKit

/// A client at an OAuth 2.0 provider: posts forms to its endpoints and understands the answers.
public struct OAuthClient: Sendable {
    public var issuer: String, id: String
    /// `.none` for public clients.
    public var secret: Secret
    public var secrets: any SecretResolver
    public var transport: any HTTPTransport
    public var discovery: Discovery
    public var clock: @Sendable () -> Int

    public init(
        issuer: String, id: String, secret: Secret = Secret(), secrets: any SecretResolver = NoSecrets(),
        transport: any HTTPTransport, clock: @escaping @Sendable () -> Int = AccountSession.wallClock
    ) {
        (self.issuer, self.id, self.secret, self.secrets) = (issuer, id, secret, secrets)
        (self.transport, self.clock) = (transport, clock)
        discovery = Discovery(issuer, transport, clock: clock)
    }

    public typealias Form = [(name: String, value: String)]

    /// Asks the token endpoint.
    ///
    /// A refusal by the provider is an answer too: what it means depends on the flow.
    public func token(_ form: Form) async throws(IngestError) -> OAuthAnswer {
        let metadata = try await discovery.metadata()
        return try await post(metadata.token, form, metadata)
    }

    /// Posts a form, with the client's own credentials.
    public func post(_ endpoint: String, _ form: Form, _ metadata: ProviderMetadata) async throws(IngestError)
        -> OAuthAnswer
    {
        try ProviderMetadata.require(endpoint)
        var request = HTTPRequest("POST", endpoint, headers: [("Accept", "application/json")]), form = form
        var hidden = form.filter { Self.isSecret($0.name) }.map { SecretValue($0.value) }
        if secret.reference != .none {
            let value = try await secrets.shown(secret)
            hidden.append(value)
            let methods = metadata.clientMethods
            if methods.isEmpty || methods.contains("client_secret_basic") {
                let pair = "\(Percent.encode(id)):\(Percent.encode(value.reveal()))"
                request.set("Authorization", "Basic " + Base64.text(of: Array(pair.utf8)))
            } else {
                form += [("client_id", id), ("client_secret", value.reveal())]
            }
        } else {
            form.append(("client_id", id))
        }
        let text = form.map { "\(Percent.encode($0.name))=\(Percent.encode($0.value))" }.joined(separator: "&")
        var response = try await transport.send(
            HTTPExchange(request, body: .text(text, type: "application/x-www-form-urlencoded")))
        response.redactor = Redactor(secrets: hidden)
        return try OAuthAnswer(response, receivedAt: clock())
    }

    private static func isSecret(_ name: String) -> Bool {
        [
            "refresh_token", "code", "code_verifier", "device_code", "token", "client_secret", "password",
            "subject_token",
        ]
        .contains(name)
    }
}

/// What an OAuth endpoint answers.
public enum OAuthAnswer: Sendable {
    case fine(OAuthReply)
    case refused(OAuthRefusal)

    /// The JSON decides, not the status: providers use 200, 400, 401, 403 and 429 as they like.
    ///
    /// Throws for what is no OAuth answer at all: passing trouble of the server.
    init(_ response: HTTPResponse, receivedAt: Int) throws(IngestError) {
        let code = response.json?["error"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        let gives = code == nil || response.json?["access_token"] != nil
        if (200..<300).contains(response.status), !response.isPage, gives {
            self = .fine(OAuthReply(json: response.json ?? .object([:]), at: receivedAt))
        } else if let code, response.status < 500 {
            let words = response.json?["error_description"]?.text.map {
                String(response.redactor.scrub($0).prefix(200))
            }
            self = .refused(
                OAuthRefusal(
                    code: String(code.prefix(64)), words: words.map(HeaderText.clean), status: response.status,
                    retryAfter: RetryAfter.of(response)))
        } else if response.status == 400 || response.status == 401, response.body.isEmpty || response.json != nil {
            // Some providers give no reason. A page instead is not theirs: a hotel's network may have answered.
            self = .refused(OAuthRefusal(code: "\(response.status)", words: nil, status: response.status))
        } else {
            var error = HTTPStatus.error(for: response)
            if error.code == .rejected || error.code == .unauthorized {
                (error.code, error.advice) = (.unavailable, nil)
            }
            if response.isPage { error.code = .unavailable }
            throw error
        }
    }
}

/// A provider's no, in its own words.
public struct OAuthRefusal: Sendable, Hashable {
    public var code: String, words: String?, status: Int
    /// Asked for with the answer.
    public var retryAfter: Duration?

    /// Says nothing about the sign-in: the provider is busy, or has trouble of its own (RFC 6749 §4.1.2.1, RFC 8628
    /// §3.5).
    public var isPassing: Bool {
        [408, 425, 429].contains(status)
            || ["slow_down", "temporarily_unavailable", "server_error", "too_many_requests"].contains(code)
            || code.hasPrefix("rate_limit")
    }

    /// As the engine understands it.
    public func error(_ place: String) -> IngestError {
        let said = "\(HeaderText.clean(code))\(words.map { " (\($0))" } ?? "")"
        if isPassing { return IngestError(.unavailable, "\(place) cannot say now: \(said).", retryAfter: retryAfter) }
        return IngestError(.unauthorized, "\(place) refuses: \(said).")
    }
}

/// A provider's yes: tokens, a device code, facts about a user.
public struct OAuthReply: Sendable, CustomReflectable {
    public var json: JSONValue
    /// Seconds since 1970 by our own clock, when it came.
    public var at: Int

    public subscript(key: String) -> String? { json[key]?.text.flatMap { $0.isEmpty ? nil : $0 } }

    /// What it says of the access token's kind; most call it `Bearer`.
    var kind: String { String((self["token_type"] ?? "").prefix(40)) }
    /// A token of another kind must not be used as one (RFC 6749 §7.1); providers that say nothing mean this one.
    var isBearer: Bool { kind.isEmpty || kind.lowercased().hasPrefix("bearer") }

    /// A lifetime in seconds, number or numeric text; bounded to ten years.
    public func seconds(_ key: String) -> Int? {
        guard let text = self[key], let number = Double(text), number.isFinite else { return nil }
        return Int(min(max(0, number), 315_360_000))
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
