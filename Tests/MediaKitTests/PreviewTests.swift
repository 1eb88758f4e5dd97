import Testing

@testable import MediaKit

/// Where the pictures inside files are found.
@Suite struct PreviewTests {
    private func found(_ bytes: [UInt8]) throws -> PreviewPlaces {
        try #require(MediaReader.previews(MemorySource(bytes)))
    }

    /// The bytes of each place, the smallest picture first.
    private func pictures(_ bytes: [UInt8]) throws -> [[UInt8]] {
        try found(bytes).places.map { Array(bytes[Int($0.offset)..<Int($0.offset + $0.length)]) }
    }

    private let thumbnail = JPEGBuilder(width: 160, height: 120).build()
    private let preview = JPEGBuilder(width: 1620, height: 1080).build()

    /// An Exif block with a thumbnail behind it.
    private func exif() -> [UInt8] {
        func block(_ offset: Int) -> [UInt8] {
            var tiff = TIFFBuilder.camera()
            tiff.folders.append([(0x0103, .short([6])), (0x0201, .long([offset])), (0x0202, .long([thumbnail.count]))])
            tiff.next = [0: 3]
            return tiff.build()
        }
        return block(block(0).count) + thumbnail
    }

    /// A TIFF structure whose directories point to pictures behind it, by these tags of offset and length.
    private func tiff(_ pictures: [[UInt8]], _ offsetTag: UInt16, _ lengthTag: UInt16, magic: Int = 42) -> [UInt8] {
        func build(_ start: Int) -> [UInt8] {
            var place = start
            var tiff = TIFFBuilder(
                magic: magic, folders: [[(0x0112, .short([8])), (0x014A, .directories(Array(1...pictures.count)))]])
            for picture in pictures {
                tiff.folders.append([
                    (0x0103, .short([6])), (offsetTag, .long([place])), (lengthTag, .long([picture.count])),
                ])
                place += picture.count
            }
            return tiff.build()
        }
        return build(build(0).count) + pictures.flatMap { $0 }
    }

