import FilmgateCore
import Testing

@Suite struct PackedTableTests {
    /// Small keys meet often, at both ends of what is sorted already.
    @Test(arguments: [50, 5_000, Int.max]) func holdsWhatADictionaryHolds(_ range: Int) {
        var table = PackedTable<Int>(), model: [Int: Int] = [:]
        var generator = SystemRandomNumberGenerator()
        for step in 0..<20_000 {
            let key = Int.random(in: -range...range, using: &generator)
            let value = Int.random(in: 0..<3, using: &generator) == 0 ? nil : step
            (table[key], model[key]) = (value, value)
            #expect(table.count == model.count && table[key] == value)
            guard step % 1_000 == 0 else { continue }
            table.removeAll { $0 % 7 == 0 }
            model = model.filter { $0.key % 7 != 0 }
            #expect(table.count == model.count)
            for (key, value) in model { #expect(table[key] == value) }
            for key in -50...50 { #expect(table[key] == model[key]) }
        }
    }

    @Test func aKeyIsInsertedOnce() {
        var table = PackedTable<Void>()
        let first = (0..<1_000).map { table.insert($0 &* 0x9E37_79B9) }
        let second = (0..<1_000).map { table.insert($0 &* 0x9E37_79B9) }
        #expect(first.allSatisfy { $0 } && !second.contains(true))
        #expect(table.count == 1_000 && table[7] == nil && !table.isEmpty)
    }
}
