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
    func noteReport(at instant: ContinuousClock.Instant = .now) { state.withLock { $0.reported = instant } }
}
