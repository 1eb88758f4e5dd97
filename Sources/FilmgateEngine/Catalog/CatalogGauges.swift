import FilmgateCore
import Synchronization

/// How a station stands with its catalogue, for whoever measures it: written by what tells and claims, read at any
/// time.
public final class CatalogGauges: Sendable {
    public struct Reading: Sendable, Hashable {
        /// The catalogue answers, and takes what this station tells; nil before it was first asked.
        public var isUp: Bool?
        /// Since when that is so: nanoseconds since 1970.
        public var since: Int64?
        /// Why it does not answer; nil while it does.
        public var trouble: String?
        /// Claims of this station: what it is sending, and what it tried and will try again.
        public var claims = 0
        /// When the catalogue last took a report of this station.
        public var reported: ContinuousClock.Instant?
        /// What the catalogue has answered to claims, and how often.
        public var answers: [String: Int] = [:]
        /// How many such questions it has answered, and the seconds that they took together.
        public var lookups = 0, lookupSeconds = 0.0
        /// Milliseconds by which this machine's clock was ahead of the server's when the session began; nil where
        /// nobody said.
        public var clockAhead: Int?
        /// The history of the server that answered; nil where it does not say.
        public var timeline: Int64?

        public init() {}
    }
    private let state = Mutex(Reading())

    public init() {}

    public var reading: Reading { state.withLock(\.self) }

    func note(isUp: Bool, trouble: String? = nil) {
        state.withLock { state in
            if state.isUp != isUp { state.since = WallClock.nanoseconds }
            (state.isUp, state.trouble) = (isUp, trouble)
        }
    }
    func note(claims: Int) { state.withLock { $0.claims = claims } }
    func note(_ session: CatalogSession) {
        state.withLock { ($0.clockAhead, $0.timeline) = (session.clockAhead, session.history?.timeline) }
    }
    func note(_ answers: [ClaimAnswer], after time: Duration) {
        state.withLock { state in
            (state.lookups, state.lookupSeconds) = (state.lookups + 1, state.lookupSeconds + time.inSeconds)
            for answer in answers { state.answers[answer.word, default: 0] += 1 }
        }
    }
    func noteReport(at instant: ContinuousClock.Instant = .now) { state.withLock { $0.reported = instant } }
}

extension ClaimAnswer {
    /// As metrics count it.
    fileprivate var word: String {
        switch self {
        case .granted: "granted"
        case .takenOver: "takenOver"
        case .held: "held"
        case .done: "done"
        case .unsure: "unsure"
        case .removed: "removed"
        case .undecided: "undecided"
        }
    }
}
