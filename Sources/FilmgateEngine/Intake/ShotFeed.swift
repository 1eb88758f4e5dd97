import FilmgateCore
import Synchronization

/// The shots that a listing holds, then those that come later; each is made when it is its turn.
///
/// For one reader. The listing is let go with its last shot: what comes later goes on for hours.
final class ShotFeed: AsyncSequence, Sendable {
    private let listing: Mutex<IntakeListing?>
    private let arrivals: AsyncStream<ShotWork>?

    init(_ listing: IntakeListing, then arrivals: AsyncStream<ShotWork>? = nil) {
        self.listing = Mutex(listing)
        self.arrivals = arrivals
    }

    /// Nil when all of them have been given.
    fileprivate func listed(_ number: Int) -> ShotWork? {
        listing.withLock { listing in
            guard let held = listing, number < held.shotCount else {
                listing = nil
                return nil
            }
            defer { if number + 1 == held.shotCount { listing = nil } }
            return held.work(number)
        }
    }

    /// For tests: true while it keeps what a listing told.
    var holdsListing: Bool { listing.withLock { $0 != nil } }

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
