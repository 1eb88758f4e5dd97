import FilmgateCore
import Testing

@testable import AuthKit

/// An entry under `auth:` is one account's: what the ledger knows by its name must not become another's.
@Suite struct EntryOwnerTests {
    let scratch: Scratch, clock = TestClock(), grant: FakeGrant

    init() throws { (scratch, grant) = (try Scratch(), FakeGrant(clock)) }

    func session() -> AccountSession { grant.session(scratch) }

    /// `id`: nil where the provider does not say whose it is.
    @discardableResult func signIn(_ id: String?, takesOver: Bool = false) async throws -> Account {
        var fresh = grant.first()
        fresh.account = id.map { Account(id: $0, issuer: "https://login.example") } ?? Account(id: "c")
        fresh.access = SecretValue("access-of-\(id ?? "somebody")")
        let credential = fresh
        return try await session().signIn(["https://gallery.example"], SignInPreference(takesOver: takesOver)) {
            () async throws(IngestError) in credential
        }
    }

    /// Nothing is stored of `bo`, and the way out is named.
    private func isRefused(_ place: SourceLocation = #_sourceLocation) async {
        let before = scratch.everything()
        let error = await #expect(throws: IngestError.self, sourceLocation: place) { try await signIn("bo") }
        #expect(error?.code == .misconfigured && error?.message.contains("`studio`") == true, sourceLocation: place)
        #expect(error?.advice?.contains("an entry of its own") == true, sourceLocation: place)
        #expect(error?.advice?.contains("login studio --another-account") == true, sourceLocation: place)
        #expect(scratch.everything() == before, sourceLocation: place)
    }

    @Test func anotherAccountIsRefusedAfterSigningOut() async throws {
        try await signIn("ann")
        try await session().signOut()
        await isRefused()
        #expect(try await session().restore(validating: false).state == .signedOut)
        #expect(try await signIn("ann").id == "ann")
    }

    @Test func anotherAccountIsRefusedAfterARefusedRenewal() async throws {
        try await signIn("ann")
        grant.set { $0.refuses = true }
        clock.advance(2000)
        await #expect(throws: IngestError.self) { try await session().credential() }
        await isRefused()
        #expect(try await session().restore(validating: false).state.word == "expired")
    }

    @Test func anotherAccountIsRefusedWhileASessionGoesOn() async throws {
        try await signIn("ann")
        let running = session()
        _ = try await running.credential()
        await isRefused()
        #expect(try await running.credential().access.reveal() == "access-of-ann")
        #expect(await running.state.word == "signedIn")
    }

    /// Who signed in with an earlier version, which did not note it, is known by what it stored.
    @Test(arguments: [true, false]) func anEarlierVersionsSignInCountsToo(_ signsOut: Bool) async throws {
        try await signIn("ann")
        try Vault(directory: scratch.path).set("whose/studio", nil)
        if signsOut { try await session().signOut() }
        await isRefused()
    }

    @Test func aDeliberateTakeoverMakesItTheOthers() async throws {
        try await signIn("bo")
        try await signIn("ann", takesOver: true)
        #expect(try await session().credential().access.reveal() == "access-of-ann")
        await isRefused()
        try await session().signOut()
        await isRefused()
    }

    /// The client's name in place of an account says nothing, neither for nor against.
    @Test func whoeverIsNotKnownIsNotRefused() async throws {
        try await signIn(nil)
        try await signIn("ann")
        try await signIn(nil)
        await isRefused()
    }
}
