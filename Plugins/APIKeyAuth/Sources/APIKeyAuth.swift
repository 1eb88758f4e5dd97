public import FilmgateCore
import HTTPKit

/// `api_key`: a key in a header of the server's choice.
public struct APIKeyAuth: Module, AuthProvider {
    public struct Options: ModuleConfig {
        var header = "X-API-Key", prefix = "", key = Secret(), origins: [String] = [], plainHTTP = false

        public init() {}
        public static let schema: Schema<Self> = [
            .field("key", \.key, "The key, as a reference to where it is kept.").required(),
            .field("header", \.header, "The header that carries it."),
            .field("prefix", \.prefix, "Text before the key, with its space where one belongs there."),
            .field(
                "origins", \.origins, "The only origins that may receive it; absent = those of the targets that use it."
            ),
            .field(
                "plain_http", \.plainHTTP,
                "Also sends it over plain http to other machines, readable by anyone on the way."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            guard HeaderText.isName(header) else {
                throw ConfigError(
                    node["header"]?.mark ?? node.mark, "bad-header", "`\(header)` is not a header's name.")
            }
            guard HeaderText.clean(prefix) == prefix else {
                throw ConfigError(node["prefix"]?.mark ?? node.mark, "bad-header", "`prefix` holds control characters.")
            }
            try CredentialScope.check(origins, at: node)
        }
    }

    public static let manifest = Manifest("api_key", "Signs with a fixed key in a header of its own.")

    private let header: String, prefix: String, scope: CredentialScope, key: StaticCredential

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        (header, prefix) = (config.header, config.prefix)
        scope = CredentialScope(context.name, origins: config.origins, plainHTTP: config.plainHTTP)
        key = StaticCredential(config.key, context.lookup.secrets)
    }

    public func bind(to address: String) throws(IngestError) { try scope.bind(address) }

    public func ready() async throws(IngestError) { _ = try await key.value() }

    public func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        try scope.require(request)
        var signed = request
        signed.set(header, prefix + (try await key.value()).reveal())
        return signed
    }

    /// The key may have been replaced where it is kept; one that is still the same was refused for good.
    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        await key.refreshed().map { prefix + $0.reveal() != rejection.request?[header: header] } ?? false
    }
}
