import FilmgateCore

/// The shots that a listing holds, then those that come later; each is made when it is its turn.
struct ShotFeed: AsyncSequence, Sendable {
    private let listing: Listing, arrivals: AsyncStream<ShotWork>?

    init(_ listing: Listing, then arrivals: AsyncStream<ShotWork>? = nil) { (self.listing, self.arrivals) = (listing, arrivals) }

    func makeAsyncIterator() -> Iterator { Iterator(listing: listing, arrivals: arrivals?.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        typealias Failure = Never
        fileprivate let listing: Listing
        fileprivate var arrivals: AsyncStream<ShotWork>.Iterator?
        private var given = 0

        fileprivate init(listing: Listing, arrivals: AsyncStream<ShotWork>.Iterator?) {
            (self.listing, self.arrivals) = (listing, arrivals)
        }

        mutating func next() async -> ShotWork? { await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ShotWork? {
            guard given < listing.shotCount else { return await arrivals?.next(isolation: actor) }
            defer { given += 1 }
            return listing.work(given)
        }
    }
}
