import FilmgateCore
import FilmgateTesting
import Logging
import Testing

@testable import BasicAuth

@Suite struct BasicAuthTests {
    static let bench = AuthBench { secrets in try make(secrets) }

    @Test(arguments: AuthConformance.checks) func keepsTo(_ check: Check<AuthBench>) async throws {
        try await check.run(Self.bench)
    }

    /// The example of RFC 7617 §2.1, which has a non-ASCII password.
    @Test func sendsUserAndPasswordAsRFC7617Says() async throws {
        let provider = try Self.make(CanarySecrets("123£"), [("username", .scalar("test", quoted: true))])
        try provider.bind(to: "https://gallery.example")
        let signed = try await provider.sign(HTTPRequest("GET", "https://gallery.example/x"))
        #expect(signed[header: "Authorization"] == "Basic dGVzdDoxMjPCow==")
        #expect(provider.account == "test")
    }

    @Test func aColonInTheUserNameIsRefused() {
        #expect(throws: ConfigError.self) {
            try Self.make(CanarySecrets(), [("username", .scalar("a:b", quoted: true))])
        }
    }

    static func make(_ secrets: any SecretResolver, _ more: [(String, ConfigNode.Value)] = []) throws -> BasicAuth {
        var pairs = [
            ConfigNode.Pair(ConfigNode.Key("password", Mark()), ConfigNode(.scalar("${env:CANARY}", quoted: true)))
        ]
        pairs.append(ConfigNode.Pair(ConfigNode.Key("username", Mark()), ConfigNode(.scalar("ann", quoted: true))))
        pairs += more.map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), ConfigNode($0.1)) }
        var errors: [ConfigError] = []
        let options = BasicAuth.Options.schema.decode(ConfigNode(.map(pairs)), errors: &errors)
        if let first = errors.first { throw first }
        return try BasicAuth(
            options,
            ModuleContext(
                name: "studio", logger: Logger(label: "test"), state: "/tmp", lookup: Lookup(secrets: secrets)))
    }
}
