public import FilmgateCore
import HTTPKit

/// `bearer`: one token in the `Authorization` header (RFC 6750).
public struct BearerAuth: Module, AuthProvider {
    public struct Options: ModuleConfig {
        var token = Secret(), origins: [String] = [], plainHTTP = false

        public init() {}
        public static let schema: Schema<Self> = [
            .field("token", \.token, "The token, as a reference to where it is kept.").required(),
            .field(
                "origins", \.origins, "The only origins that may receive it; absent = those of the targets that use it."
            ),
            .field(
                "plain_http", \.plainHTTP,
                "Also sends it over plain http to other machines, readable by anyone on the way."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) { try CredentialScope.check(origins, at: node) }
    }

    public static let manifest = Manifest("bearer", "Signs with a fixed token in the Authorization header.")

    private let scope: CredentialScope, token: StaticCredential

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        scope = CredentialScope(context.name, origins: config.origins, plainHTTP: config.plainHTTP)
        token = StaticCredential(config.token, context.lookup.secrets)
    }

    public func bind(to address: String) throws(IngestError) { try scope.bind(address) }

    public func ready() async throws(IngestError) { _ = try await token.value() }

    public func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        try scope.require(request)
        var signed = request
        signed.set("Authorization", Self.header(try await token.value()))
        return signed
    }

    /// The token may have been replaced where it is kept; a token that is still the same was refused for good.
    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        await token.refreshed().map { Self.header($0) != rejection.request?[header: "Authorization"] } ?? false
    }

    private static func header(_ token: SecretValue) -> String { "Bearer " + token.reveal() }
}
