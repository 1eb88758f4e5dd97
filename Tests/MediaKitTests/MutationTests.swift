import FilmgateCore
import Testing

@testable import MediaKit

/// Damaged files of every format: reading must end without a trap, within its limits, and say the same twice.
@Suite struct MutationTests {
    @Test(arguments: seeds.map(\.name)) func seedsAreRecognised(_ name: String) throws {
        let seed = try #require(seeds.first { $0.name == name })
        let result = reading(seed.bytes, name)
        #expect(
            result.format != nil && !result.facts.isEmpty && !result.flags.contains("kind-mismatch")
                && !result.flags.contains("exif-damaged"))
    }

    @Test(arguments: seeds.indices) func mutants(_ index: Int) {
        var random = SeededGenerator(state: UInt64(index) &* 7919 &+ 1)
        for _ in 0..<60 {
            let bytes = mutant(of: seeds[index].bytes, &random)
            let first = reading(bytes, seeds[index].name)
            #expect(first == reading(bytes, seeds[index].name))
        }
    }

    @Test(arguments: seeds.indices) func prefixes(_ index: Int) {
        let bytes = seeds[index].bytes
        for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 60)) {
            _ = reading(Array(bytes[..<length]), seeds[index].name)
        }
    }

    private func mutant(of seed: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2:
                for index in place..<min(place + 4, bytes.count) {
                    bytes[index] = [0, 0xFF, 0x7F].randomElement(using: &random) ?? 0
                }
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...16, using: &random)))
            default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 24)], at: place)
            }
        }
        return bytes
    }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
