import FilmgateCore
import Testing

@testable import FileKit

/// Whether anybody has to look for zeros in a file again after it was hashed.
@Suite struct ZeroPieceTests {
    private func mayHoldZeros(_ bytes: [UInt8], step: Int) -> Bool {
        var hasher = MultiHasher()
        for start in stride(from: 0, to: bytes.count, by: step) {
            hasher.update(Array(bytes[start..<min(start + step, bytes.count)]).span.bytes)
        }
        return hasher.mayHoldZeros
    }

    /// Wherever 64 KiB of zeros begin, and however the bytes come.
    @Test(arguments: [1, 100, 32 << 10, (32 << 10) + 1, 65_535, 131_072, 200_000], [7, 4096, 32 << 10, 1 << 20])
    func aRunOfZerosIsNeverMissed(_ start: Int, _ step: Int) {
        var bytes = [UInt8](repeating: 1, count: 400_000)
        bytes.replaceSubrange(start..<(start + (64 << 10)), with: repeatElement(0, count: 64 << 10))
        #expect(mayHoldZeros(bytes, step: step))
    }

    @Test(arguments: [7, 4096, 1 << 20]) func picturesHoldNone(_ step: Int) {
        var bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 31 + 1) }
        // Short runs are in every file.
        bytes.replaceSubrange(40_000..<60_000, with: repeatElement(0, count: 20_000))
        #expect(!mayHoldZeros(bytes, step: step))
    }
}
