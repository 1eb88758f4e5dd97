import FilmgateCore
import Testing

@testable import MediaKit

/// Zeros and noise where the name promises a picture: what may be told to a person.
@Suite struct MissingContentTests {
    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 7
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33) & 0xFE
        }
    }

    private func isDamaged(_ bytes: [UInt8], _ name: String) -> Bool {
        MediaReader.read(MemorySource(bytes), name: name, content: true)?.flags.contains(MediaFlag.truncated) == true
    }

    /// Its tables of detail begin with `first`.
    private func picture(first: UInt8 = 1, marker: UInt8 = 0xC0, hole: Range<Int>? = nil) -> [UInt8] {
        var jpeg = JPEGBuilder.camera()
        jpeg.segments.append((0xC4, [0x10, 0, 1] ++ zeros(14) ++ [first]))
        jpeg.scan = Self.noise(400_000)
        for index in hole ?? 0..<0 { jpeg.scan[index] = 0 }
        var bytes = jpeg.build()
        let frame = bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 } ?? 0
        bytes[frame + 1] = marker
        return bytes
    }

    @Test(arguments: ["A.JPG", "A.HEIC", "A.CR2", "A.CR3", "A.NEF", "A.IIQ", "A.TIF", "A.MOV", "A.MPG", "A.WAV"])
    func aFileOfZerosIsDamaged(_ name: String) { #expect(isDamaged(zeros(300_000), name)) }

    @Test(arguments: ["A.XMP", "A.DAT", "A.GPX"]) func zerosUnderOtherNamesAreNobodysBusiness(_ name: String) {
        #expect(!isDamaged(zeros(300_000), name))
    }

    @Test func noiseIsDamageOnlyWhereEveryFormatOfThatNameIsKnown() {
        let noise: [UInt8] = [1, 2, 3, 4, 5, 6] ++ Self.noise(100_000)
        for name in ["A.JPG", "A.HEIC", "A.CR3", "A.ARW", "A.PNG", "A.MP4"] {
            #expect(isDamaged(noise, name), "\(name)")
        }
        for name in ["A.IIQ", "A.3FR", "A.KDC", "A.BRAW", "A.MPG", "A.MP3", "A.PSD", "A.TXT"] {
            #expect(!isDamaged(noise, name), "\(name)")
        }
        // An atom that nobody here knows, and another format under the name.
        #expect(!isDamaged([0, 0, 1, 0] ++ ascii("abcd") ++ noise, "A.MOV") && !isDamaged(png([]), "A.JPG"))
    }

    @Test func zerosInAPictureAreDamageWhereItsCodesExcludeThem() {
        let hole = 100_000..<170_000
        #expect(!isDamaged(picture(), "A.JPG") && isDamaged(picture(hole: hole), "A.JPG"))
        // Tables made for a picture without detail, and a progressive one: it may be black.
        #expect(
            !isDamaged(picture(first: 0, hole: hole), "A.JPG") && !isDamaged(picture(marker: 0xC2, hole: hole), "A.JPG")
        )
        // Padding behind the end.
        #expect(!isDamaged(picture() ++ zeros(300_000), "A.JPG"))
    }

    @Test func zerosInARAWAreDamageWhereItIsCompressed() {
        func raw(compression: Int, photometric: Int, hole: Int) -> [UInt8] {
            var bytes = Self.noise(2_000_000)
            for index in 300_000..<300_000 + hole { bytes[index] = 0 }
            func entry(_ tag: Int, _ value: Int) -> [UInt8] { le16(tag) ++ le16(4) ++ le32(1) ++ le32(value) }
            let entries =
                entry(0x0103, compression) ++ entry(0x0106, photometric) ++ entry(0x0111, 62)
                ++ entry(0x0117, bytes.count)
            return [0x49, 0x49, 42, 0] ++ le32(8) ++ le16(4) ++ entries ++ le32(0) ++ bytes
        }
        #expect(!isDamaged(raw(compression: 34_713, photometric: 32_803, hole: 0), "A.NEF"))
        #expect(isDamaged(raw(compression: 34_713, photometric: 32_803, hole: 70_000), "A.NEF"))
        #expect(!isDamaged(raw(compression: 1, photometric: 32_803, hole: 70_000), "A.NEF"))
        #expect(isDamaged(raw(compression: 1, photometric: 32_803, hole: 1_100_000), "A.NEF"))
        // A preview that is black.
        #expect(!isDamaged(raw(compression: 1, photometric: 2, hole: 1_500_000), "A.DNG"))
    }

    /// A few bytes of each 32 KiB, and never the picture.
    @Test func aWholePictureCostsFewBytes() {
        let bytes = picture()
        func cost(content: Bool) -> Int {
            let source = CountingSource(bytes)
            _ = MediaReader.read(source, name: "A.JPG", content: content)
            return source.count
        }
        #expect(cost(content: true) - cost(content: false) <= 16 * (bytes.count / 32_768 + 1))
    }
}

private final class CountingSource: ByteSource {
    private let source: MemorySource
    private(set) var count = 0

    init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

    var size: UInt64 { source.size }

    func read(at offset: UInt64, count wanted: Int) -> [UInt8]? {
        let bytes = source.read(at: offset, count: wanted)
        count += bytes?.count ?? 0
        return bytes
    }
}
