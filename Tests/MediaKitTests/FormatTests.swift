import FilmgateCore
import Testing

@testable import MediaKit

@Suite struct FormatTests {
    private let exif = TIFFBuilder.camera().build()

    /// The facts that every seed with a camera's Exif block must give.
    private func expectCamera(
        _ facts: MediaFacts, serial: String? = "0012345", _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(facts.make == "Acme" && facts.model == "A-1" && facts.serial == serial, sourceLocation: place)
        #expect(facts.captured?.description == "2026-05-01T12:30:05.25+02:00", sourceLocation: place)
        #expect(facts.iso == 400 && facts.exposureTime == Rational(1, 250), sourceLocation: place)
    }

    @Test(arguments: [(42, Endian.little), (42, .big), (0x4F52, .little), (0x5352, .big)])
    func rawInTIFF(_ magic: Int, _ order: Endian) {
        let result = reading(
            tiffRAW(magic: magic, order: order, xmp: xmpPacket(attributes: #"xmp:Rating="2""#)), "A.ORF")
        expectCamera(result.facts, serial: "D-77")
        #expect(
            result.facts.width == 6048 && result.facts.height == 4024 && result.facts.rating == 2
                && result.flags.isEmpty)
        #expect(result.completeness == .complete)
    }

    @Test func directoriesMayLieAnywhere() { expectCamera(reading(tiffRAW(gap: 300_000)).facts, serial: "D-77") }

    @Test func bigTIFF() {
        func entry(_ tag: Int, _ format: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            be16(tag) ++ be16(format) ++ be64(count) ++ value ++ zeros(8 - value.count)
        }
        let entries =
            entry(0x0100, 3, 1, be16(320)) ++ entry(0x0101, 3, 1, be16(200)) ++ entry(0x010F, 2, 5, ascii("Acme\0"))
        let facts = reading(ascii("MM") ++ be16(43) ++ be16(8) ++ be16(0) ++ be64(16) ++ be64(3) ++ entries ++ be64(0))
            .facts
        #expect(facts.make == "Acme" && facts.width == 320 && facts.height == 200)
    }

    @Test func rawAroundAJPEG() {
        let jpeg = JPEGBuilder.camera().build()
        let first = reading(raf(jpeg), "A.RAF")
        expectCamera(first.facts)
        #expect(
            first.facts.width == 6000 && first.facts.height == 4000 && first.completeness == .complete
                && first.flags.isEmpty)
        let second = reading(rw2(jpeg), "A.RW2")
        expectCamera(second.facts)
        #expect(second.facts.width == 4000 && second.facts.height == 3000 && second.flags.isEmpty)
    }

    @Test func blocksOfMRW() {
        let result = reading(mrw(TIFFBuilder.camera(.big).build()), "A.MRW")
        expectCamera(result.facts)
        #expect(result.facts.width == 40 && result.facts.height == 20 && result.completeness == .complete)
    }

    @Test func heapsOfCIFF() {
        let result = reading(crw(), "A.CRW")
        let facts = result.facts
        #expect(facts.make == "Acme" && facts.model == "A-1" && facts.owner == "Ann" && facts.serial == "0560018150")
        #expect(
            facts.captured?.description == "2026-05-01T12:30:05+02:00" && facts.width == 3072 && facts.height == 2048)
        #expect(result.flags.isEmpty && result.completeness == .complete)
    }

    @Test func propertiesOfX3F() {
        let facts = reading(x3f(JPEGBuilder.camera().build()), "A.X3F").facts
        #expect(facts.make == "Acme" && facts.model == "A-1" && facts.serial == "02001234" && facts.iso == 200)
        #expect(facts.captured?.description == "2001-01-01T00:36:35" && facts.width == 2268 && facts.height == 1512)
        #expect(facts.lensModel == "50mm F1.8")
        #expect(["0", "-5", "99999999999"].allSatisfy { reading(x3f(iso: $0), "A.X3F").facts.iso == nil })
    }

