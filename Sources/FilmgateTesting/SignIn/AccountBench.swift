public import FilmgateCore
import Synchronization

/// A sign-in module with an account, and the double that it talks to.
public protocol AccountBench: Sendable {
    /// A provider over the bench's state folder; each one is as a process of its own. Bound to `target`.
    func provider() throws -> any AccountProvider
    /// Signs in at one.
    func signIn(_ provider: any AccountProvider) async throws(IngestError)
    /// Lets time pass, for provider and double.
    func pass(seconds: Int)
    /// What the double does from now on.
    func order(_ trouble: AccountFault) throws
    /// Renewals that the double granted, and every secret that it gave out.
    var renewals: Int { get }
    var secrets: [String] { get }
    var state: String { get }
    /// Seconds that a fresh token holds.
    var lifetime: Int { get }
    /// The double knows how to be told that somebody signed out.
    var revokes: Bool { get }
    var revoked: Int { get }
}

/// What may go wrong at a provider.
public enum AccountFault: Sendable, Hashable {
    case none
    /// 503 to everything.
    case down
    /// Refuses to renew.
    case refuses
    /// The next renewal happens, but its answer gets lost; the old token still works for a while.
    case losesOne
    /// A page with that status in place of every answer to a renewal, as of a network that wants a sign-in of its own.
    case page(Int)

    /// The status of the page.
    public var pageStatus: Int? { if case .page(let status) = self { status } else { nil } }
}

extension FaultAct {
    /// A page that is not of the provider.
    public static func page(_ status: Int) -> FaultAct {
        .answer(status, headers: [("Content-Type", "text/html")], body: "<!doctype html><p>Welcome")
    }
}

extension AccountBench {
    public var target: String { "https://gallery.example/api/assets" }
}

/// A clock that moves when told to.
public final class BenchClock: Sendable {
    private let seconds = Mutex(1_790_000_000)
    public init() {}
    public var now: Int { seconds.withLock { $0 } }
    public func advance(_ by: Int) { seconds.withLock { $0 += by } }
}
