import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Testing

@testable import AWSAuth

@Suite struct AWSAuthTests {
    static let keys = [("access_key", "AKIAIOSFODNN7EXAMPLE"), ("secret_key", "${env:SECRET}")]
    static let bench = AuthBench { secrets in try make(secrets) }

    static func make(_ secrets: any SecretResolver, _ options: [(String, String)] = keys) throws -> AWSAuth {
        let context = BenchModule.context("/tmp", secrets: secrets)
        return AWSAuth(try BenchModule.options(AWSAuth.Options.self, options), context, clock: { 1_369_353_600 })
    }

    // A secret key signs and is never sent, so one with a line break in it harms nobody.
    @Test(arguments: AuthConformance.checks.filter { $0.name != "a secret cannot start a header of its own" })
    func keepsTo(_ check: Check<AuthBench>) async throws { try await check.run(Self.bench) }

    /// Amazon's published example.
    @Test func signsAsAmazonDoes() async throws {
        let module = try Self.make(CanarySecrets("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
        try module.bind(to: "https://examplebucket.s3.amazonaws.com")
        let request = HTTPRequest(
            "GET", "https://examplebucket.s3.amazonaws.com/test.txt",
            headers: [
                ("Range", "bytes=0-9"),
                ("x-amz-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ])
        let signed = try await module.sign(request)
        #expect(
            signed[header: "Authorization"]?.hasSuffix(
                "=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41") == true)
        #expect(!signed.headers.contains { $0.value.contains("wJalr") })
        #expect(module.account == "AKIAIOSFODNN7EXAMPLE")
    }

    @Test func aSessionTokenGoesAlongAndStartsNoHeader() async throws {
        let module = try Self.make(CanarySecrets("canary"), Self.keys + [("session_token", "${env:TOKEN}")])
        try module.bind(to: "https://s3.example")
        #expect(
            try await module.sign(HTTPRequest("GET", "https://s3.example/"))[header: "x-amz-security-token"] == "canary"
        )
        let evil = try Self.make(CanarySecrets("a\r\nX-Evil: 1"), Self.keys + [("session_token", "${env:TOKEN}")])
        try evil.bind(to: "https://s3.example")
        await #expect(throws: IngestError.self) { try await evil.sign(HTTPRequest("GET", "https://s3.example/")) }
    }

    /// Both were signed before the keys were changed; the second refusal comes when they are known.
    @Test func aLateRefusalIsTriedWithTheNewKeysToo() async throws {
        let folder = try ScratchFolder(), file = folder.path + "/credentials"
        func write(_ key: String, _ token: String) {
            let text =
                "[s]\naws_access_key_id=\(key)\naws_secret_access_key=secret\naws_session_token=\(token)\n"
            _ = FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        }
        for (key, token) in [("A", "t2"), ("B", "t1")] {
            write("A", "t1")
            let module = try Self.make(NoSecrets(), [("profile", "s"), ("file", file)])
            try module.bind(to: "https://s3.example")
            let sent = Rejection(status: 401, request: try await module.sign(HTTPRequest("GET", "https://s3.example/")))
            write(key, token)
            #expect(try await module.renew(after: sent))
            #expect(try await module.renew(after: sent))
            let new = try await module.sign(HTTPRequest("GET", "https://s3.example/"))
            #expect(try await !module.renew(after: Rejection(status: 401, request: new)))
        }
    }

    @Test func profiles() async throws {
        let folder = try ScratchFolder(), file = folder.path + "/credentials"
        let text =
            "[default]\naws_access_key_id=A\n\n# x\n[ profile studio ]\naws_access_key_id = AKID\naws_secret_access_key= s/+=\naws_session_token =tok\n"
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
        let module = try Self.make(NoSecrets(), [("profile", "studio"), ("file", file)])
        let keys = try await module.keys()
        #expect(keys.accessKey == "AKID" && keys.secretKey.reveal() == "s/+=" && keys.sessionToken?.reveal() == "tok")
        let windows = "\u{FEFF}[w]\r\naws_access_key_id = A\r\naws_secret_access_key = B\r\naws_session_token =\r\n"
        #expect(
            FileManager.default.createFile(
                atPath: file + "-w", contents: Data(windows.utf8), attributes: [.posixPermissions: 0o600]))
        let others = try await Self.make(NoSecrets(), [("profile", "w"), ("file", file + "-w")]).keys()
        #expect(others.accessKey == "A" && others.secretKey.reveal() == "B" && others.sessionToken == nil)
        for name in ["default", "other"] {
            let error = await #expect(throws: IngestError.self) {
                try await Self.make(NoSecrets(), [("profile", name), ("file", file)]).keys()
            }
            #expect(error?.code == .unauthorized)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let error = await #expect(throws: IngestError.self) {
            try await Self.make(NoSecrets(), [("profile", "studio"), ("file", file)]).keys()
        }
        #expect(error?.advice?.contains("chmod 600") == true)
    }

    @Test(
        arguments: [
            [], [("access_key", "A")], [("profile", "x"), ("access_key", "A"), ("secret_key", "${env:X}")],
            [("profile", "x"), ("session_token", "${env:X}")],
            [("profile", "x"), ("region", "a b")], [("access_key", "a/b"), ("secret_key", "${env:X}")],
            [("access_key", "A"), ("secret_key", "inline")],
        ] as [[(String, String)]]) func mistakesAreFound(_ options: [(String, String)])
    {
        #expect(throws: ConfigError.self) { try BenchModule.options(AWSAuth.Options.self, options) }
    }
}
