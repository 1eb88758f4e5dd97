import FilmgateCore
import Testing

@testable import MediaKit

@Suite struct CompletenessTests {
    private func check(_ bytes: [UInt8]) -> Completeness { Completeness.check(MemorySource(bytes)) }

    private func isTruncated(_ bytes: [UInt8]) -> Bool {
        guard case .truncated(let reason) = check(bytes) else { return false }
        return reason.hasSuffix(".") && reading(bytes).flags.contains("truncated")
    }

    @Test func jpegEndsWithItsMarker() {
        var jpeg = JPEGBuilder.camera()
        #expect(check(jpeg.build()) == .complete)
        jpeg.hasEnd = false
        #expect(isTruncated(jpeg.build()))
        jpeg.trailer = zeros(100_000)
        #expect(isTruncated(jpeg.build()))
    }

    /// Whoever only waits for a file to be whole need not parse what it says of itself.
    @Test func wholenessNeedsNoFacts() {
        var jpeg = JPEGBuilder.camera()
        for isWhole in [true, false] {
            jpeg.hasEnd = isWhole
            let bytes = jpeg.build(), all = reading(bytes)
            let bare = MediaReader.read(MemorySource(bytes), name: nil, facts: false)
            #expect(!all.facts.isEmpty && bare?.facts.isEmpty == true)
            #expect(bare?.completeness == all.completeness && bare?.format == all.format)
        }
    }

    /// Then only the file's beginning is read at once; what a large header hides behind it is found all the same.
    @Test(arguments: [10_000, 16_370, 16_384, 60_000]) func wholenessBehindALargeHeader(_ size: Int) {
        var jpeg = JPEGBuilder.camera()
        jpeg.segments += [(0xE2, zeros(size)), (0xE3, zeros(size))]
        jpeg.scan = (0..<50_000).map { UInt8($0 % 251) }
        for isWhole in [true, false] {
            jpeg.hasEnd = isWhole
            let bytes = jpeg.build(), bare = MediaReader.read(MemorySource(bytes), name: nil, facts: false)
            #expect((bare?.completeness == .complete) == isWhole && bare?.completeness == reading(bytes).completeness)
        }
    }

    @Test func aPatternIsFoundWhereItFirstBegins() {
        let bytes = Bytes([9, 1, 1, 2, 1, 2, 3, 1])
        #expect(
            bytes.index(of: [1, 2]) == 2 && bytes.index(of: [1, 2], from: 3) == 4
                && bytes.index(of: [1, 2], from: 5) == nil)
        #expect(bytes.index(of: [1], from: 7) == 7 && bytes.index(of: [3, 1]) == 6 && bytes.index(of: [1, 9]) == nil)
        #expect(
            bytes.index(of: [9]) == 0 && bytes.index(of: [1], from: 8) == nil && bytes.index(of: [1], from: 99) == nil)
        #expect(bytes.part(1, 3)?.index(of: [2, 1]) == nil && bytes.part(1, 4)?.index(of: [2, 1]) == 2)
        #expect(Bytes.none.index(of: [1]) == nil && Bytes([1]).index(of: [1, 2]) == nil && bytes.index(of: []) == nil)
    }

    @Test func jpegCutAnywhereIsTruncated() {
        let bytes = JPEGBuilder.camera().build()
        for length in stride(from: 3, to: bytes.count - 1, by: 7) { #expect(isTruncated(Array(bytes[..<length]))) }
    }

    @Test func theThumbnailsEndIsNotThePictures() {
        var jpeg = JPEGBuilder.camera(TIFFBuilder.camera(note: [0xFF, 0xD8, 0xFF, 0xD9]).build())
        jpeg.hasEnd = false
        #expect(isTruncated(jpeg.build()))
    }

    @Test(arguments: [1, 5000, 40_000, 3_000_000]) func jpegMayHaveATrailer(_ size: Int) {
        var jpeg = JPEGBuilder.camera()
        jpeg.trailer = (0..<size).map { UInt8($0 % 200) }
        #expect(check(jpeg.build()) == .complete)
    }

    @Test func furtherPicturesMustBeThere() {
        var jpeg = JPEGBuilder.camera()
        func index(_ size: Int, _ offset: Int) -> [UInt8] {
            let list = be32(0) ++ be32(900) ++ be32(0) ++ be32(0) ++ be32(0) ++ be32(size) ++ be32(offset) ++ be32(0)
            return ascii("MPF\0") ++ TIFFBuilder(order: .big, folders: [[(0xB002, .bytes(list))]]).build()
        }
        jpeg.trailer = zeros(200)
        jpeg.segments.append((0xE2, index(100, 200)))
        #expect(check(jpeg.build()) == .complete)
        jpeg.segments[1] = (0xE2, index(100, 90_000))
        #expect(isTruncated(jpeg.build()))
    }

    @Test func moviesNeedTheirBoxes() {
        let movie = MovieBuilder().build()
        #expect(check(movie) == .complete)
        #expect(isTruncated(Array(movie.dropLast())))
        #expect(isTruncated(Array(movie[..<1000])))
        #expect(isTruncated(box("ftyp", ascii("qt  ") ++ be32(0)) ++ box("mdat", zeros(100))))
        #expect(check(movie ++ zeros(4)) == .complete)
        #expect(check(movie ++ ascii("&&&& a trailer that is no box")) == .complete)
    }

    @Test func stillPicturesNeedTheirItems() {
        let picture = heif(TIFFBuilder.camera().build(), pad: 5000)
        #expect(check(picture) == .complete)
        #expect(isTruncated(Array(picture.dropLast(20))))
    }

    @Test func stripsAndTilesLieInside() {
        func file(_ offsets: [Int], _ counts: [Int]) -> [UInt8] {
            TIFFBuilder(folders: [[(Tag.stripOffsets, .long(offsets)), (Tag.stripByteCounts, .long(counts))]]).build()
                ++ zeros(1000)
        }
        #expect(check(file([8, 500], [100, 100])) == .complete)
        #expect(isTruncated(file([8, 2000], [100, 100])))
        #expect(check(file([8, 500, 700], [100, 100])) == .unknown)
        #expect(check(file([0xFFFF_FFFF], [100])) == .unknown)
        #expect(isTruncated(Array(file([8, 500], [100, 100])[..<9])))
    }

    @Test func riffAndPNGFit() {
        let sound =
            ascii("RIFF") ++ le32(36 + 400) ++ ascii("WAVEfmt ") ++ le32(16) ++ zeros(16) ++ ascii("data") ++ le32(400)
            ++ zeros(400)
        #expect(check(sound) == .complete)
        #expect(isTruncated(Array(sound.dropLast(100))))
        let picture = [0x89] ++ ascii("PNG\r\n\u{1A}\n") ++ be32(0) ++ ascii("IEND") ++ zeros(4)
        #expect(check(picture) == .complete)
        #expect(isTruncated(Array(picture.dropLast(6))))
    }

    @Test func unknownBytesProveNothing() {
        #expect(check([]) == .unknown && check(ascii("hello")) == .unknown)
    }
}
