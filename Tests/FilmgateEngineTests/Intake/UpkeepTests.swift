import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// A run gives memory back once after each burst, and never while it has nothing to do.
@Suite(.timeLimit(.minutes(5))) struct UpkeepTests {
    private let place = SourcePlace(source: "card", address: "/card", label: "CARD")

    @Test func aBurstIsFollowedByOne() async {
        let bench = Bench(), trimmer = HeapTrimmer(after: bench.pause, bench.give)
        for burst in 1...2 {
            for _ in 0..<1000 { trimmer.note(.source(place, .back)) }
            await bench.endPause()
            #expect(bench.given == burst)
        }
    }

    @Test func whatIsNoEndAsksForNothing() async {
        let bench = Bench(), trimmer = HeapTrimmer(after: bench.pause, bench.give)
        for _ in 0..<10 { trimmer.note(.read(bytes: 1)) }
        #expect(!trimmer.isDue)
        trimmer.note(.source(place, .back))
        #expect(trimmer.isDue)
        await bench.endPause()
        #expect(!trimmer.isDue)
    }
}

/// Pauses that end when the test says so.
private final class Bench: Sendable {
    private let count = Mutex(0)
    private let (ends, end) = AsyncStream<Void>.makeStream()
    private let (turns, turn) = AsyncStream<Void>.makeStream()
    var given: Int { count.withLock { $0 } }

    @Sendable func pause() async {
        for await _ in ends { return }
    }

    @Sendable func give() async {
        count.withLock { $0 += 1 }
        turn.yield()
    }

    /// Returns when memory was given back after it.
    func endPause() async {
        end.yield()
        for await _ in turns { return }
    }
}
