import FilmgateCore
import Glibc
import Testing

/// What blocks has threads of its own.
@Suite(.timeLimit(.minutes(5))) struct BlockingPoolTests {
    /// On the few threads of a concurrent queue they would wait for one another.
    @Test func asManyAsItIsWideRunAtOnce() async throws {
        let width = 48, pool = BlockingPool("test", width: width), counter = Counter()
        let met = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<width {
                group.addTask {
                    try await pool.run {
                        counter.enter()
                        for _ in 0..<4_000 where counter.peak < width { usleep(10_000) }
                        return counter.peak == width
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(met == width)
    }
}
