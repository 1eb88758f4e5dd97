public import FilmgateCore
public import HTTPKit

/// Where a provider's endpoints are (OpenID Connect Discovery 1.0, RFC 8414).
public struct ProviderMetadata: Sendable, Hashable {
    public var issuer: String
    public var authorization: String?, token: String, device: String?, revocation: String?, userInfo: String?
    /// Methods at the token endpoint: `client_secret_basic` and so on; empty = not said.
    public var clientMethods: [String] = []
    /// Each answer of its sign-in page says which provider it comes from (RFC 9207).
    public var namesIssuer = false

    public init(issuer: String, token: String) { (self.issuer, self.token) = (issuer, token) }

    /// `untrusted` when an endpoint is no place for a credential; `misconfigured` when this is no provider's document,
    /// or another's.
    init(_ json: JSONValue, of issuer: String) throws(IngestError) {
        guard let said = json["issuer"]?.text, let token = json["token_endpoint"]?.text else {
            throw IngestError(.misconfigured, "\(issuer) does not describe itself as an OpenID provider.")
        }
        guard said == issuer else {
            throw IngestError(
                .misconfigured, "The provider at \(issuer) calls itself \(HeaderText.clean(String(said.prefix(200)))).",
                advice: "Write the issuer exactly so, with or without the slash at its end.")
        }
        self.init(issuer: issuer, token: token)
        authorization = json["authorization_endpoint"]?.text
        device = json["device_authorization_endpoint"]?.text
        revocation = json["revocation_endpoint"]?.text
        userInfo = json["userinfo_endpoint"]?.text
        if case .array(let items)? = json["token_endpoint_auth_methods_supported"] {
            clientMethods = items.compactMap(\.text)
        }
        namesIssuer = json["authorization_response_iss_parameter_supported"] == .bool(true)
        for endpoint in [authorization, token, device, revocation, userInfo].compactMap({ $0 }) {
            try Self.require(endpoint)
        }
    }

    /// https, or this machine itself.
    public static func require(_ endpoint: String) throws(IngestError) {
        guard let address = WebAddress(endpoint), address.isEncrypted || address.isLoopback else {
            throw IngestError(
                .untrusted,
                "The sign-in address \(HeaderText.clean(String(endpoint.prefix(200)))) is not https; nothing was sent.")
        }
    }
}

/// Fetches a provider's metadata once a day, and keeps the last good ones when that fails.
public actor Discovery {
    private let issuer: String, transport: any HTTPTransport, clock: @Sendable () -> Int
    private var known: (metadata: ProviderMetadata, at: Int)?

    public init(
        _ issuer: String, _ transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Int = AccountSession.wallClock
    ) {
        (self.issuer, self.transport, self.clock) = (issuer, transport, clock)
    }

    public func metadata() async throws(IngestError) -> ProviderMetadata {
        if let known, (known.at...known.at + 86_400).contains(clock()) { return known.metadata }
        do throws(IngestError) {
            let fresh = try await fetch()
            known = (fresh, clock())
            return fresh
        } catch {
            if let known { return known.metadata }
            throw error
        }
    }

    /// OpenID's place first, then that of RFC 8414.
    private func fetch() async throws(IngestError) -> ProviderMetadata {
        try ProviderMetadata.require(issuer)
        guard let address = WebAddress(issuer) else {
            throw IngestError(.misconfigured, "`\(issuer)` is not a web address.")
        }
        let bare = address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        let places = [
            "\(address.origin)\(bare)/.well-known/openid-configuration",
            "\(address.origin)/.well-known/oauth-authorization-server\(bare)",
        ]
        var last: IngestError?
        for place in places {
            let response = try await transport.send(
                HTTPExchange(HTTPRequest("GET", place, headers: [("Accept", "application/json")])))
            if response.status == 200, let json = response.json { return try ProviderMetadata(json, of: issuer) }
            var error = HTTPStatus.error(for: response)
            if error.code == .rejected || error.code == .unauthorized { error.code = .misconfigured }
            last = error
            guard response.status == 404 else { break }
        }
        throw last ?? IngestError(.misconfigured, "\(issuer) is not an OpenID provider.")
    }
}
