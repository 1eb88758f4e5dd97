import Synchronization
import Testing

@testable import FilmgateCore

/// What has to be equal before a transfer that was cut off is gone on with.
@Suite struct ResumeProofTests {
    private func noise(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private func pieces(_ bytes: [UInt8], before end: Int? = nil) throws -> [ResumeProof.Piece]? {
        let end = end ?? bytes.count
        return try ResumeProof.pieces(before: UInt64(end)) { range throws(IngestError) in
            Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
    }

    private func isAccepted(_ pieces: [ResumeProof.Piece], of other: [UInt8]) -> Bool {
        pieces.allSatisfy { $0.bytes.elementsEqual(other[Int($0.start)..<Int($0.start) + $0.bytes.count]) }
    }

    @Test func beginningEndAndPlacesBetweenAreCompared() throws {
        let pieces = try #require(try pieces(noise(3_000_000, 1)))
        #expect(pieces[0].range == 0..<65_536 && pieces[1].range == (3_000_000 - 65_536)..<3_000_000)
        #expect(pieces.count == 26 && pieces[2...].allSatisfy { $0.bytes.count == 4096 })
        // No large gap.
        let starts: [UInt64] = [65_536] + pieces[2...].map(\.start) + [2_934_464]
        for (low, high) in zip(starts, starts.dropFirst()) { #expect(low <= high && high - low < 300_000) }
    }

    /// Two clips of one body with the same padding around the break.
    @Test func anotherFileWithTheSamePaddingBeforeTheBreakIsFoundOut() throws {
        let head = noise(70_000, 9), padding = [UInt8](repeating: 0, count: 70_000)
        let one = head + noise(1_000_000, 1) + padding, other = head + noise(1_000_000, 2) + padding
        let pieces = try #require(try pieces(one))
        #expect(isAccepted(pieces, of: one) && !isAccepted(pieces, of: other))
        // Also where only the bytes before the padding differ.
        var near = one
        near.replaceSubrange(1_030_000..<1_070_000, with: noise(40_000, 3))
        #expect(near.count == one.count && !isAccepted(pieces, of: near))
    }

    @Test(arguments: [100, 65_536, 200_000, 3_000_000]) func aRunOfOneValueProvesNothing(_ count: Int) throws {
        #expect(try pieces([UInt8](repeating: 0xFF, count: count)) == nil)
        // The beginning alone is the same in all files of a body.
        #expect(try pieces(noise(65_536, 1) + [UInt8](repeating: 0, count: max(65_537, count))) == nil)
    }

    @Test(arguments: [1, 2, 65_535, 65_537, 131_072, 131_073, 140_000]) func littleIsComparedWhole(_ count: Int) throws
    {
        let bytes = noise(count + 1, 5)
        let pieces = try pieces(bytes, before: count)
        if count == 1 { return #expect(pieces == nil) }
        var covered = Set<UInt64>()
        for piece in try #require(pieces) { covered.formUnion(piece.range) }
        #expect(covered.count >= min(count, 131_072) && covered.allSatisfy { $0 < UInt64(count) })
    }

    @Test func whatCannotBeReadProvesNothing() throws {
        #expect(try ResumeProof.pieces(before: 1_000_000) { _ throws(IngestError) in [] } == nil)
    }

    private final class Kept: ByteSink {
        let all = Mutex<[UInt8]>([])
        func write(_ bytes: RawSpan) throws(IngestError) {
            bytes.withUnsafeBytes { part in all.withLock { $0 += part } }
        }
    }

    @Test(arguments: [true, false]) func aRepeatedReadPassesOnWhatIsNewOfTheSameFileOnly(_ isSame: Bool) throws {
        let kept = Kept(), bytes = noise(10_001, 1)
        let reading = RepeatedRead(kept, of: "A.MOV", from: 0)
        let first = reading.attempt()
        #expect(first.offset == 0)
        let beginning = Array(bytes[..<6_001])
        try first.sink.write(beginning.span.bytes)
        let second = reading.attempt()
        #expect(second.offset == 0 && reading.position == 6_001)
        var other = bytes
        if !isSame { other[0] ^= 1 }
        do throws(IngestError) {
            for start in stride(from: 0, to: other.count, by: 500) {
                let part = Array(other[start..<min(other.count, start + 500)])
                try second.sink.write(part.span.bytes)
            }
        } catch { #expect(error.cause is OtherBytes && error.code == .corruptData) }
        #expect(kept.all.withLock { $0 } == (isSame ? bytes : Array(bytes[..<6_001])))
    }
}
