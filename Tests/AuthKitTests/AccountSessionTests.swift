import FilmgateCore
import Foundation
import Testing

@testable import AuthKit

@Suite struct AccountSessionTests {
    let scratch: Scratch, clock = TestClock(), grant: FakeGrant

    init() throws { (scratch, grant) = (try Scratch(), FakeGrant(clock)) }

    func session(_ passphrase: String? = nil) -> AccountSession {
        let clock = clock
        let vault = Vault(
            directory: scratch.path, gate: PassphraseSource(environment: { _ in passphrase }), now: { clock.instant })
        return AccountSession(name: "studio", vault: vault, grant: grant, clock: { clock.unix })
    }

    func signedIn(_ passphrase: String? = nil) async throws -> AccountSession {
        let session = session(passphrase), first = grant.first()
        _ = try await session.signIn(["https://gallery.example"]) { () async throws(IngestError) in first }
        return session
    }

    @Test func nobodyIsSignedIn() async throws {
        let session = session()
        let error = await #expect(throws: IngestError.self) { try await session.credential() }
        #expect(error?.code == .unauthorized && error?.advice == "Run `filmgate login studio`.")
        #expect(try await session.restore(validating: true).state == .signedOut)
    }

    @Test func anotherProcessTakesUpWhatWasStored() async throws {
        _ = try await signedIn()
        let facts = try await session().restore(validating: false)
        #expect(
            facts.state == .signedIn(Account(id: "ann")) && facts.renews && facts.origins == ["https://gallery.example"]
        )
        #expect(try await session().credential().access.reveal() == "access-canary-0")
        #expect(try await session().restore(validating: true).state == .signedIn(Account(id: "ann", name: "Ann")))
    }

    @Test func renewedAMinuteBeforeTheEndAndNotEarlier() async throws {
        let session = try await signedIn()
        clock.advance(839)
        #expect(try await session.credential().access.reveal() == "access-canary-0")
        clock.advance(1)
        #expect(try await session.credential().access.reveal() == "access-1")
        #expect(try await self.session().credential().refresh?.reveal() == "r1")
    }

    @Test func twentyCallersOneRenewal() async throws {
        let session = try await signedIn()
        clock.advance(2000)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await session.credential().access.reveal() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["access-1"] && grant.calls == 1)
    }

    @Test func twentyRefusalsOneRenewal() async throws {
        let session = try await signedIn()
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await session.credential { $0.access.reveal() == "access-canary-0" }?.access.reveal()
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["access-1"] && grant.calls == 1)
    }

    /// Two sessions that share nothing but the folder behave as two processes do.
    @Test func twoProcessesOneRenewal() async throws {
        _ = try await signedIn()
        let sessions = (0..<4).map { _ in session() }
        for session in sessions { _ = try await session.credential() }
        clock.advance(2000)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for session in sessions {
                for _ in 0..<5 { group.addTask { try await session.credential().access.reveal() } }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["access-1"] && grant.calls == 1)
    }

    /// What one process was told by the provider, the next one knows: `whoami` asks nobody.
    @Test func aRefusedRenewalIsKnownToWhoeverLooksLater() async throws {
        let session = try await signedIn()
        grant.set { $0.refuses = true }
        clock.advance(2000)
        await #expect(throws: IngestError.self) { try await session.credential() }
        let later = self.session(), facts = try await later.restore(validating: false)
        guard case .expired(let why) = facts.state else {
            Issue.record("\(facts.state)")
            return
        }
        #expect(why.contains("invalid_grant"))
        await #expect(throws: IngestError.self) { try await later.credential() }
        #expect(grant.calls == 1)
        let first = grant.first()
        _ = try await session.signIn(["https://gallery.example"]) { () async throws(IngestError) in first }
        #expect(try await self.session().restore(validating: false).state == .signedIn(Account(id: "ann")))
    }

    /// A clock that was ahead for a while ends nothing: what holds is said to hold.
    @Test func whatRanOutByAWrongClockHoldsWhenTheClockIsRight() async throws {
        var bare = grant.first()
        bare.refresh = nil
        let first = bare
        _ = try await session().signIn(["https://gallery.example"]) { () async throws(IngestError) in first }
        clock.advance(2000)
        await #expect(throws: IngestError.self) { try await session().credential() }
        #expect(try await session().restore(validating: false).state.word == "expired")
        clock.advance(-1500)
        #expect(try await session().credential().access.reveal() == "access-canary-0")
        #expect(try await session().restore(validating: false).state == .signedIn(Account(id: "ann")))
    }

    @Test func aLostAnswerWithinTheGraceKeepsUsSignedIn() async throws {
        let session = try await signedIn()
        grant.set { $0.lost = 1 }
        clock.advance(2000)
        #expect(try await session.credential().refresh?.reveal() == "r1")
        #expect(grant.calls == 2)
        clock.advance(2000)
        #expect(try await session.credential().refresh?.reveal() == "r3")
    }

    @Test func passingTroubleNeverSignsOut() async throws {
        let session = try await signedIn()
        grant.set { $0.offline = true }
        clock.advance(850)
        #expect(try await session.credential().access.reveal() == "access-canary-0")
        clock.advance(1000)
        let error = await #expect(throws: IngestError.self) { try await session.credential() }
        #expect(error?.code == .unavailable)
        #expect(await session.state == .signedIn(Account(id: "ann")))
        await #expect(throws: IngestError.self) { try await session.restore(validating: true) }
        #expect(await session.state == .signedIn(Account(id: "ann")))
        grant.set { $0.offline = false }
        #expect(try await session.credential().refresh?.reveal() != "r0")
    }

    @Test func aRefusalIsSaidOnceAndNotRepeated() async throws {
        let session = try await signedIn()
        grant.set { $0.refuses = true }
        clock.advance(2000)
        for _ in 0..<3 {
            let error = await #expect(throws: IngestError.self) { try await session.credential() }
            #expect(error?.code == .unauthorized && error?.advice == "Run `filmgate login studio`.")
        }
        #expect(grant.calls == 1)
        #expect(await session.state.word == "expired")
        // The token is kept: perhaps somebody repairs it at the provider; and signing in elsewhere is noticed here.
        grant.set { ($0.refuses, $0.refresh) = (false, "r0") }
        _ = try await signedIn()
        #expect(try await session.credential().access.reveal() == "access-canary-0")
        #expect(await session.state.word == "signedIn")
    }

    @Test func signingOutForgetsFirstAndTellsThen() async throws {
        let session = try await signedIn(), other = self.session()
        _ = try await other.credential()
        grant.set { $0.offline = true }
        await #expect(throws: IngestError.self) { try await session.signOut() }
        #expect(await session.state == .signedOut)
        #expect(!scratch.everything().contains("canary"))
        await #expect(throws: IngestError.self) { try await other.credential() }
        grant.set { $0.offline = false }
        let again = try await signedIn()
        try await again.signOut()
        #expect(grant.revoked == ["r0"])
    }

    @Test func theStatesComeAsTheyChange() async throws {
        let session = session(), stream = await session.states(), first = grant.first()
        _ = try await session.signIn([]) { () async throws(IngestError) in first }
        await #expect(throws: IngestError.self) {
            try await session.signIn([]) { () async throws(IngestError) in throw IngestError(.unauthorized, "No.") }
        }
        try await session.signOut()
        var words: [String] = []
        for await state in stream {
            words.append(state.word)
            if words.count == 6 { break }
        }
        #expect(words == ["signedOut", "signingIn", "signedIn", "signingIn", "signedIn", "signedOut"])
    }

    @Test func aLockedStoreIsALockedAccount() async throws {
        let open = try await signedIn("horse")
        try Vault(directory: scratch.path).protect(with: SecretValue("horse"), idle: 60)
        let shut = session()
        let why = await #expect(throws: IngestError.self) { try await shut.restore(validating: false) }
        #expect(why?.isLocked == true)
        #expect(await shut.state == .locked)
        let error = await #expect(throws: IngestError.self) { try await shut.credential() }
        #expect(error?.code == .unauthorized && error?.isLocked == true)
        #expect(try await open.credential().access.reveal() == "access-canary-0")
    }

    /// What is forgotten here without having been read may live on at the provider: that is said.
    @Test func signingOutOfALockedStoreSaysThatNobodyWasTold() async throws {
        _ = try await signedIn("horse")
        try Vault(directory: scratch.path).protect(with: SecretValue("horse"), idle: 60)
        let shut = session(), error = await #expect(throws: IngestError.self) { try await shut.signOut() }
        #expect(error?.isLocked == true && grant.revoked.isEmpty)
        #expect(try await session("horse").restore(validating: false).state == .signedOut)
    }

    @Test func withoutRoomForTheNextTokenTheProviderIsNotAsked() throws {
        let error = #expect(throws: IngestError.self) { try DiskReservation(in: scratch.path, bytes: 1 << 60) }
        #expect(error?.code == .storageFull && error?.message.contains("not asked for") == true)
        try DiskReservation(in: scratch.path, bytes: 1 << 16).giveBack()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test func aStoreThatOthersCanReadIsAnErrorNotASignOut() async throws {
        _ = try await signedIn()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scratch.path + "/secrets.json")
        #expect(try await session().restore(validating: true).state.word == "error")
    }

    @Test func aRenewedTokenThatCannotBeStoredStillServesAndIsStoredLater() async throws {
        let session = try await signedIn()
        clock.advance(2000)
        try FileManager.default.removeItem(atPath: scratch.path + "/secrets.lock")
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/secrets.lock", withIntermediateDirectories: false)
        #expect(try await session.credential().refresh?.reveal() == "r1")
        #expect(await session.state.word == "error")
        try FileManager.default.removeItem(atPath: scratch.path + "/secrets.lock")
        #expect(try await session.credential().refresh?.reveal() == "r1")
        #expect(await session.state.word == "signedIn")
        #expect(try await self.session().credential().refresh?.reveal() == "r1")
    }

    @Test func aRenewalDoesNotUndoASignOutElsewhere() async throws {
        let session = try await signedIn(), other = self.session()
        grant.meanwhile { try? await other.signOut() }
        clock.advance(2000)
        let error = await #expect(throws: IngestError.self) { try await session.credential() }
        #expect(error?.code == .unauthorized)
        #expect(await session.state == .signedOut)
        #expect(!scratch.everything().contains("access-"))
    }

    @Test func aRenewalDoesNotUndoASignInElsewhere() async throws {
        let session = try await signedIn(), other = self.session()
        var fresh = grant.first()
        fresh.access = SecretValue("access-anew")
        fresh.expires = clock.unix + 10_000
        let credential = fresh
        grant.meanwhile { _ = try? await other.signIn([]) { () async throws(IngestError) in credential } }
        clock.advance(2000)
        #expect(try await session.credential().access.reveal() == "access-anew")
        #expect(await session.state == .signedIn(Account(id: "ann")))
    }

    @Test func whatWasReadIsForgottenWhenTheStoreLocks() async throws {
        _ = try await signedIn()
        try Vault(directory: scratch.path).protect(with: SecretValue("horse"), idle: 60)
        let gone = Switch(), clock = clock
        let gate = PassphraseSource(environment: { _ in gone.isOn ? nil : "horse" })
        let session = AccountSession(
            name: "studio", vault: Vault(directory: scratch.path, gate: gate, now: { clock.instant }), grant: grant,
            clock: { clock.unix })
        _ = try await session.credential()
        gone.isOn = true
        clock.advance(50)
        _ = try await session.credential()
        clock.advance(61)
        let error = await #expect(throws: IngestError.self) { try await session.credential() }
        #expect(error?.isLocked == true)
        #expect(await session.state == .locked)
        gone.isOn = false
        #expect(try await session.credential().access.reveal() == "access-canary-0")
    }

    @Test func nothingPrintsAToken() async throws {
        let session = try await signedIn()
        var text = "\(grant.first()) \(session)"
        Swift.dump(session, to: &text)
        Swift.dump(grant.first(), to: &text)
        Swift.dump(Vault(directory: scratch.path), to: &text)
        #expect(!text.contains("canary"))
        #expect(!scratch.everything(except: "secrets.json").contains("canary"))
    }
}
