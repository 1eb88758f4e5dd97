import Testing

@testable import FilmgateEngine

/// Random histories of two and three stations: one sender for each frame, and nothing waits for ever.
@Suite struct ClaimModelTests {
    @Test(arguments: 0..<120 as Range<UInt64>) func everyFrameIsThereOnce(_ seed: UInt64) {
        var world = ClaimWorld(seed, stations: 2 + Int(seed % 2), frames: 12)
        for _ in 0..<400 { world.step() }
        world.drain()
        #expect(world.faults == [], "seed \(seed)")
        #expect(world.gallery == Array(repeating: 1, count: 12), "seed \(seed)")
    }
}
