import AuthKit
import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@testable import OIDCAuth

@Suite struct OIDCAuthTests {
    @Test(arguments: AccountConformance.checks) func keepsTo(_ check: Check<AccountCase>) async throws {
        try await check.run(AccountCase { try OIDCBench() })
    }

    func text(_ text: String) -> ConfigNode.Value { .scalar(text, quoted: true) }

    func code(
        _ bench: OIDCBench, _ prompter: TestPrompter = TestPrompter(), _ flow: SignInPreference.Flow? = .device
    ) async -> IngestError? {
        let result = await Result { () async throws(IngestError) in
            try await bench.open().signIn(prompter, SignInPreference(flow: flow))
        }
        if case .failure(let error) = result { return error }
        return nil
    }

    @Test(arguments: OIDCDouble.Profile.Style.allCases) func deviceGrant(_ style: OIDCDouble.Profile.Style) async throws
    {
        var profile = OIDCDouble.Profile()
        (profile.style, profile.pending, profile.slowDowns, profile.lifetimeAsText) = (style, 2, 1, true)
        let bench = try OIDCBench(profile), prompter = TestPrompter(), module = try bench.module()
        let account = try await module.signIn(prompter, SignInPreference(flow: .device))
        #expect(account == Account(id: "auth0|ann", name: "Ann", email: "ann@example.com", issuer: bench.double.issuer))
        #expect(prompter.invitations.first?.code == "QTZL-MCBW")
        #expect(bench.double.grants.count == 4)
        let facts = try await module.restore(validating: true)
        #expect(facts.renews && facts.expires != nil && facts.origins == ["https://gallery.example"])
        for secret in bench.secrets { #expect(!prompter.screen.contains(secret)) }
    }

    @Test(arguments: [OIDCDouble.Profile.Style.rfc, .auth0]) func refusedAndExpiredCodes(
        _ style: OIDCDouble.Profile.Style
    ) async throws {
        var profile = OIDCDouble.Profile()
        (profile.style, profile.denies) = (style, true)
        #expect(await code(try OIDCBench(profile))?.code == .unauthorized)
        (profile.denies, profile.codeExpires) = (false, true)
        let bench = try OIDCBench(profile)
        let late = await code(bench)
        #expect(late?.code == .unauthorized && late?.message.contains("ran out") == true)
        #expect(bench.double.grants.count == 2)
        #expect(try await bench.module().restore(validating: false).state == .signedOut)
    }

    @Test func troubleWhilePollingIsWaitedOut() async throws {
        let bench = try OIDCBench(), prompter = TestPrompter()
        bench.double.set { $0.pending = 1000 }
        let late = await code(bench, prompter)
        #expect(late?.message.contains("ran out") == true)
        #expect(bench.double.grants.count < 160)
    }

    @Test(arguments: [SignInPreference.Flow.browser, .paste]) func browserAndPaste(
        _ flow: SignInPreference.Flow
    ) async throws {
        let bench = try OIDCBench(), prompter = TestPrompter(opens: flow == .browser), module = try bench.module()
        let account = try await module.signIn(prompter, SignInPreference(flow: flow))
        #expect(account.id == "auth0|ann")
        let asked = prompter.invitations.first?.url ?? ""
        #expect(
            asked.contains("code_challenge_method=S256") && asked.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A"))
        #expect(prompter.invitations.first?.opens == (flow == .browser))
        #expect(bench.double.grants == ["authorization_code"])
    }

    @Test func aRefusalInTheBrowser() async throws {
        var profile = OIDCDouble.Profile()
        profile.denies = true
        let error = await code(try OIDCBench(profile), TestPrompter(opens: true), .browser)
        #expect(error?.code == .unauthorized && error?.message.contains("access_denied") == true)
    }

    @Test(arguments: [
        "http://127.0.0.1:1/callback?code=x&state=wrong", "http://127.0.0.1:1/callback?code=x", "nonsense",
        "https://x/?state=&code=",
    ])
    func aPastedAddressMustAnswerOurQuestion(_ pasted: String) async throws {
        let bench = try OIDCBench()
        #expect(await code(bench, TestPrompter(answers: [pasted]), .paste)?.code == .unauthorized)
        #expect(bench.double.grants.isEmpty)
    }

    @Test(arguments: [
        ("iss", JSONValue.string("https://evil.example")), ("aud", .string("other")),
        ("aud", .array([.string("camera"), .string("x")])), ("exp", .integer(1)), ("iat", .integer(9_999_999_999)),
        ("nonce", .string("other")), ("alg", .string("none")), ("alg", .string("HS256")), ("azp", .string("other")),
    ]) func anIDTokenThatIsNotForUsIsRefused(_ claim: String, _ value: JSONValue) async throws {
        var profile = OIDCDouble.Profile()
        profile.claims = [claim: value]
        let bench = try OIDCBench(profile)
        #expect(await code(bench, TestPrompter(opens: true), .browser)?.code == .unauthorized)
        #expect(try await bench.module().restore(validating: false).state == .signedOut)
    }

    @Test func withoutASayTheProviderDecides() async throws {
        var profile = OIDCDouble.Profile()
        profile.offersDevice = false
        let bench = try OIDCBench(profile)
        #expect(await code(bench, TestPrompter(opens: true), nil) == nil)
        #expect(bench.double.grants == ["authorization_code"])
        #expect(await code(bench, TestPrompter(), .device)?.code == .misconfigured)
    }

    @Test func convexGetsTheIDTokenOfAuth0() async throws {
        var profile = OIDCDouble.Profile()
        profile.style = .auth0
        let bench = try OIDCBench(profile, [("preset", text("auth0"))]), module = try bench.module()
        try await bench.signIn(module)
        let sent = try await module.sign(HTTPRequest("POST", bench.target))[header: "Authorization"] ?? ""
        #expect(sent.hasPrefix("Bearer eyJ") && sent.split(separator: ".").count == 3)
        bench.pass(seconds: 900)
        let later = try await module.sign(HTTPRequest("POST", bench.target))[header: "Authorization"]
        #expect(later != sent && later?.hasPrefix("Bearer eyJ") == true)
        let asked = String(decoding: bench.double.seen.first { $0.target == "/device" }?.body ?? [], as: UTF8.self)
        #expect(asked.contains("scope=openid%20profile%20email%20offline_access") && !asked.contains("audience"))
    }

    /// The refresh token has changed hands by then: losing it over a clock that is wrong would sign out.
    @Test(arguments: ["access", "id"]) func anIDTokenThatIsNotForUsAtRenewalSignsNobodyOut(
        _ bearer: String
    ) async throws {
        let bench = try OIDCBench(OIDCDouble.Profile(), [("bearer", text(bearer))]), module = try bench.module()
        try await bench.signIn(module)
        bench.double.set { $0.claims = ["exp": .integer(1)] }
        bench.pass(seconds: 1000)
        let signed = try? await module.sign(HTTPRequest("POST", bench.target))
        #expect((signed != nil) == (bearer == "access"))
        bench.double.set { $0.claims = [:] }
        bench.pass(seconds: 1000)
        _ = try await module.sign(HTTPRequest("POST", bench.target))
        #expect(bench.renewals == 2)
    }

    @Test func clientCredentialsNeedNobody() async throws {
        var profile = OIDCDouble.Profile()
        (profile.secret, profile.openID) = ("client-canary-secret", false)
        let bench = try OIDCBench(
            profile,
            [("flow", text("client_credentials")), ("client_secret", text("${env:X}")), ("audience", text("api"))])
        let module = try bench.module(), other = try bench.module()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await (number % 2 == 0 ? module : other).sign(HTTPRequest("POST", bench.target))
                }
            }
            try await group.waitForAll()
        }
        #expect(bench.renewals == 1)
        bench.pass(seconds: 1000)
        _ = try await module.sign(HTTPRequest("POST", bench.target))
        #expect(bench.renewals == 2 && bench.double.grants.allSatisfy { $0 == "client_credentials" })
        for file in FolderContents.below(bench.state) { #expect(!file.text.contains("client-canary-secret")) }
    }

    /// What a secret gives is bound as the secret is: an edited file does not send what was kept anywhere new, it asks
    /// for the secret there.
    @Test func aMachinesTokenIsForTheAddressesThatItWasGotFor() async throws {
        let options = [("flow", text("client_credentials")), ("client_secret", text("${env:X}"))]
        var profile = OIDCDouble.Profile()
        (profile.secret, profile.openID) = ("client-canary-secret", false)
        let bench = try OIDCBench(profile, options), request = HTTPRequest("POST", bench.target)
        let first = try await bench.module().sign(request)[header: "Authorization"]
        #expect(try await bench.module().restore(validating: false).origins == ["https://gallery.example"])
        let moved = try bench.module(at: "https://other.example/up")
        let there = HTTPRequest("POST", "https://other.example/up")
        bench.secret.value = nil
        let error = await #expect(throws: IngestError.self) { try await moved.sign(there) }
        #expect(error?.code == .unauthorized)
        bench.secret.value = "client-canary-secret"
        let second = try await moved.sign(there)[header: "Authorization"]
        #expect(second != nil && second != first && bench.renewals == 2)
        // Where it was used before it still is: two files that share it do not take it from each other.
        #expect(try await bench.module().sign(request)[header: "Authorization"] == second)
        #expect(bench.renewals == 2)
    }

    /// For another audience it is another token, also where the one before still holds.
    @Test func aMachineWithAnotherAudienceAsksAnew() async throws {
        let options = [("flow", text("client_credentials")), ("client_secret", text("${env:X}"))]
        var profile = OIDCDouble.Profile()
        (profile.secret, profile.openID) = ("client-canary-secret", false)
        let bench = try OIDCBench(profile, options), request = HTTPRequest("POST", bench.target)
        let first = try await bench.module([("audience", text("a"))]).sign(request)[header: "Authorization"]
        let other = try bench.module([("audience", text("b"))])
        let second = try await other.sign(request)[header: "Authorization"]
        #expect(first != second && bench.renewals == 2)
        #expect(try await other.sign(request)[header: "Authorization"] == second)
    }

    /// Asked too often, or in trouble of its own, a provider says nothing about the sign-in.
    @Test(arguments: [
        ("rate_limit_exceeded", 429), ("slow_down", 429), ("timeout", 408), ("temporarily_unavailable", 403),
        ("server_error", 400), ("too_many_requests", 429),
    ]) func aBusyProviderSignsNobodyOut(_ code: String, _ status: Int) async throws {
        let bench = try OIDCBench(), module = try bench.module(), request = HTTPRequest("POST", bench.target)
        try await bench.signIn(module)
        bench.double.set { $0.trouble = .code(code, status: status) }
        bench.pass(seconds: 850)
        _ = try await module.sign(request)
        bench.pass(seconds: 1000)
        let error = await #expect(throws: IngestError.self) { try await module.sign(request) }
        #expect(error?.code == .unavailable && error?.message.contains(code) == true)
        bench.double.set { $0.trouble = nil }
        _ = try await bench.module().sign(request)
        #expect(bench.renewals == 1)
    }

    /// A helper program that fails once has refused nothing: the provider was not even asked.
    @Test(arguments: [false, true]) func aSecretThatCannotBeReadEndsNoSignIn(_ isMachine: Bool) async throws {
        var profile = OIDCDouble.Profile()
        (profile.secret, profile.openID) = ("client-canary-secret", !isMachine)
        let flow = isMachine ? "client_credentials" : "browser"
        let bench = try OIDCBench(profile, [("client_secret", text("${env:X}")), ("flow", text(flow))])
        let module = try bench.module(), request = HTTPRequest("POST", bench.target)
        _ = try await module.signIn(TestPrompter(opens: true), SignInPreference())
        bench.secret.value = nil
        bench.pass(seconds: 850)
        _ = try await module.sign(request)
        bench.pass(seconds: 1000)
        let error = await #expect(throws: IngestError.self) { try await module.sign(request) }
        #expect(error?.code == .unavailable && error?.message.contains("is missing") == true)
        #expect(try await bench.module().restore(validating: false).state.word == "signedIn")
        bench.secret.value = "client-canary-secret"
        let before = bench.renewals
        _ = try await module.sign(request)
        #expect(bench.renewals == before + 1)
    }

    /// A run goes on by itself where the provider's address is wrong for a while; who signs in is told that it is wrong.
    @Test(arguments: [404, 403, 401]) func aProviderThatHidesForAWhileIsAskedAgain(_ status: Int) async throws {
        let bench = try OIDCBench(), request = HTTPRequest("POST", bench.target)
        bench.double.set { $0.hides = [status] }
        #expect(await code(bench)?.code == .misconfigured)
        try await bench.signIn(bench.module())
        bench.pass(seconds: 1000)
        bench.double.set { $0.hides = [status] }
        let module = try bench.module()
        let error = await #expect(throws: IngestError.self) { try await module.sign(request) }
        #expect(error?.code == .unavailable)
        _ = try await module.sign(request)
    }

    @Test func aMachineFindsItsProviderLater() async throws {
        var profile = OIDCDouble.Profile()
        (profile.secret, profile.openID, profile.hides) = ("client-canary-secret", false, [404])
        let bench = try OIDCBench(
            profile, [("flow", text("client_credentials")), ("client_secret", text("${env:X}"))])
        let module = try bench.module(), request = HTTPRequest("POST", bench.target)
        let error = await #expect(throws: IngestError.self) { try await module.sign(request) }
        #expect(error?.code == .unavailable)
        // Nothing is there to go on with, and nobody can be asked: held, until the secret is there.
        bench.secret.value = nil
        let missing = await #expect(throws: IngestError.self) { try await module.sign(request) }
        #expect(missing?.code == .unauthorized)
        bench.secret.value = "client-canary-secret"
        _ = try await module.sign(request)
    }

    /// What `whoami` says is what an upload would meet.
    @Test func aSignInForOtherAddressesIsAsGoodAsEnded() async throws {
        let bench = try OIDCBench()
        try await bench.signIn(bench.module())
        let moved = try bench.module(at: "https://other.example"), facts = try await moved.restore(validating: false)
        #expect(facts.state == .expired("It was made for https://gallery.example, not for https://other.example."))
        #expect(try await bench.module().restore(validating: false).state.word == "signedIn")
    }

    /// Nobody has to sign in there: once the secret is put right, or the page in between is gone, it goes on by itself.
    @Test(arguments: [
        OIDCDouble.Profile.EndpointFault.refusal, .page, .nothing,
    ]) func aMachineThatWasRefusedIsNotSignedOut(_ trouble: OIDCDouble.Profile.EndpointFault) async throws {
        let options = [("flow", text("client_credentials")), ("client_secret", text("${env:X}"))]
        var profile = OIDCDouble.Profile()
        (profile.secret, profile.openID) = ("client-canary-secret", false)
        let bench = try OIDCBench(profile, options), module = try bench.module()
        _ = try await module.sign(HTTPRequest("POST", bench.target))
        bench.pass(seconds: 1000)
        bench.double.set { $0.trouble = trouble }
        for _ in 0..<2 {
            let error = await #expect(throws: IngestError.self) {
                try await module.sign(HTTPRequest("POST", bench.target))
            }
            #expect(error?.code == (trouble == .refusal ? .unauthorized : .unavailable))
        }
        bench.double.set { $0.trouble = nil }
        _ = try await module.sign(HTTPRequest("POST", bench.target))
        _ = try await bench.module().sign(HTTPRequest("POST", bench.target))
        #expect(bench.renewals == 2)
    }

    @Test func aPageInPlaceOfATokenSignsNobodyOut() async throws {
        let bench = try OIDCBench(), module = try bench.module()
        try await bench.signIn(module)
        bench.double.set { $0.trouble = .page }
        bench.pass(seconds: 1000)
        let error = await #expect(throws: IngestError.self) { try await module.sign(HTTPRequest("POST", bench.target)) }
        #expect(error?.code == .unavailable)
        bench.double.set { $0.trouble = nil }
        _ = try await module.sign(HTTPRequest("POST", bench.target))
    }

    @Test func aTokenUsedTwiceEndsTheFamily() async throws {
        let bench = try OIDCBench(), module = try bench.module()
        try await bench.signIn(module)
        bench.double.set { $0.loses = 1 }
        bench.pass(seconds: 1000)
        let error = await #expect(throws: IngestError.self) { try await module.sign(HTTPRequest("POST", bench.target)) }
        #expect(error?.code == .unauthorized && error?.advice?.contains("filmgate login studio") == true)
        #expect(try await module.restore(validating: false).state.word == "expired")
    }

    @Test(arguments: [
        [("issuer", "http://login.example")], [("issuer", "login.example")],
        [("preset", "auth0"), ("issuer", "https://a.eu.auth0.com")], [("flow", "client_credentials")],
        [("flow", "implicit")], [("origins", "x")],
    ]) func mistakesAreFound(_ options: [(String, String)]) throws {
        var pairs: [(String, ConfigNode.Value)] = [("client_id", text("x"))]
        if !options.contains(where: { $0.0 == "issuer" }) { pairs.append(("issuer", text("https://login.example/"))) }
        pairs += options.map { ($0.0, text($0.1)) }
        var errors: [ConfigError] = []
        _ = OIDCOptions.schema.decode(
            ConfigNode(.map(pairs.map { .init(.init($0.0, Mark()), ConfigNode($0.1)) })), errors: &errors)
        #expect(errors.count == 1)
    }
}

extension OIDCBench {
    func open() throws(IngestError) -> OIDCAuth {
        do { return try module() } catch { throw IngestError(.unexpected, "\(error)") }
    }
}
