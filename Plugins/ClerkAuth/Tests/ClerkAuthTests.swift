import AuthKit
import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import ClerkAuth

/// The module and its double.
final class ClerkBench: AccountBench {
    let double: ClerkDouble, clock = BenchClock(), folder: ScratchFolder, options: [(String, String)]

    init(_ options: [(String, String)] = [("email", "ann@example.com")]) throws {
        (double, folder) = (try ClerkDouble(clock), try ScratchFolder())
        self.options = [("publishable_key", ClerkAuthTests.key)] + options
    }

    func module() throws -> ClerkAuth { try module(options) }

    func module(_ options: [(String, String)]) throws -> ClerkAuth {
        let clock = clock
        let module = ClerkAuth(
            try BenchModule.options(ClerkOptions.self, options), BenchModule.context(state), transport: CurlTransport(),
            base: double.url, clock: { clock.now })
        try module.bind(to: target)
        return module
    }

    func provider() throws -> any AccountProvider { try module() }
    func signIn(_ provider: any AccountProvider) async throws(IngestError) {
        double.state.withLock { $0.ended = false }
        _ = try await provider.signIn(TestPrompter(answers: ["424242", "111111"]), SignInPreference())
    }
    func pass(seconds: Int) { clock.advance(seconds) }
    func order(_ trouble: AccountFault) {
        double.state.withLock {
            ($0.down, $0.ended, $0.loses) = (trouble == .down, trouble == .refuses, trouble == .losesOne ? 1 : 0)
            $0.page = trouble.pageStatus
        }
    }
    var renewals: Int { double.state.withLock { $0.minted } }
    var secrets: [String] { double.state.withLock { $0.issued } }
    var state: String { folder.path }
    var lifetime: Int { 60 }
    var revokes: Bool { true }
    var revoked: Int { double.state.withLock { $0.removed } }
}

@Suite struct ClerkAuthTests {
    static let key = "pk_test_Y2xlcmsuZXhhbXBsZS5jb20k"

    @Test(arguments: AccountConformance.checks) func keepsTo(_ check: Check<AccountCase>) async throws {
        try await check.run(AccountCase { try ClerkBench() })
    }

    /// The first key is the one that FrameFast's site shows.
    @Test func publishableKeys() throws {
        #expect(PublishableKey.host(in: "pk_live_Y2xlcmsuZnJhbWVmYXN0LmlvJA") == "clerk.framefast.io")
        #expect(PublishableKey.host(in: Self.key) == "clerk.example.com")
    }

    @Test(arguments: [
        "", "pk_live_", "pk_live_Y2xlcmsuZnJhbWVmYXN0Lm", "pk_prod_Y2xlcmsuZnJhbWVmYXN0LmlvJA",
        "pk_live_bG9jYWxob3N0JA", "pk_live_***", "pk_test_YS5iLyQ", "pk_test_YS5iJCQ",
        "sk_live_Y2xlcmsuZnJhbWVmYXN0LmlvJA",
    ]) func otherKeysAreMistakes(_ text: String) {
        #expect(throws: ConfigError.self) { try BenchModule.options(ClerkOptions.self, [("publishable_key", text)]) }
    }

    @Test func anEmailCodeSignsIn() async throws {
        let bench = try ClerkBench(), module = try bench.module()
        let prompter = TestPrompter(answers: ["000000", "424242"])
        let account = try await module.signIn(prompter, SignInPreference())
        #expect(account == Account(id: "user_ann", name: "Ann B", email: "ann@example.com", issuer: bench.double.url))
        #expect(prompter.screen.contains("a**@example.com") && prompter.screen.contains("not right"))
        #expect(bench.double.state.withLock { $0.wrongCodes } == 1)
        for secret in bench.secrets { #expect(!prompter.screen.contains(secret)) }
    }

    /// Whom the file names counts, also once the token is renewed: the pictures would be sent as the one of before.
    @Test func anotherAddressIsAnotherSignIn() async throws {
        let bench = try ClerkBench(), request = HTTPRequest("POST", bench.target)
        try await bench.signIn(bench.module())
        for _ in 0..<2 {
            let other = try bench.module([("publishable_key", Self.key), ("email", "bo@example.com")])
            let error = await #expect(throws: IngestError.self) { try await other.sign(request) }
            #expect(error?.code == .unauthorized && error?.advice == "Run `filmgate login studio`.")
            #expect(error?.message.contains("ann@example.com") == true)
            #expect(try await other.restore(validating: true).state.word == "expired")
            for same in [[("email", "Ann@example.com")], []] {
                _ = try await bench.module([("publishable_key", Self.key)] + same).sign(request)
            }
            bench.pass(seconds: 200)
            _ = try await bench.module().sign(request)
        }
    }

    @Test(arguments: ["totp", "phone_code"]) func aSecondFactor(_ strategy: String) async throws {
        let bench = try ClerkBench()
        bench.double.state.withLock { $0.second = strategy }
        let module = try bench.module()
        try await bench.signIn(module)
        #expect(
            try await module.sign(HTTPRequest("POST", bench.target))[header: "Authorization"]?.hasPrefix("Bearer eyJ")
                == true)
    }

