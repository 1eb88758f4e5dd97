import AuthKit
import FilmgateCore
import FilmgateTesting
import Testing

@testable import OIDCAuth

/// Identity tokens of another sign-in, exchanged at a provider that looks at their type, issuer, audience and age.
@Suite struct TokenExchangeTests {
    static let google = "https://accounts.google.com", apple = "https://appleid.apple.com"
    static let plain = "urn:ietf:params:oauth:token-type:id_token"

    func text(_ text: String) -> ConfigNode.Value { .scalar(text, quoted: true) }

    func bench(
        _ kind: String?, _ options: [(String, ConfigNode.Value)] = [], style: OIDCDouble.Profile.Style = .rfc
    ) throws -> OIDCBench {
        var profile = OIDCDouble.Profile()
        (profile.exchanges, profile.style) = (kind, style)
        return try OIDCBench(profile, options)
    }

    func exchange(_ bench: OIDCBench, _ token: String, prompter: TestPrompter? = nil) async -> Result<
        Account, IngestError
    > {
        let prompter = prompter ?? TestPrompter(answers: [token])
        return await Result { () async throws(IngestError) in
            try await bench.open().signIn(prompter, SignInPreference(flow: .identityToken))
        }
    }

    func failure(_ bench: OIDCBench, _ token: String) async -> IngestError? {
        if case .failure(let error) = await exchange(bench, token) { return error }
        return nil
    }

    func token(_ bench: OIDCBench, _ issuer: String = google, lasts: Int = 600) -> String {
        TestToken.identity(issuer: issuer, ends: bench.clock.now + lasts)
    }

    @Test(arguments: [
        (nil, plain, OIDCDouble.Profile.Style.rfc), ("keycloak", "urn:ietf:params:oauth:token-type:jwt", .rfc),
        ("auth0", "http://auth0.com/oauth/token-type/google-id-token", .auth0),
    ]) func anIdentityTokenSignsInAndRenews(
        _ preset: String?, _ kind: String, _ style: OIDCDouble.Profile.Style
    ) async throws {
        let bench = try bench(kind, preset.map { [("preset", text($0))] } ?? [], style: style), given = token(bench)
        let prompter = TestPrompter(answers: [given])
        #expect(try await exchange(bench, given, prompter: prompter).get().id == "auth0|ann")
        let module = try bench.module()
        let before = try await module.sign(HTTPRequest("POST", bench.target))[header: "Authorization"]
        bench.pass(seconds: 1000)
        #expect(
            try await module.sign(HTTPRequest("POST", bench.target))[header: "Authorization"] != before
                && bench.renewals == 1)
        #expect(!prompter.screen.contains("identity-canary"))
        for file in FolderContents.below(bench.state) { #expect(!file.text.contains("identity-canary")) }
    }

    @Test func aTokenIsTakenOnce() async throws {
        let bench = try bench(Self.plain), given = token(bench)
        _ = try await exchange(bench, given).get()
        let again = await failure(bench, given)
        #expect(
            again?.code == .unauthorized && again?.message.contains("invalid_grant") == true
                && again?.advice?.contains("new") == true)
        // The sign-in from before still serves.
        #expect(try await bench.module().restore(validating: false).state.word == "signedIn")
    }

    @Test func aProviderThatExchangesNothingSaysWhatElseThereIs() async throws {
        let bench = try bench(nil), error = await failure(bench, token(bench))
        #expect(error?.code == .unauthorized && error?.advice?.contains("token exchange") == true)
        #expect(error.map { !"\($0)".contains("identity-canary") } == true)
    }

    @Test func whatIsNoTokenOrHasRunOutIsSentNowhere() async throws {
        let bench = try bench(Self.plain)
        for given in ["hunter2", "a.b.c", token(bench, lasts: 0), token(bench, lasts: -60)] {
            let error = await failure(bench, given)
            #expect(error?.code == .unauthorized && error?.message.contains("identity token") == true)
            #expect(error.map { !"\($0)".contains(given) } == true)
        }
        #expect(bench.double.seen.isEmpty)
    }

    /// What is known to be of no use is not sent: an identity token is worth something elsewhere.
    @Test(arguments: [("auth0", apple), ("auth0", "https://other.example"), ("google", google), ("glewlwyd", google)])
    func whatAProviderCannotTakeIsNotSent(_ preset: String, _ issuer: String) async throws {
        let bench = try bench(Self.plain, [("preset", text(preset))], style: preset == "auth0" ? .auth0 : .rfc)
        let error = await failure(bench, token(bench, issuer))
        #expect(error?.code == .misconfigured && error?.advice != nil && bench.double.seen.isEmpty)
    }

    @Test func aProfileOfTheTenantsOwn() async throws {
        let more = [
            (
                "exchange",
                ConfigNode.Value.map([.init(.init("subject_token_type", Mark()), ConfigNode(text("urn:acme:id")))])
            )
        ]
        let bench = try bench("urn:acme:id", [("preset", text("auth0"))] + more, style: .auth0)
        bench.double.set { $0.trusts = ["https://other.example"] }
        #expect(try await exchange(bench, token(bench, "https://other.example")).get().id == "auth0|ann")
    }

    @Test func aMachineHasNoIdentity() throws {
        let machine = try bench(nil, [("flow", text("client_credentials")), ("client_secret", text("${env:X}"))])
        #expect(try machine.module().abilities.isEmpty && bench(nil).module().abilities == [.identityToken])
    }
}
