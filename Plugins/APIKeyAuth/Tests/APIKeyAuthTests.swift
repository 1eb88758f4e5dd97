import FilmgateCore
import FilmgateTesting
import Logging
import Testing

@testable import APIKeyAuth

@Suite struct APIKeyAuthTests {
    static let bench = AuthBench { secrets in try make(secrets) }

    @Test(arguments: AuthConformance.checks) func keepsTo(_ check: Check<AuthBench>) async throws {
        try await check.run(Self.bench)
    }

    @Test func sendsTheKeyInItsHeader() async throws {
        let provider = try Self.make(
            CanarySecrets("k3y"),
            [("header", .scalar("X-Auth", quoted: true)), ("prefix", .scalar("Token ", quoted: true))])
        try provider.bind(to: "https://gallery.example")
        let signed = try await provider.sign(HTTPRequest("GET", "https://gallery.example/x"))
        #expect(signed.headers.map(\.name) == ["X-Auth"] && signed.headers.map(\.value) == ["Token k3y"])
    }

    @Test(arguments: ["X Y", "", "X:", "X\r\nY"]) func aHeaderMustBeOne(_ name: String) {
        #expect(throws: ConfigError.self) { try Self.make(CanarySecrets(), [("header", .scalar(name, quoted: true))]) }
    }

    static func make(_ secrets: any SecretResolver, _ more: [(String, ConfigNode.Value)] = []) throws -> APIKeyAuth {
        var pairs = [ConfigNode.Pair(ConfigNode.Key("key", Mark()), ConfigNode(.scalar("${env:CANARY}", quoted: true)))]
        pairs += more.map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), ConfigNode($0.1)) }
        var errors: [ConfigError] = []
        let options = APIKeyAuth.Options.schema.decode(ConfigNode(.map(pairs)), errors: &errors)
        if let first = errors.first { throw first }
        return try APIKeyAuth(
            options,
            ModuleContext(
                name: "studio", logger: Logger(label: "test"), state: "/tmp", lookup: Lookup(secrets: secrets)))
    }
}
