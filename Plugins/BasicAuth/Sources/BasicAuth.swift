public import FilmgateCore
import HTTPKit

/// `basic`: user name and password (RFC 7617), sent with the first request, never negotiated.
public struct BasicAuth: Module, AuthProvider {
    public struct Options: ModuleConfig {
        var username = "", password = Secret(), origins: [String] = [], plainHTTP = false

        public init() {}
        public static let schema: Schema<Self> = [
            .field("username", \.username, "The user name.").required(),
            .field("password", \.password, "The password, as a reference to where it is kept.").required(),
            .field(
                "origins", \.origins, "The only origins that may receive it; absent = those of the targets that use it."
            ),
            .field(
                "plain_http", \.plainHTTP,
                "Also sends it over plain http to other machines, readable by anyone on the way."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            if username.contains(":") || username.utf8.contains(where: { $0 < 0x20 }) {
                throw ConfigError(
                    node["username"]?.mark ?? node.mark, "bad-username",
                    "A user name holds neither `:` nor control characters.")
            }
            try CredentialScope.check(origins, at: node)
        }
    }

    public static let manifest = Manifest("basic", "Signs with user name and password.")

    private let username: String, scope: CredentialScope, password: StaticCredential

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        username = config.username
        scope = CredentialScope(context.name, origins: config.origins, plainHTTP: config.plainHTTP)
        password = StaticCredential(config.password, context.lookup.secrets)
    }

    public var account: String? { username }

    public func bind(to address: String) throws(IngestError) { try scope.bind(address) }

    public func ready() async throws(IngestError) { _ = try await password.value() }

    public func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        try scope.require(request)
        var signed = request
        signed.set("Authorization", header(try await password.value()))
        return signed
    }

    /// The password may have been replaced where it is kept; one that is still the same was refused for good.
    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        await password.refreshed().map { header($0) != rejection.request?[header: "Authorization"] } ?? false
    }

    private func header(_ password: SecretValue) -> String {
        "Basic " + Base64.text(of: Array("\(username):\(password.reveal())".utf8))
    }
}
