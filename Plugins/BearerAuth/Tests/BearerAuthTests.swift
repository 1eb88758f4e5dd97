import FilmgateCore
import FilmgateTesting
import Logging
import Testing

@testable import BearerAuth

@Suite struct BearerAuthTests {
    static let bench = AuthBench { secrets in try make(secrets) }

    @Test(arguments: AuthConformance.checks) func keepsTo(_ check: Check<AuthBench>) async throws {
        try await check.run(Self.bench)
    }

    @Test func sendsTheTokenAsRFC6750Says() async throws {
        let provider = try Self.make(CanarySecrets("t0ken"))
        try provider.bind(to: "https://gallery.example")
        let signed = try await provider.sign(
            HTTPRequest("GET", "https://gallery.example/x", headers: [("authorization", "old")]))
        #expect(signed.headers.map(\.value) == ["Bearer t0ken"])
    }

    @Test func originsInTheFileDecide() async throws {
        let origins: [(String, ConfigNode.Value)] = [
            ("origins", .list([ConfigNode(.scalar("https://a.example", quoted: true))]))
        ]
        let provider = try Self.make(CanarySecrets(), origins)
        _ = try await provider.sign(HTTPRequest("GET", "https://a.example/x"))
        let error = #expect(throws: IngestError.self) { try provider.bind(to: "https://b.example/") }
        #expect(error?.code == .misconfigured)
    }

    @Test(arguments: ["a.example", "https://a.example/path", "https://u:p@a.example", "https://a.example/?q", ""])
    func originsMustBeOrigins(_ text: String) throws {
        let origins: [(String, ConfigNode.Value)] = [("origins", .list([ConfigNode(.scalar(text, quoted: true))]))]
        #expect(throws: ConfigError.self) { try Self.make(CanarySecrets(), origins) }
    }

    @Test func plainHTTPWhereTheFileAllowsIt() async throws {
        let provider = try Self.make(CanarySecrets(), [("plain_http", .scalar("true", quoted: false))])
        try provider.bind(to: "http://nas.lan")
        _ = try await provider.sign(HTTPRequest("GET", "http://nas.lan/x"))
    }

    static func make(_ secrets: any SecretResolver, _ more: [(String, ConfigNode.Value)] = []) throws -> BearerAuth {
        var pairs = [
            ConfigNode.Pair(ConfigNode.Key("token", Mark()), ConfigNode(.scalar("${env:CANARY}", quoted: true)))
        ]
        pairs += more.map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), ConfigNode($0.1)) }
        var errors: [ConfigError] = []
        let options = BearerAuth.Options.schema.decode(ConfigNode(.map(pairs)), errors: &errors)
        if let first = errors.first { throw first }
        return try BearerAuth(
            options,
            ModuleContext(
                name: "studio", logger: Logger(label: "test"), state: "/tmp", lookup: Lookup(secrets: secrets)))
    }
}
