import AuthKit
import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import ClerkAuth

/// Passwords, new accounts and identity tokens of other sign-ins.
@Suite struct ClerkAccountTests {
    static let password = [("email", "ann@example.com"), ("strategy", "password")]

    /// Signs in or up with `answers` at the desk; the desk tells what was shown.
    func outcome(
        _ bench: ClerkBench, _ answers: [String], _ preference: SignInPreference = SignInPreference()
    ) async throws -> (result: Result<Account, IngestError>, screen: String) {
        let prompter = TestPrompter(answers: answers), module = try bench.module()
        let result = await Result { () async throws(IngestError) in try await module.signIn(prompter, preference) }
        for answer in answers where answer.count > 5 && !answer.contains("@") {
            #expect(!prompter.screen.contains(answer))
        }
        return (result, prompter.screen)
    }

    func failure(
        _ bench: ClerkBench, _ answers: [String], _ preference: SignInPreference = SignInPreference()
    ) async throws -> IngestError? {
        guard case .failure(let error) = try await outcome(bench, answers, preference).result else { return nil }
        for answer in answers where answer.count > 5 && !answer.contains("@") { #expect(!"\(error)".contains(answer)) }
        return error
    }

    @Test(arguments: [[], [("email", "ann@example.com")]]) func aPasswordSignsIn(
        _ more: [(String, String)]
    ) async throws {
        let bench = try ClerkBench([("strategy", "password")] + more)
        let answers = (more.isEmpty ? ["ann@example.com"] : []) + ["wrong horse", "correct horse"]
        let (result, screen) = try await outcome(bench, answers)
        #expect(try result.get().id == "user_ann" && screen.contains("That password is not right."))
        let sent = bench.double.seen.filter { $0.target.hasPrefix("/v1/client/sign_ins") }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
        #expect(
            sent.count == 2
                && sent.allSatisfy { $0.hasPrefix("strategy=password&identifier=ann%40example.com&password=") })
        #expect(
            try await bench.module().sign(HTTPRequest("POST", bench.target))[header: "Authorization"]?.hasPrefix(
                "Bearer eyJ") == true)
        for file in FolderContents.below(bench.state) { #expect(!file.text.contains("correct horse")) }
    }

    /// Where nobody says how, and the account has no code.
    @Test func anAccountWithAPasswordAloneIsAskedForIt() async throws {
        let bench = try ClerkBench()
        bench.double.state.withLock { $0.firstFactors = ["passkey", "password"] }
        #expect(try await outcome(bench, ["correct horse"]).result.get().id == "user_ann")
        bench.double.state.withLock { $0.firstFactors = ["passkey"] }
        #expect(try await failure(bench, ["correct horse"])?.advice?.contains("client_id") == true)
    }

