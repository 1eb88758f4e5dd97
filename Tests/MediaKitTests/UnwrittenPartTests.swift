import FilmgateCore
import Testing

@testable import MediaKit

/// Files that had their size before they had their bytes.
@Suite struct UnwrittenPartTests {
    private func noise(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 9) & 0xFE }
    }

    private func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

    private func holed(_ bytes: [UInt8], _ hole: Range<Int>) -> [UInt8] {
        var bytes = bytes
        for index in hole { bytes[index] = 0 }
        return bytes
    }

    private func find(_ bytes: [UInt8], _ kind: MediaKind) -> String? {
        let source = MemorySource(bytes), file = ByteWindow(source, head: ByteWindow.shortHeadSize).whole
        return UnwrittenPart.find(source, file, FileSignature.format(of: file.upTo(FileSignature.length)), kind)
    }

    @Test func aJPEGWithoutTheMiddleOfItsScanIsNotWhole() {
        var jpeg = JPEGBuilder.camera()
        jpeg.scan = noise(400_000)
        let whole = jpeg.build(), start = whole.count - 400_002
        #expect(find(whole, .jpeg) == nil)
        for offset in [0, 1, 12_345, 300_000] {
            let hole = (start + offset)..<(start + offset + 65_536 + 100)
            #expect(find(holed(whole, hole), .jpeg)?.contains("zeros") == true, "\(offset)")
        }
        #expect(find(holed(whole, start + 1000..<start + 50_000), .jpeg) == nil)
        // Padding behind the end, and a header of zeros, are none of it.
        #expect(find(whole + [UInt8](repeating: 0, count: 300_000), .jpeg) == nil)
        jpeg.segments += (0..<4).map { _ in (0xE3, zeros(60_000)) }
        #expect(find(jpeg.build(), .jpeg) == nil)
    }

    /// One strip, and many that follow each other.
    @Test(arguments: [1, 20]) func aRAWWithoutAPartOfItsStripsIsNotWhole(_ strips: Int) {
        let length = 400_000 / strips, data = noise(400_000)
        func entry(_ tag: UInt16, _ type: UInt16, _ values: [UInt32], at place: UInt32) -> [UInt8] {
            let head = [UInt8(truncatingIfNeeded: tag), UInt8(tag >> 8), UInt8(type), 0]
            return head + word(UInt32(values.count)) + word(values.count == 1 ? values[0] : place)
        }
        let lists = UInt32(8 + 2 + 24 + 4), first = lists + 8 * UInt32(strips)
        let offsets = (0..<UInt32(strips)).map { first + $0 * UInt32(length) }
        let counts = offsets.map { _ in UInt32(length) }
        var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0]
        file +=
            entry(0x0111, 4, offsets, at: lists) + entry(0x0117, 4, counts, at: lists + 4 * UInt32(strips)) + [
                0, 0, 0, 0,
            ]
        for value in offsets + counts { file += word(value) }
        #expect(file.count == Int(first))
        file += data + [UInt8](repeating: 0, count: 200_000)
        #expect(find(file, .raw) == nil)
        let hole = Int(first) + 100_000..<Int(first) + 170_000
        #expect(find(holed(file, hole), .raw)?.contains("zeros") == true)
        // A picture that is no RAW may be black.
        #expect(find(holed(file, hole), .image) == nil)
    }
}
