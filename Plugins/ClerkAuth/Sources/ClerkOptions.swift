public import FilmgateCore
import HTTPKit

/// The options of `clerk`.
public struct ClerkOptions: ModuleConfig {
    enum Way: Sendable { case apiKey, oauth, email }
    enum Strategy: String, CaseIterable, ConfigValue {
        case emailCode = "email_code"
        case password
    }

    var key = PublishableKey(), apiKey = Secret(), clientID: String?, email: String?, strategy: Strategy?
    var template: String?
    var organization: String?
    var scopes = ["openid", "profile", "email", "offline_access"], redirectPorts: [Int] = [], origins: [String] = []
    var plainHTTP = false

    public init() {}

    public static let schema: Schema<Self> = [
        .field(
            "publishable_key", \.key,
            "The instance's publishable key, pk_live_… or pk_test_…; it says where to sign in."),
        .field("api_key", \.apiKey, "A user's API key (ak_…), as a reference; nobody has to sign in then."),
        .field("client_id", \.clientID, "A public OAuth application of the instance: sign-in by browser with PKCE."),
        .field(
            "email", \.email, "The e-mail address to sign in with, by code or password, without an OAuth application."),
        .field(
            "strategy", \.strategy,
            "How the address signs in; absent = by code, or by password where the account has no code."),
        .field("template", \.template, "JWT template for the session's tokens, such as convex."),
        .field("organization", \.organization, "The organization to act for."),
        .field("scopes", \.scopes, "What an OAuth application asks for."),
        .field("redirect_ports", \.redirectPorts, "Ports that the browser may come back to; absent = any free one."),
        .field(
            "origins", \.origins,
            "The only origins that may receive the token; absent = those of the targets that use it."),
        .field(
            "plain_http", \.plainHTTP, "Also sends it over plain http to other machines, readable by anyone on the way."
        ),
    ]

    var way: Way { apiKey.reference != .none ? .apiKey : clientID != nil ? .oauth : .email }
    /// The frontend API.
    var base: String { "https://\(key.host)" }

    public func validate(at node: ConfigNode) throws(ConfigError) {
        if way != .apiKey, key.host.isEmpty {
            throw ConfigError(node.mark, "missing-key", "`publishable_key` is required, unless there is an `api_key`.")
        }
        if way == .apiKey, clientID != nil || email != nil {
            throw ConfigError(node.mark, "bad-option", "Take one way to sign in: `api_key`, `client_id`, or `email`.")
        }
        if way != .email, strategy != nil {
            throw ConfigError(
                node["strategy"]?.mark ?? node.mark, "bad-option",
                "`strategy` is for sign-ins by e-mail address, and this one is none.",
                hint: "Leave it out, or leave out \(way == .apiKey ? "`api_key`" : "`client_id`").")
        }
        for (name, text) in [("template", template), ("organization", organization)] {
            if let text, !Secret.isStoreName(text) {
                throw ConfigError(
                    node[name]?.mark ?? node.mark, "bad-option", "`\(text)` is not a name that Clerk gives.")
            }
        }
        try CredentialScope.check(origins, at: node)
    }
}
