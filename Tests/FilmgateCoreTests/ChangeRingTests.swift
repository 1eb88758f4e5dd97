import FilmgateCore
import Testing

@Suite struct ChangeRingTests {
    /// A generator whose numbers are the same each time.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Readers that come now and then know the same in the end as who saw everything, or were told that they missed
    /// something.
    @Test(arguments: 1...40) func aReaderKnowsAllOrIsTold(_ seed: Int) {
        var numbers = Numbers(state: UInt64(seed)), ring = ChangeRing<Int>(mostKeys: 20, mostCost: 400)
        var truth: [String: Int] = [:]
        struct Reader { var number: Int64 = 0, known: [String: Int] = [:], gaps = 0 }
        var readers = [Reader](repeating: Reader(), count: 4)
        for step in 0..<2000 {
            let key = "\(Int.random(in: 0..<(seed.isMultiple(of: 2) ? 15 : 60), using: &numbers))"
            truth[key] = step
            ring.add(key, step, cost: Int.random(in: 1...30, using: &numbers), at: Int64(step))
            let index = Int.random(in: 0..<40, using: &numbers)
            guard index < readers.count else { continue }
            let part = ring.changes(after: readers[index].number, limit: Int.random(in: 1...30, using: &numbers))
            #expect(part.changes.map(\.number) == part.changes.map(\.number).sorted())
            #expect(Set(part.changes.map(\.key)).count == part.changes.count)
            if part.isGap {
                readers[index].known = truth
                readers[index].gaps += 1
            }
            for change in part.changes { readers[index].known[change.key] = change.value }
            readers[index].number = part.upTo
        }
        for var reader in readers {
            while true {
                let part = ring.changes(after: reader.number, limit: 7)
                if part.isGap { reader.known = truth }
                for change in part.changes { reader.known[change.key] = change.value }
                reader.number = part.upTo
                if !part.isMore { break }
            }
            #expect(reader.known == truth)
            #expect(reader.number == ring.last)
        }
        #expect(ring.count <= 20)
    }

    @Test func whatFitsIsNeverAGap() {
        var ring = ChangeRing<Int>(mostKeys: 10, mostCost: 1000)
        for step in 0..<100_000 { ring.add("\(step % 10)", step, at: 0) }
        let part = ring.changes(after: 3, limit: 100)
        #expect(!part.isGap && part.changes.map(\.value) == Array(99_990..<100_000))
        #expect(ring.changes(after: ring.last, limit: 5).changes.isEmpty)
    }

    @Test func whoMissedSomethingIsTold() {
        var ring = ChangeRing<Int>(mostKeys: 3, mostCost: 1000)
        for step in 1...5 { ring.add("\(step)", step, at: 0) }
        #expect(ring.changes(after: 1, limit: 9).isGap)
        #expect(ring.changes(after: 2, limit: 9).changes.map(\.value) == [3, 4, 5])
        #expect(ring.changes(after: 77, limit: 9).isGap)
    }

    /// One that is larger than all room is kept alone.
    @Test func aLargeOneIsKept() {
        var ring = ChangeRing<Int>(mostKeys: 3, mostCost: 10)
        ring.add("a", 1, cost: 1, at: 0)
        ring.add("b", 2, cost: 100, at: 0)
        #expect(ring.changes(after: 1, limit: 9).changes.map(\.value) == [2] && ring.count == 1)
    }
}
