import FilmgateCore
import Synchronization

@testable import AuthKit

/// A provider in memory: rotates refresh tokens, honours the one before for a while, loses answers, refuses.
final class FakeGrant: AccountGrant {
    struct Provider {
        var refresh = "r0", previous: String?, calls = 0, revoked: [String] = []
        /// Answers that get lost after the token was changed.
        var lost = 0
        /// Whom the pipeline file names.
        var issuer = "https://login.example"
        var grace = true, refuses = false, offline = false, storage = false
    }
    let provider = Mutex(Provider())
    /// What happens elsewhere while a renewal is under way.
    private let elsewhere = Mutex<(@Sendable () async -> Void)?>(nil)
    func meanwhile(_ body: @escaping @Sendable () async -> Void) { elsewhere.withLock { $0 = body } }
    let clock: TestClock
    let life: Int

    init(_ clock: TestClock, life: Int = 900) { (self.clock, self.life) = (clock, life) }

    /// The entry `studio` of the store in that folder.
    func session(_ scratch: Scratch) -> AccountSession {
        let clock = clock
        return AccountSession(
            name: "studio", vault: Vault(directory: scratch.path), grant: self, clock: { clock.unix })
    }

    var calls: Int { provider.withLock { $0.calls } }
    var revoked: [String] { provider.withLock { $0.revoked } }
    func set(_ change: (inout Provider) -> Void) { provider.withLock { change(&$0) } }

    func first() -> Credential {
        var credential = Credential(
            issuer: "https://login.example", client: "c", access: SecretValue("access-canary-0"), obtained: clock.unix,
            account: Account(id: "ann"))
        (credential.refresh, credential.expires) = (SecretValue("r0"), clock.unix + life)
        return credential
    }

    func issued(_ credential: Credential) -> Bool { provider.withLock { $0.issuer } == credential.issuer }

    func refresh(_ credential: Credential) async throws(IngestError) -> Credential {
        // Lets others pile up.
        try? await Task.sleep(for: .milliseconds(20))
        if let body = elsewhere.withLock({ $0 }) { await body() }
        let outcome: Result<Credential, IngestError> = provider.withLock { provider in
            provider.calls += 1
            if provider.offline { return .failure(IngestError(.unavailable, "The provider does not answer.")) }
            let offered = credential.refresh?.reveal() ?? ""
            guard !provider.refuses, offered == provider.refresh || (provider.grace && offered == provider.previous)
            else {
                return .failure(IngestError(.unauthorized, "invalid_grant"))
            }
            if offered == provider.refresh { (provider.previous, provider.refresh) = (offered, "r\(provider.calls)") }
            if provider.lost > 0 {
                provider.lost -= 1
                return .failure(IngestError(.network, "Lost."))
            }
            var fresh = credential
            (fresh.access, fresh.refresh) = (SecretValue("access-\(provider.calls)"), SecretValue(provider.refresh))
            (fresh.obtained, fresh.expires) = (clock.unix, clock.unix + life)
            return .success(fresh)
        }
        return try outcome.get()
    }

    func account(of credential: Credential) async throws(IngestError) -> Account {
        if provider.withLock({ $0.offline }) { throw IngestError(.network, "No answer.") }
        return Account(id: "ann", name: "Ann")
    }

    func revoke(_ credential: Credential) async throws(IngestError) {
        if provider.withLock({ $0.offline }) { throw IngestError(.network, "No answer.") }
        set { $0.revoked.append(credential.refresh?.reveal() ?? "") }
    }
}
