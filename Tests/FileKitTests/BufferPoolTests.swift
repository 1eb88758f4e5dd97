import Testing

@testable import FileKit

@Suite struct BufferPoolTests {
    /// Takes so many blocks at once and gives them back.
    private func use(_ count: Int, _ pool: BufferPool) {
        let blocks = (0..<count).map { _ in pool.take() }
        for block in blocks { pool.give(block) }
    }

    @Test func whatOnlyABurstNeededIsFreed() {
        let pool = BufferPool()
        use(8, pool)
        pool.shrink()
        #expect(pool.freeCount == 8, "they were in use since the last call")
        use(2, pool)
        pool.shrink()
        #expect(pool.freeCount == 2)
        use(2, pool)
        pool.shrink()
        #expect(pool.freeCount == 2)
        pool.shrink()
        #expect(pool.freeCount == 0)
        use(1, pool)
        #expect(pool.freeCount == 1)
    }

    @Test func aBlockThatIsLentIsNotFreed() {
        let pool = BufferPool()
        use(2, pool)
        pool.withBlock { block in
            for _ in 0..<3 { pool.shrink() }
            block[BufferPool.blockSize - 1] = 7
            #expect(block[BufferPool.blockSize - 1] == 7)
        }
        #expect(pool.freeCount == 1)
    }
}