    @Test func wrongPasswords() async throws {
        let bench = try ClerkBench(Self.password)
        #expect(
            try await failure(bench, ["wrong one", "wrong two", "wrong three", "correct horse"])?.code == .unauthorized)
        #expect(bench.double.state.withLock { $0.wrongCodes } == 3)
        // Piped in there is one: what was wrong with it is said, not that nobody answered another question.
        let piped = try await failure(bench, ["wrong one"])
        #expect(piped?.message.contains("form_password_incorrect") == true && piped?.advice != nil)
    }

    @Test func nobodyKnowsTheAddress() async throws {
        let error = try await failure(
            try ClerkBench([("email", "bob@example.com"), ("strategy", "password")]), ["correct horse"])
        #expect(error?.advice?.contains("filmgate login studio --register") == true)
    }

    @Test(arguments: [true, false]) func aPasswordWithASecondFactor(_ isTrusted: Bool) async throws {
        let bench = try ClerkBench(Self.password)
        bench.double.state.withLock { ($0.second, $0.trusts) = ("totp", isTrusted) }
        let (result, screen) = try await outcome(bench, ["correct horse", "111111"])
        #expect(try result.get().id == "user_ann" && screen.contains("authenticator"))
    }

    /// What cannot be asked for at a desk is refused plainly, and nothing is left behind.
    @Test(arguments: ["passkey", "enterprise_sso"]) func aSecondFactorThatOnlyAPageCanAsk(
        _ strategy: String
    ) async throws {
        let bench = try ClerkBench(Self.password)
        bench.double.state.withLock { $0.second = strategy }
        let error = try await failure(bench, ["correct horse", "111111"])
        #expect(
            error?.code == .unauthorized && error?.message.contains("second factor") == true
                && error?.message.contains(strategy) == true)
        #expect(error?.advice?.contains("client_id") == true)
        #expect(try await bench.module().restore(validating: false).state == .signedOut)
    }

    @Test func aNewAccountSignsIn() async throws {
        let bench = try ClerkBench([]), module = try bench.module()
        let prompter = TestPrompter(answers: ["bob@example.com", "a long password", "000000", ClerkSignUps.code])
        let account = try await module.signIn(prompter, SignInPreference(registers: true))
        #expect(account.email == "bob@example.com" && prompter.screen.contains("Code sent to bob@example.com"))
        #expect(bench.double.state.withLock { $0.accounts["bob@example.com"] } == "a long password")
        #expect(
            try await module.sign(HTTPRequest("POST", bench.target))[header: "Authorization"]?.hasPrefix("Bearer eyJ")
                == true)
        for file in FolderContents.below(bench.state) { #expect(!file.text.contains("a long password")) }
        let again = try await failure(bench, ["bob@example.com", "a long password"], SignInPreference(registers: true))
        #expect(
            again?.message.contains("form_identifier_exists") == true
                && again?.advice?.contains("filmgate login studio") == true)
    }

    @Test(arguments: ["yes", "no"]) func aServiceThatWantsAgreement(_ answer: String) async throws {
        let bench = try ClerkBench([])
        bench.double.state.withLock { $0.signUp.wantsAgreement = true }
        let (result, _) = try await outcome(
            bench, ["bob@example.com", "a long password", ClerkSignUps.code, answer], SignInPreference(registers: true))
        #expect(((try? result.get()) != nil) == (answer == "yes"))
        #expect(bench.double.state.withLock { ($0.accounts["bob@example.com"] != nil) } == (answer == "yes"))
    }

    /// Told before a code is sent, where it can be known.
    @Test func whatNobodyIsAskedForHere() async throws {
        let bench = try ClerkBench([])
        bench.double.state.withLock { $0.signUp.missing = ["phone_number"] }
        let error = try await failure(bench, ["bob@example.com", "a long password"], SignInPreference(registers: true))
        #expect(error?.message.contains("phone_number") == true && error?.advice?.contains("own page") == true)
        #expect(!bench.double.state.withLock { $0.signUp.isSent })
    }

    @Test(arguments: [
        ["bob", "a long password"], ["bob@example", "a long password"], ["b b@example.com", "x"],
        ["bob@example.com", "short"],
    ])
    func whatCannotBeAnAccountIsNotSent(_ answers: [String]) async throws {
        let bench = try ClerkBench([]), error = try await failure(bench, answers, SignInPreference(registers: true))
        #expect(
            error?.code == .misconfigured && error?.message.contains("nothing was sent") == true
                && bench.double.seen.isEmpty)
    }

    @Test func refusalsOfASignUpSayWhatToDo() async throws {
        let bench = try ClerkBench([])
        let stolen = try await failure(bench, ["bob@example.com", "password1"], SignInPreference(registers: true))
        #expect(stolen?.advice == "Choose another password.")
        bench.double.state.withLock { $0.signUp.wantsCaptcha = true }
        #expect(
            try await failure(bench, ["bob@example.com", "a long password"], SignInPreference(registers: true))?.advice?
                .contains(
                    "own page")
                == true)
        bench.double.state.withLock { $0.signUp.isClosed = true }
        #expect(
            try await failure(bench, ["bob@example.com", "a long password"], SignInPreference(registers: true))?.advice?
                .contains(
                    "invitation")
                == true)
    }

    @Test(arguments: ["https://appleid.apple.com", "https://accounts.google.com"]) func anIdentityToken(
        _ issuer: String
    ) async throws {
        let bench = try ClerkBench([]), preference = SignInPreference(flow: .identityToken)
        func token(_ number: Int) -> String {
            TestToken.identity(issuer: issuer, ends: bench.clock.now + 600 + number, audience: "com.example.app")
        }
        let stranger = try await failure(bench, [token(1)], preference)
        #expect(stranger?.code == .unauthorized && stranger?.advice?.contains("--register --identity-token -") == true)
        #expect(bench.double.state.withLock { $0.identities.isEmpty })
        let both = SignInPreference(flow: .identityToken, registers: true)
        #expect(try await outcome(bench, [token(2)], both).result.get().id == "user_ann")
        #expect(try await outcome(bench, [token(3)], preference).result.get().id == "user_ann")
        // Shown before.
        #expect(try await failure(bench, [token(3)], preference)?.code == .unauthorized)
        for file in FolderContents.below(bench.state) { #expect(!file.text.contains("identity-canary")) }
    }

    @Test func tokensThatAreOfNoUseAreNotSent() async throws {
        let bench = try ClerkBench([]), preference = SignInPreference(flow: .identityToken)
        let foreign = TestToken.identity(issuer: "https://other.example", ends: bench.clock.now + 600)
        #expect(try await failure(bench, [foreign], preference)?.code == .misconfigured)
        let late = TestToken.identity(issuer: "https://appleid.apple.com", ends: bench.clock.now)
        #expect(try await failure(bench, [late], preference)?.message.contains("run out") == true)
        #expect(bench.double.seen.isEmpty)
    }

    @Test func whatASignInCanDo() throws {
        #expect(try ClerkBench().module().abilities == [.registration, .identityToken])
        #expect(try ClerkBench([("client_id", "x")]).module().abilities.isEmpty)
        #expect(throws: ConfigError.self) {
            try BenchModule.options(
                ClerkOptions.self,
                [("publishable_key", ClerkAuthTests.key), ("client_id", "x"), ("strategy", "password")])
        }
    }
}
