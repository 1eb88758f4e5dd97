import FilmgateCore
import Testing

@testable import FilmgateEngine

/// A source that stays open for a whole evening keeps nothing of what it listed at the beginning.
@Suite struct ShotFeedTests {
    private func listing(_ names: [String], known: [KnownFile] = []) -> IntakeListing {
        let entries = names.map { name in
            SourceEntry(
                origin: Origin(source: "camera", volume: "v", root: "r", path: name, size: 10, modified: 1),
                kind: .jpeg, shot: ShotPlace(key: name, stem: name))
        }
        let rules = IntakeListing.Rules(
            recognition: Recognition(known, hourShift: false), acceptable: [.jpeg], again: false,
            wanted: WantedCache { _, _ in ["archive"] })
        return IntakeListing(entries, rules: rules)
    }

    @Test func givesTheListingAndThenWhatArrives() async {
        let (arrivals, feed) = AsyncStream<ShotWork>.makeStream()
        let works = ShotFeed(listing(["A", "B"]), then: arrivals)
        feed.yield(listing(["C"]).work(0))
        feed.finish()
        var keys: [String] = []
        for await work in works { keys.append(work.key) }
        #expect(keys == ["A", "B", "C"])
    }

    @Test func letsGoOfTheListingWithItsLastShot() async {
        let works = ShotFeed(listing(["A", "B"]), then: AsyncStream<ShotWork>.makeStream().stream)
        var next = works.makeAsyncIterator()
        #expect(await next.next()?.key == "A" && works.holdsListing)
        #expect(await next.next()?.key == "B" && !works.holdsListing)
    }

    @Test func keepsNothingOfAListingWithNothingToRead() async {
        let (arrivals, feed) = AsyncStream<ShotWork>.makeStream()
        let works = ShotFeed(listing([]), then: arrivals)
        feed.yield(listing(["C"]).work(0))
        var next = works.makeAsyncIterator()
        #expect(await next.next()?.key == "C" && !works.holdsListing)
    }
}
