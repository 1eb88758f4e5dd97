import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Testing

@testable import FilmgateExternal

/// A sign-in that misbehaves holds what waits for it, and nothing else.
@Suite struct AuthTests {
    private static func script(_ sign: String) -> String {
        """
        #!/usr/bin/env python3
        import json, sys, time
        def say(**words):
            print(json.dumps(words), flush=True)
        say(hello={"protocol": 1, "kind": "auth", "silence": 3, "manifest": {"name": "moody", "summary": "Signs."}, "fields": []})
        for message in map(json.loads, sys.stdin):
            id, verb = message["id"], message["do"]
            if verb == "sign":
                \(sign)
            else:
                say(id=id, done={})
        """
    }

    private func provider(
        _ module: MisbehavingModule, _ options: [ConfigNode.Pair] = [], _ context: ModuleContext? = nil
    ) throws -> any AuthProvider {
        guard case .auth(let make) = try ExternalModule.entry(path: module.program).make else {
            throw CheckFailure("It is no sign-in.")
        }
        var errors: [ConfigError] = []
        let provider = try make(ConfigNode(.map(options)), context ?? module.context(), &errors)
        try provider.bind(to: "https://gallery.example")
        return provider
    }

    private let request = HTTPRequest("PUT", "https://gallery.example/x")

    @Test func oneThatOnlySaysThatItGoesOnIsEnded() async throws {
        let module = try MisbehavingModule(Self.script("while True: say(id=id, progress={}); time.sleep(0.1)"))
        let provider = try provider(module)
        let error = try await expectError(.unavailable) { () async throws(IngestError) in
            _ = try await provider.sign(request)
        }
        #expect(error.message.contains("went on without an answer"))
    }

    @Test(arguments: ["Host", "content-length", "Transfer-Encoding"]) func whatFramesARequestIsNotItsToSet(
        _ name: String
    ) async throws {
        let module = try MisbehavingModule(Self.script("say(id=id, done={'headers': {'\(name)': '1'}})"))
        let provider = try provider(module)
        let error = try await expectError(.unauthorized) { () async throws(IngestError) in
            _ = try await provider.sign(request)
        }
        #expect(error.message.contains(name))
        let fine = try MisbehavingModule(Self.script("say(id=id, done={'headers': {'X-Key': '1'}})"))
        #expect(try await self.provider(fine).sign(request)[header: "X-Key"] == "1")
    }

    /// Signs once, and speaks of the secret that it was given first ever after.
    private static let faithful = """
        #!/usr/bin/env python3
        import json, sys
        def say(**words):
            print(json.dumps(words), flush=True)
        say(hello={"protocol": 1, "kind": "auth", "manifest": {"name": "moody", "summary": "Signs."},
                   "fields": [{"name": "key", "kind": "secret", "help": "A secret."}]})
        keys = []
        for message in map(json.loads, sys.stdin):
            id, verb = message["id"], message["do"]
            if verb == "secrets":
                keys.append(message["secrets"]["key"])
            if verb == "sign" and len(keys) > 1:
                say(id=id, failed={"code": "unauthorized", "message": "no longer " + keys[0]})
            else:
                say(id=id, done={})
        """

    @Test func aSecretThatWasReplacedStaysHidden() async throws {
        let module = try MisbehavingModule(Self.faithful), secrets = CanarySecrets()
        let key = ConfigNode.Pair(ConfigNode.Key("key", Mark()), ConfigNode(.scalar("${env:X}", quoted: false)))
        let provider = try provider(module, [key], module.context(Logger(label: "test"), secrets))
        _ = try await provider.sign(request)
        secrets.value = "another-secret"
        #expect(try await provider.renew(after: Rejection(status: 401)))
        let error = try await expectError(.unauthorized) { () async throws(IngestError) in
            _ = try await provider.sign(request)
        }
        #expect(error.message == "moody: no longer ‹secret›")
    }
}
