import FilmgateCore
import Synchronization

/// The shots that a listing holds, then those that come later; each is made when it is its turn.
///
/// For one reader. The listing is let go with its last shot: what comes later goes on for hours.
final class ShotFeed: AsyncSequence, Sendable {
    private struct State { var listing: IntakeListing?, next = 0 }
    private let state: Mutex<State>
    private let arrivals: AsyncStream<ShotWork>?

    init(_ listing: IntakeListing, then arrivals: AsyncStream<ShotWork>? = nil) {
        state = Mutex(State(listing: listing))
        self.arrivals = arrivals
    }

    /// Nil when all of them have been given.
    fileprivate func listed(_ number: Int) -> ShotWork? {
        state.withLock { state in
            guard let held = state.listing, number < held.shotCount else {
                state.listing = nil
                return nil
            }
            state.next = number + 1
            defer { if number + 1 == held.shotCount { state.listing = nil } }
            return held.work(number)
        }
    }

    /// The next of those that were listed, without taking them, and how many are left.
    func ahead(_ limit: Int) -> (works: [ShotWork], count: Int) {
        let (listing, next) = state.withLock { ($0.listing, $0.next) }
        guard let listing else { return ([], 0) }
        return ((next..<listing.shotCount).prefix(limit).map(listing.work), listing.shotCount - next)
    }

    /// For tests: true while it keeps what a listing told.
    var holdsListing: Bool { state.withLock { $0.listing != nil } }

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        typealias Failure = Never
        private let feed: ShotFeed
        private var arrivals: AsyncStream<ShotWork>.Iterator?
        private var given = 0

        fileprivate init(_ feed: ShotFeed) {
            self.feed = feed
            arrivals = feed.arrivals?.makeAsyncIterator()
        }

        mutating func next() async -> ShotWork? { await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ShotWork? {
            guard let work = feed.listed(given) else { return await arrivals?.next(isolation: actor) }
            given += 1
            return work
        }
    }
}
