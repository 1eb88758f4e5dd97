import FilmgateCore
import Testing

@testable import AuthKit

/// The file names another provider, client or event than the one that the stored credential came from.
@Suite struct ForeignCredentialTests {
    let scratch: Scratch, clock = TestClock(), grant: FakeGrant

    init() throws { (scratch, grant) = (try Scratch(), FakeGrant(clock)) }

    func session() -> AccountSession { grant.session(scratch) }

    func signedIn() async throws -> AccountSession {
        let session = session(), first = grant.first()
        _ = try await session.signIn(["https://gallery.example"]) { () async throws(IngestError) in first }
        return session
    }

    @Test func isNeitherSentNorRenewedAndServesAgainWhenTheFileIsPutRight() async throws {
        _ = try await signedIn()
        grant.set { $0.issuer = "https://other.example" }
        for seconds in [0, 2000] {
            clock.advance(seconds)
            let error = await #expect(throws: IngestError.self) { try await self.session().credential() }
            #expect(error?.code == .unauthorized && error?.advice == "Run `filmgate login studio`.")
            #expect(error?.message.contains("https://login.example") == true)
            let facts = try await session().restore(validating: true)
            #expect(facts.state.word == "expired" && facts.expires == nil && !facts.renews)
        }
        #expect(grant.calls == 0)
        grant.set { $0.issuer = "https://login.example" }
        #expect(try await session().credential().access.reveal() == "access-1")
    }

    @Test func isForgottenAtSignOutWithoutTellingAnotherProvider() async throws {
        let session = try await signedIn()
        grant.set { $0.issuer = "https://other.example" }
        let error = await #expect(throws: IngestError.self) { try await session.signOut() }
        #expect(error?.message.contains("https://login.example") == true)
        #expect(grant.revoked.isEmpty)
        #expect(try await self.session().restore(validating: false).state == .signedOut)
    }

    @Test func aSignInWithAnotherProviderReplacesIt() async throws {
        _ = try await signedIn()
        grant.set { $0.issuer = "https://other.example" }
        let session = session()
        var fresh = grant.first()
        fresh.issuer = "https://other.example"
        let new = fresh
        _ = try await session.signIn(["https://gallery.example"]) { () async throws(IngestError) in new }
        clock.advance(2000)
        #expect(try await self.session().credential().access.reveal() == "access-1")
    }
}
