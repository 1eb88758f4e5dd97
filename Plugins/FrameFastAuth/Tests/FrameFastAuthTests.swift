import AuthKit
import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import FrameFastAuth

/// The module and its double.
final class FrameFastBench: AccountBench {
    let double: FrameFastDouble, clock = BenchClock(), folder: ScratchFolder, more: [(String, String)]
    let secrets_: CanarySecrets

    init(_ options: [(String, String)] = [], pin: String? = "canary-048213") throws {
        (double, folder) = (try FrameFastDouble(clock), try ScratchFolder())
        more = options
        secrets_ = CanarySecrets(pin)
    }

    func module() throws -> FrameFastAuth { try module(more) }

    func module(_ more: [(String, String)]) throws -> FrameFastAuth {
        let clock = clock, options = [("api", double.url), ("login_url", double.url + "/auth/desktop")] + more
        let module = FrameFastAuth(
            try BenchModule.options(FrameFastAuth.Options.self, options), BenchModule.context(state, secrets: secrets_),
            transport: CurlTransport(),
            clock: { clock.now })
        try module.bind(to: target)
        return module
    }

    func provider() throws -> any AccountProvider { try module() }
    func signIn(_ provider: any AccountProvider) async throws(IngestError) {
        _ = try await provider.signIn(TestPrompter(opens: true), SignInPreference())
    }
    func pass(seconds: Int) { clock.advance(seconds) }
    func order(_ trouble: AccountFault) {
        double.state.withLock {
            ($0.down, $0.refuses, $0.loses) = (trouble == .down, trouble == .refuses, trouble == .losesOne ? 1 : 0)
            $0.page = trouble.pageStatus
        }
    }
    var renewals: Int { double.state.withLock { $0.renewals } }
    var secrets: [String] { double.state.withLock { $0.issued } }
    var state: String { folder.path }
    var lifetime: Int { 900 }
    var revokes: Bool { true }
    var revoked: Int { double.state.withLock { $0.revoked } }
}

@Suite struct FrameFastAuthTests {
    @Test(arguments: AccountConformance.checks) func keepsTo(_ check: Check<AccountCase>) async throws {
        try await check.run(AccountCase { try FrameFastBench() })
    }

    static let event = [("username", "K7M2Q"), ("password", "${env:PIN}")]

