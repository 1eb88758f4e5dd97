import Testing

@testable import FilmgateEngine

/// Random histories of two and three stations: one sender for each frame, and nothing waits for ever.
@Suite struct ClaimModelTests {
    @Test(arguments: 0..<120 as Range<UInt64>) func everyFrameIsThereOnce(_ seed: UInt64) {
        var world = ClaimWorld(seed, stations: 2 + Int(seed % 2), frames: 12, dumb: 4)
        for _ in 0..<400 { world.step() }
        world.drain()
        #expect(world.faults == [], "seed \(seed)")
        #expect(world.gallery.prefix(12) == ArraySlice(repeating: 1, count: 12), "seed \(seed)")
        // Where nobody can ask, nothing is there twice, and what is missing waits for a person.
        for frame in 12..<16 where world.gallery[frame] != 1 {
            #expect(world.gallery[frame] == 0 && world.isInDoubt(frame), "seed \(seed), frame \(frame)")
        }
    }
}