    @Test func packedAndReversedHeaders() {
        expectCamera(reading(eip(tiffRAW()), "A.EIP").facts, serial: "D-77")
        let facts = reading(reversedRAW(), "A.RAW").facts
        #expect(
            facts.model == "N DIGITAL" && facts.captured?.description == "2026-05-01T12:30:05"
                && facts.focalLength == Rational(55, 1))
    }

    @Test(arguments: ["heic", "avif", "mif1"]) func picturesInBoxes(_ brand: String) {
        let result = reading(heif(exif, xmp: xmpPacket(attributes: #"xmp:Rating="4""#), brand: brand), "A.HEIC")
        expectCamera(result.facts)
        #expect(result.facts.width == 4032 && result.facts.height == 3024 && result.facts.rating == 4)
        #expect(result.kindByContent == .heif && result.flags.isEmpty && result.completeness == .complete)
    }

    @Test(arguments: ["a.cr3", "a.webp", "a.png", "b.png", "a.psd", "a.jxl", "a.exv"]) func blocksInOtherContainers(
        _ name: String
    ) throws {
        let seed = try #require(seeds.first { $0.name == name })
        let result = reading(seed.bytes, name)
        expectCamera(result.facts)
        #expect(result.flags.isEmpty, "\(result.flags)")
    }

    @Test func directoriesOfCR3AreToldApart() throws {
        let facts = reading(try #require(seeds.first { $0.name == "a.cr3" }).bytes, "A.CR3").facts
        #expect(facts.position != nil && facts.artist == "Ann" && facts.owner == "Owner" && facts.rating == 4)
    }

    @Test func memosAndOldClips() {
        #expect(reading(wav(broadcast: true), "A.WAV").facts.captured?.description == "2026-05-01T12:30:05")
        let memo = reading(wav(broadcast: false), "A.WAV").facts
        #expect(
            memo.captured?.description == "2026-05-01T12:30:05.0" && memo.make == "Acme" && memo.model == "A-1"
                && memo.duration == 0.5)
        let clip = reading(avi(), "A.AVI").facts
        #expect(
            clip.captured?.description == "2026-05-01T12:30:05" && clip.make == "Acme" && clip.width == 640
                && clip.duration == 2)
        #expect(reading(avi(time: "2026/ 5/ 1 12:30PM\0")).facts.captured?.description == "2026-05-01T12:30:00")
        #expect(reading(avi(time: "2026/05/01/ 12:30")).facts.captured?.description == "2026-05-01T12:30:00")
        #expect(reading(dv(), "A.DV").facts.captured?.description == "2026-05-01T12:30:05")
    }

    /// Knows the number that a clip bears.
    private struct Numbers: MakerNoteReader {
        let clipMakes: [Int: String]
        func reads(make: String) -> Bool { false }
        func facts(in note: MakerNote, model: String) -> MediaFacts { MediaFacts() }
    }

    @Test(arguments: [true, false]) func transportStreams(_ stamped: Bool) {
        let bytes = transportStream(stamped: stamped), facts = reading(bytes, "A.MTS").facts
        #expect(
            facts.captured?.description == "2026-05-01T12:30:05+02:00" && facts.model == "ILCE-7M3" && facts.make == nil
        )
        #expect(facts.exposureTime == Rational(1, 50) && facts.fNumber == Rational(63, 10))
        #expect(facts.width == 1920 && facts.height == 1080)
    }

    /// Profiles go by make: a clip that bears a number in its place is as good as one that spells it.
    @Test func theMakeOfAClipIsANumber() {
        let makers = [Numbers(clipMakes: [0x0103: "Other"]), Numbers(clipMakes: [0x0108: "Acme"])]
        let facts = MediaReader.read(MemorySource(transportStream()), name: "A.MTS", makers: makers)?.facts
        #expect(facts?.make == "Acme" && facts?.model == "ILCE-7M3")
    }

    @Test func sizesOfVideoStreams() throws {
        let small = try #require(VideoSequence.pixelSize(in: Bytes([9, 0, 0, 1] + sequence(1280))))
        #expect(small.width == 1280 && small.height == 720)
        let tape = try #require(VideoSequence.pixelSize(in: Bytes([0, 0, 1, 0xB3, 0x5A, 0x04, 0x38, 0x13])))
        #expect(tape.width == 1440 && tape.height == 1080)
        // Every cut and every changed byte ends in some size or none.
        for length in sequence(1920).indices {
            _ = VideoSequence.pixelSize(in: Bytes([0, 0, 1] + sequence(1920).prefix(length)))
        }
        for index in sequence(1920).indices.dropFirst() {
            for value in UInt8.min...UInt8.max {
                var bytes = [0, 0, 1] + sequence(1920)
                bytes[3 + index] = value
                let size = VideoSequence.pixelSize(in: Bytes(bytes))
                #expect(size.map { (1...65_536).contains($0.width) && (1...65_536).contains($0.height) } ?? true)
            }
        }
    }

    @Test func sizesOfPlainPictures() {
        let pictures = [
            (bmp(), "A.BMP"), (bmp(height: -200), "A.BMP"), (bmp(old: true), "A.BMP"), (gif(), "A.GIF"),
            (jxlStream, "A.JXL"), (box("JXL ", zeros(4)) ++ box("jxlp", be32(0) ++ jxlStream), "B.JXL"),
        ]
        for (bytes, name) in pictures {
            let result = reading(bytes, name), size = name.hasSuffix("JXL") ? (200, 130) : (320, 200)
            #expect(result.facts.width == size.0 && result.facts.height == size.1 && result.flags.isEmpty, "\(name)")
        }
        // Two letters are no picture.
        #expect(FileSignature.format(of: ascii("BMW owners' meeting, all of them")) == nil)
        let edges = [(0x7FFF_FFFF, -0x8000_0000), (0, 0), (-1, 1)]
        for (width, height) in edges {
            let facts = reading(
                ascii("BM") ++ zeros(12) ++ le32(40) ++ le32(width & 0xFFFF_FFFF) ++ le32(height & 0xFFFF_FFFF)
            ).facts
            #expect(facts.width == nil && facts.height == nil)
        }
    }

    @Test func clipsOfBigCameras() {
        let clip = reading(r3d(), "A.R3D").facts
        #expect(
            clip.captured?.description == "2026-05-01T12:30:05" && clip.model == "A-1" && clip.serial == "130-246"
                && clip.width == 5120)
        for (bytes, name) in [(mxf(), "A.MXF"), (matroska(), "A.MKV")] {
            let result = reading(bytes, name)
            #expect(result.facts.captured?.unixSeconds == 1_777_631_405 && result.flags == ["zone-assumed"], "\(name)")
        }
        #expect(reading(matroska()).facts.duration == 5)
    }
}