    @Test func aJPEGHasItselfAndItsThumbnail() throws {
        let bytes = JPEGBuilder.camera(exif()).build(), places = try found(bytes)
        #expect(places.places.map(\.kind) == [.thumbnail, .whole] && places.orientation == 6)
        #expect(try pictures(bytes) == [thumbnail, bytes])
        #expect(
            places.width == 6000 && places.height == 4000 && places.places[0].width == 160
                && places.places[0].height == 120)
    }

    @Test func furtherPicturesOfAnIndexAreFound() throws {
        func file(_ offset: Int) -> [UInt8] {
            let list =
                be32(0) ++ be32(100) ++ be32(0) ++ be32(0) ++ be32(0) ++ be32(preview.count) ++ be32(offset) ++ be32(0)
            let index = TIFFBuilder(order: .big, folders: [[(0xB002, .bytes(list))]]).build()
            var jpeg = JPEGBuilder.camera()
            jpeg.segments.append((0xE2, ascii("MPF\0") ++ index))
            return jpeg.build()
        }
        let first = file(1), start = try #require(Bytes(first).index(of: ascii("MPF\0"))) + 4
        let bytes = file(first.count - start) + preview
        #expect(try pictures(bytes) == [preview, bytes])
        #expect(try found(bytes).places.map(\.kind) == [.preview, .whole])
    }

    @Test(arguments: [42, 0x4F52]) func directoriesOfTIFFPointToPictures(_ magic: Int) throws {
        for (offset, length) in [(0x0201, 0x0202), (0x0111, 0x0117)] as [(UInt16, UInt16)] {
            let bytes = tiff([preview, thumbnail], offset, length, magic: magic)
            #expect(try pictures(bytes) == [thumbnail, preview])
            #expect(try found(bytes).orientation == 8)
        }
    }

    /// RAW data that is coded as JPEG without loss, or with more than 8 bits, is no picture for looking.
    @Test func sensorDataIsNoPicture() throws {
        var lossless = preview, deep = preview
        let head = try #require(Bytes(preview).index(of: [0xFF, 0xC0]))
        lossless[head + 1] = 0xC3
        deep[head + 4] = 12
        for picture in [lossless, deep, Array(preview.dropFirst()), zeros(300)] {
            #expect(try found(tiff([picture], 0x0111, 0x0117)).places.isEmpty)
        }
    }

    @Test func aPictureThatIsCutOffCountsUpToThere() throws {
        let whole = tiff([preview], 0x0201, 0x0202), bytes = Array(whole.dropLast(40))
        #expect(try pictures(bytes) == [Array(preview.dropLast(40))])
    }

    @Test func rawFilesAroundAJPEG() throws {
        let jpeg = JPEGBuilder.camera(exif()).build()
        for bytes in [raf(jpeg), rw2(jpeg), x3f(jpeg)] {
            #expect(try pictures(bytes) == [thumbnail, jpeg])
            #expect(try found(bytes).orientation == 6)
        }
        #expect(try pictures(crw(ciffHeap([(0x2007, preview), (0x2008, thumbnail)]))) == [thumbnail, preview])
    }

    @Test func boxesHoldThumbnailAndPreview() throws {
        let still = heif(exif())
        #expect(try pictures(still) == [thumbnail, still] && found(still).places.map(\.coding) == [.jpeg, .heif])
        let small = box("THMB", zeros(4) ++ be16(160) ++ be16(120) ++ be32(thumbnail.count) ++ zeros(4) ++ thumbnail)
        let head = box(
            "CMT1",
            TIFFBuilder(folders: [[(0x0112, .short([3])), (0x0100, .long([6000])), (0x0101, .long([4000]))]]).build())
        let large = uuidBox(
            [0xEAF4_2B5E_1C98_4B88, 0xB9FB_B7DC_406E_4D16], be32(0) ++ be32(1) ++ box("PRVW", zeros(16) ++ preview))
        let inner = uuidBox([0x85C0_B687_820F_11E0, 0x8111_F4CE_462B_6A48], head ++ small)
        let bytes = MovieBuilder(brand: "crx ", extra: inner, top: large, frames: 200).build()
        let places = try found(bytes)
        #expect(try pictures(bytes) == [thumbnail, preview])
        #expect(places.orientation == 3 && places.width == 6000 && places.height == 4000)
    }

    @Test func otherFilesHaveNone() throws {
        for bytes in [[], ascii("text"), png([]), gif(), wav(broadcast: true), MovieBuilder().build()] {
            #expect(try found(bytes) == PreviewPlaces())
        }
    }

    @Test func circlesAndCrowdsEnd() throws {
        var tiff = TIFFBuilder.camera()
        tiff.next = [0: 0]
        #expect(try found(JPEGBuilder.camera(tiff.build()).build()).places.count == 1)
        let crowd = (0..<15).map { _ in thumbnail }
        #expect(try found(self.tiff(crowd, 0x0201, 0x0202)).places.count == 15)
        let entries = (1...60).flatMap { (offset: Int) -> [UInt8] in be32(0) ++ be32(300) ++ be32(offset) ++ be32(0) }
        let list = zeros(16) ++ entries
        var jpeg = JPEGBuilder.camera()
        jpeg.segments.append(
            (0xE2, ascii("MPF\0") ++ TIFFBuilder(order: .big, folders: [[(0xB002, .bytes(list))]]).build()))
        #expect(try found(jpeg.build()).places.count <= PreviewSearch.placeLimit)
    }

    /// Whatever a file says, each place lies inside it.
    @Test(arguments: seeds.indices) func damagedFilesNameNoPlaceOutside(_ index: Int) throws {
        var random = SeededGenerator(state: UInt64(index) &* 104_729 &+ 5)
        let seed = seeds[index].bytes
        for _ in 0..<100 {
            var bytes = seed
            for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let size = UInt64(bytes.count), places = try found(bytes)
            #expect((1...8).contains(places.orientation))
            #expect(
                places.places.allSatisfy {
                    $0.offset <= size && $0.length <= size - $0.offset && $0.length > 0 && $0.width > 0
                })
        }
    }
}
