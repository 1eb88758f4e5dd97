import FilmgateCore
import FilmgateEngine
import Testing

@testable import filmgate

/// What those who watch a run are told while it reads one long file.
@Suite struct ReadingToldTests {
    @Test func readingIsToldOnceForManyParts() throws {
        let feed = ChangeFeed(), begun = feed.begin()
        let changes = RunChanges(feed: feed, liveStatus: LiveStatus(event: nil, gate: PauseGate()))
        for _ in 0..<10_000 { changes.note(.read(bytes: 1 << 20)) }
        let part = try #require(feed.next(after: begun, patience: .zero))
        let told = try #require(part.changes.first)
        #expect(told.key == "reading" && told.value.text?.contains("reading") == true)
        // Every part would be a change of its own, with a number of its own; a slow machine may tell some more.
        #expect(part.upTo - begun < 100, "\(part.upTo - begun)")
    }

    /// Nobody watches: it costs nothing, and who comes then hears of the next part.
    @Test func whoComesLaterIsToldToo() throws {
        let feed = ChangeFeed(),
            changes = RunChanges(
                feed: feed, liveStatus: LiveStatus(event: nil, gate: PauseGate()))
        changes.note(.read(bytes: 1))
        let begun = feed.begin()
        changes.note(.read(bytes: 1))
        #expect(try #require(feed.next(after: begun, patience: .zero)).changes.count == 1)
    }
}
