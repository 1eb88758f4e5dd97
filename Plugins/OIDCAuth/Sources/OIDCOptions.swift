public import FilmgateCore
import HTTPKit

/// The options of `oidc`.
public struct OIDCOptions: ModuleConfig {
    enum Flow: String, CaseIterable, ConfigValue {
        case device, browser, paste
        case clientCredentials = "client_credentials"
    }
    enum Bearer: String, CaseIterable, ConfigValue { case access, id }
    enum Preset: String, CaseIterable, ConfigValue { case auth0, google, keycloak, glewlwyd }

    var issuer = "", clientID = "", clientSecret = Secret(), flow: Flow?, preset: Preset?, bearer: Bearer?
    var scopes: [String]?, audience: String?, authorize: [String: String] = [:], exchange: [String: String] = [:]
    var redirectPorts: [Int] = []
    var origins: [String] = [], plainHTTP = false, caFile: String?

    public init() {}

    public static let schema: Schema<Self> = [
        .field(
            "issuer", \.issuer,
            "The provider's address, exactly as it calls itself; with `preset: google` it may be left out."),
        .field("client_id", \.clientID, "The client's name at the provider.").required(),
        .field("client_secret", \.clientSecret, "The client's secret, as a reference; public clients have none."),
        .field(
            "flow", \.flow, "How `filmgate login` signs in; absent = device where the provider offers it, else browser."
        ),
        .field("preset", \.preset, "What is known about a provider: its scopes, parameters and bearer."),
        .field(
            "bearer", \.bearer,
            "Which token the server gets: the access token, or the ID token; absent = as the preset says."),
        .field("scopes", \.scopes, "What to ask for; absent = as the preset says."),
        .field("audience", \.audience, "The API that the access token is for, where the provider asks for one."),
        .field("authorize", \.authorize, "Further parameters of the authorization request, such as connection: apple."),
        .field("exchange", \.exchange, "Further parameters of a token exchange, such as subject_issuer: google."),
        .field(
            "redirect_ports", \.redirectPorts,
            "Ports registered for http://127.0.0.1:PORT/callback; absent = any free one."),
        .field(
            "origins", \.origins,
            "The only origins that may receive the token; absent = those of the targets that use it."),
        .field(
            "plain_http", \.plainHTTP, "Also sends it over plain http to other machines, readable by anyone on the way."
        ),
        .field("ca_file", \.caFile, "PEM file of the authorities to trust at the provider, instead of the system's."),
    ]

    /// What applies after the preset.
    var provider: String { issuer.isEmpty && preset == .google ? "https://accounts.google.com" : issuer }

    var scope: String {
        if let scopes { return scopes.joined(separator: " ") }
        if flow == .clientCredentials { return "" }
        switch preset {
        case .google, .glewlwyd: return "openid"
        case .auth0, .keycloak: return "openid profile email offline_access"
        case nil: return "openid offline_access"
        }
    }

    /// Auth0 without an audience gives access tokens that only Auth0 can read; its ID token is what Convex takes.
    var token: Bearer { bearer ?? (preset == .auth0 && audience == nil && flow != .clientCredentials ? .id : .access) }

    /// Parameters of the first request of a flow.
    var form: [(name: String, value: String)] {
        var form: [(name: String, value: String)] = []
        if !scope.isEmpty { form.append(("scope", scope)) }
        if let audience { form.append(("audience", audience)) }
        return form
    }

    /// Those of the authorization request besides; Google gives a refresh token only when asked like this.
    var authorization: [(name: String, value: String)] {
        let preset = preset == .google ? ["access_type": "offline", "prompt": "consent"] : [:]
        return preset.merging(authorize) { $1 }.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    public func validate(at node: ConfigNode) throws(ConfigError) {
        func mistake(_ key: String, _ message: String, hint: String? = nil) -> ConfigError {
            ConfigError(node[key]?.mark ?? node.mark, "bad-option", message, hint: hint)
        }
        guard !provider.isEmpty else { throw ConfigError(node.mark, "missing-key", "`issuer` is required.") }
        guard let address = WebAddress(provider), address.query == nil else {
            throw mistake("issuer", "`\(provider)` is not a provider's address.")
        }
        guard address.isEncrypted || address.isLoopback else {
            throw mistake(
                "issuer", "A provider is asked over https only.", hint: "Plain http works for this machine itself.")
        }
        if preset == .auth0, !provider.hasSuffix("/") {
            throw mistake("issuer", "Auth0's issuer ends with a slash.", hint: "Write \(provider)/.")
        }
        if flow == .clientCredentials, clientSecret.reference == .none {
            throw mistake("flow", "client_credentials needs a `client_secret`.")
        }
        if let reserved = authorize.keys.sorted().first(where: Self.reserved.contains) {
            throw mistake("authorize", "`\(reserved)` is set by itself.")
        }
        if let reserved = exchange.keys.sorted().first(where: Self.exchanged.contains) {
            throw mistake("exchange", "`\(reserved)` is set by itself.")
        }
        if let port = redirectPorts.first(where: { !(1...65_535).contains($0) }) {
            throw mistake("redirect_ports", "\(port) is not a port.")
        }
        try CredentialScope.check(origins, at: node)
    }

    private static let reserved: Set = [
        "response_type", "client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method",
        "scope", "client_secret",
    ]
    private static let exchanged: Set = [
        "grant_type", "subject_token", "client_id", "client_secret", "scope", "audience",
    ]
}