    @Test func theBrowserBringsACodeThatWorksOnce() async throws {
        let bench = try FrameFastBench(), module = try bench.module(), prompter = TestPrompter(opens: true)
        let account = try await module.signIn(prompter, SignInPreference())
        #expect(account.id == "user_ann")
        #expect(
            prompter.invitations.first?.url.contains("/auth/desktop?redirect_url=http%3A%2F%2F127.0.0.1%3A") == true)
        #expect(bench.double.state.withLock { $0.codes.isEmpty })
        let error = await #expect(throws: IngestError.self) {
            try await module.signIn(TestPrompter(), SignInPreference(flow: .device))
        }
        #expect(error?.code == .misconfigured)
    }

    @Test func pastedBack() async throws {
        let bench = try FrameFastBench(), module = try bench.module()
        #expect(try await module.signIn(TestPrompter(), SignInPreference(flow: .paste)).id == "user_ann")
        let forged = TestPrompter(answers: ["http://127.0.0.1:1/callback?state=guess&code=x"])
        let error = await #expect(throws: IngestError.self) {
            try await module.signIn(forged, SignInPreference(flow: .paste))
        }
        #expect(error?.code == .unauthorized)
    }

    @Test func afterALostAnswerTheTokenBeforeServesOnceMore() async throws {
        let bench = try FrameFastBench(), module = try bench.module()
        try await bench.signIn(module)
        bench.order(.losesOne)
        bench.pass(seconds: 880)
        _ = try await module.sign(HTTPRequest("POST", bench.target))
        bench.pass(seconds: 880)
        let error = await #expect(throws: IngestError.self) { try await module.sign(HTTPRequest("POST", bench.target)) }
        #expect(error?.code == .unauthorized)
    }

    @Test func anEventNeedsNobody() async throws {
        let bench = try FrameFastBench(Self.event), module = try bench.module()
        #expect(module.account == "K7M2Q")
        let signed = try await module.sign(HTTPRequest("POST", bench.target))
        #expect(signed[header: "Authorization"]?.hasPrefix("Bearer event-canary-") == true)
        #expect(
            try await bench.module().restore(validating: false).state
                == .signedIn(Account(id: "e-1", name: "Smith", issuer: bench.double.url)))
        bench.pass(seconds: 12 * 3600)
        _ = try await module.sign(HTTPRequest("POST", bench.target))
        #expect(bench.renewals == 2)
        for file in FolderContents.below(bench.state) { #expect(!file.text.contains("canary-048213")) }
    }

    /// The token of one lives for twelve hours: with it the next event's pictures would go into the gallery of the one
    /// before.
    @Test func anotherEventIsAnotherToken() async throws {
        let bench = try FrameFastBench(Self.event)
        let first = try await bench.module().sign(HTTPRequest("POST", bench.target))[header: "Authorization"]
        let next = try bench.module([("username", "P4TTY"), ("password", "${env:PIN}")])
        let second = try await next.sign(HTTPRequest("POST", bench.target))[header: "Authorization"]
        #expect(second?.hasPrefix("Bearer event-canary-") == true && second != first && bench.renewals == 2)
        #expect(try await next.sign(HTTPRequest("POST", bench.target))[header: "Authorization"] == second)
        let error = await #expect(throws: IngestError.self) {
            try await bench.module([]).sign(HTTPRequest("POST", bench.target))
        }
        #expect(error?.code == .unauthorized)
    }

    @Test func anEventsTokenIsForTheAddressesThatItWasGotFor() async throws {
        let bench = try FrameFastBench(Self.event), module = try bench.module()
        _ = try await module.sign(HTTPRequest("POST", bench.target))
        #expect(try await module.restore(validating: false).origins == ["https://gallery.example"])
        let moved = try bench.module()
        try moved.bind(to: "https://other.example/up")
        bench.secrets_.value = nil
        await #expect(throws: IngestError.self) {
            try await moved.sign(HTTPRequest("POST", "https://other.example/up"))
        }
        #expect(bench.renewals == 1)
    }

    @Test func aRefusedPINIsNotTriedAgain() async throws {
        let bench = try FrameFastBench(Self.event, pin: "canary-999999"), module = try bench.module()
        for _ in 0..<5 {
            let error = await #expect(throws: IngestError.self) {
                try await module.sign(HTTPRequest("POST", bench.target))
            }
            #expect(error?.code == .unauthorized && !"\(error as Any)".contains("canary-999999"))
        }
        #expect(bench.double.state.withLock { $0.pinTries } == 1)
        bench.secrets_.value = "canary-048213"
        _ = try await module.sign(HTTPRequest("POST", bench.target))
    }

    /// A page in between has not refused the PIN.
    @Test(arguments: [400, 401, 403, 410]) func aPageInPlaceOfAnEventsTokenSaysNothingOfThePIN(
        _ status: Int
    ) async throws {
        let bench = try FrameFastBench(Self.event), module = try bench.module()
        bench.order(.page(status))
        let error = await #expect(throws: IngestError.self) { try await module.sign(HTTPRequest("POST", bench.target)) }
        #expect(error?.code == .unavailable)
        bench.order(.none)
        _ = try await module.sign(HTTPRequest("POST", bench.target))
    }

    @Test func anExpiredEventHolds() async throws {
        let bench = try FrameFastBench(Self.event)
        bench.double.state.withLock { $0.gone = true }
        let error = await #expect(throws: IngestError.self) {
            try await bench.module().sign(HTTPRequest("POST", bench.target))
        }
        #expect(error?.code == .unauthorized && error?.message.contains("expired") == true)
    }

    @Test(arguments: [
        [("username", "x")], [("password", "${env:X}")], [("api", "http://api.framefast.io")], [("login_url", "x")],
        [("password", "123456"), ("username", "x")],
    ])
    func mistakesAreFound(_ options: [(String, String)]) {
        #expect(throws: ConfigError.self) { try BenchModule.options(FrameFastAuth.Options.self, options) }
    }
}
