public import FilmgateCore
import Synchronization

/// Whether a server's word that it has something can be believed: only beside a no to bytes that nobody has.
///
/// A server that said no an hour ago may say yes to everything now: the sign-in page of a network, or a site that has
/// one page for every address, can come in between at any moment. So a no counts for a moment, and only for answers
/// that look like the yes after which it was heard: a page for people that is new there is found out at once. What
/// remains is a server that begins to say yes to everything in the very words of its honest yes: what it is asked for
/// within `moment` of its last no is believed.
public final class KnownAbsence: Sendable {
    /// For how long a no counts, from when it was asked for.
    ///
    /// Many files that a server has cost one question more in so long.
    public static let moment = Duration.seconds(1)
    /// Looks that are remembered at once.
    private static let most = 16

    private let clock: @Sendable () -> ContinuousClock.Instant
    /// When the last no was asked for, by the look of the yes before it.
    private let heard = Mutex<[String: ContinuousClock.Instant]>([:])

    public convenience init() { self.init { .now } }

    public init(clock: @escaping @Sendable () -> ContinuousClock.Instant) { self.clock = clock }

    /// Asks `question` about bytes that nobody has, unless that was answered a moment ago after a yes of this look.
    ///
    /// `question` throws where the server says that it has them.
    public func confirm(
        _ look: String = "", by question: () async throws(IngestError) -> Void
    ) async throws(IngestError) {
        let asked = clock()
        if let last = heard.withLock({ $0[look] }), last.duration(to: asked) < Self.moment { return }
        try await question()
        heard.withLock { heard in
            if heard.count >= Self.most { heard.removeAll() }
            heard[look] = asked
        }
    }
}

extension Digests {
    /// Of bytes that nobody has: drawn anew each time, so that no server knows them from the time before.
    public static func nobodys() -> Digests {
        func random(_ count: Int) -> String { Hex.text(of: (0..<count).map { _ in UInt8.random(in: .min ... .max) }) }
        return Digests(sha256: random(32), others: [.sha1: random(20), .md5: random(16)])
    }
}