    @Test func threeWrongCodesEndIt() async throws {
        let bench = try ClerkBench()
        let error = await #expect(throws: IngestError.self) {
            try await bench.module().signIn(TestPrompter(answers: ["1", "2", "3", "424242"]), SignInPreference())
        }
        #expect(error?.code == .unauthorized && bench.double.state.withLock { $0.wrongCodes } == 3)
    }

    @Test func tokensLiveAMinuteAndAreMadeWhenNeeded() async throws {
        let bench = try ClerkBench([("email", "ann@example.com"), ("template", "convex"), ("organization", "org_1")])
        let module = try bench.module()
        try await bench.signIn(module)
        for _ in 0..<10 {
            _ = try await module.sign(HTTPRequest("POST", bench.target))
            bench.pass(seconds: 20)
        }
        #expect((5...7).contains(bench.renewals))
        #expect(
            bench.double.seen.contains {
                $0.target.contains("/tokens/convex?")
                    && String(decoding: $0.body, as: UTF8.self) == "organization_id=org_1"
            })
        #expect(bench.double.seen.allSatisfy { $0[header: "Origin"] == nil })
    }

    @Test func withoutTheNativeAPIItSaysWhatToDo() async throws {
        let bench = try ClerkBench()
        bench.double.state.withLock { $0.native = false }
        let error = await #expect(throws: IngestError.self) {
            try await bench.module().signIn(TestPrompter(), SignInPreference())
        }
        #expect(error?.advice?.contains("Native API") == true)
    }

    @Test func tooManyAttemptsIsPassingTrouble() async throws {
        let bench = try ClerkBench()
        bench.double.state.withLock { $0.limits = 1 }
        let error = await #expect(throws: IngestError.self) {
            try await bench.module().signIn(TestPrompter(), SignInPreference())
        }
        #expect(error?.code == .rateLimited)
    }

    @Test func anAPIKeyIsSentAsItIsAndNeverStored() async throws {
        let folder = try ScratchFolder(), secrets = CanarySecrets("ak_canary_1")
        let options = try BenchModule.options(ClerkOptions.self, [("api_key", "${env:KEY}")])
        let module = ClerkAuth(
            options, BenchModule.context(folder.path, secrets: secrets), transport: CurlTransport(), base: "")
        try module.bind(to: "https://gallery.example")
        let signed = try await module.sign(HTTPRequest("GET", "https://gallery.example/x"))
        #expect(signed[header: "Authorization"] == "Bearer ak_canary_1")
        await #expect(throws: IngestError.self) {
            try await module.renew(after: Rejection(status: 401, request: signed))
        }
        secrets.value = "ak_canary_2"
        #expect(
            try await module.sign(HTTPRequest("GET", "https://gallery.example/x"))[header: "Authorization"]
                == "Bearer ak_canary_2")
        for file in FolderContents.below(folder.path) { #expect(!file.text.contains("canary")) }
    }

    @Test func signingInWithAnAPIKeyLooksItUp() async throws {
        let folder = try ScratchFolder()
        let options = try BenchModule.options(ClerkOptions.self, [("api_key", "${env:KEY}")])
        func module(_ key: String?) -> ClerkAuth {
            ClerkAuth(
                options, BenchModule.context(folder.path, secrets: CanarySecrets(key)), transport: CurlTransport(),
                base: "")
        }
        #expect(try await module("ak_canary_1").signIn(TestPrompter(), SignInPreference()).id == "api key")
        let error = await #expect(throws: IngestError.self) {
            try await module(nil).signIn(TestPrompter(), SignInPreference())
        }
        #expect(error?.code == .unauthorized)
    }

    @Test(arguments: ["sk_live_canary", "pk_live_x", "ak_\r\nX: 1"]) func whatIsNoAPIKeyIsNotSent(
        _ key: String
    ) async throws {
        let folder = try ScratchFolder()
        let options = try BenchModule.options(ClerkOptions.self, [("api_key", "${env:KEY}")])
        let module = ClerkAuth(
            options, BenchModule.context(folder.path, secrets: CanarySecrets(key)), transport: CurlTransport(), base: ""
        )
        try module.bind(to: "https://gallery.example")
        let error = await #expect(throws: IngestError.self) {
            try await module.sign(HTTPRequest("GET", "https://gallery.example/x"))
        }
        #expect(error?.code == .unauthorized && !"\(error as Any)".contains("canary"))
    }

    @Test func anOAuthApplicationSignsInByBrowser() async throws {
        let clock = BenchClock(), folder = try ScratchFolder(), double = try OIDCDouble(clock: { clock.now })
        let options = try BenchModule.options(
            ClerkOptions.self, [("publishable_key", Self.key), ("client_id", OIDCDouble.client)])
        let module = ClerkAuth(
            options, BenchModule.context(folder.path), transport: CurlTransport(), base: double.issuer,
            clock: { clock.now })
        try module.bind(to: "https://gallery.example")
        let account = try await module.signIn(TestPrompter(opens: true), SignInPreference())
        #expect(account.id == "auth0|ann")
        clock.advance(900)
        _ = try await module.sign(HTTPRequest("GET", "https://gallery.example/x"))
        #expect(double.grants == ["authorization_code", "refresh_token"])
        try await module.signOut()
        #expect(double.revoked.count == 1)
    }
}
