import FilmgateCore
import Glibc
import Testing

@testable import MediaKit

@Suite struct HostileTests {
    /// A TIFF structure of one directory with `count` claimed and these raw entries.
    private func directory(_ entries: [[UInt8]], count: Int? = nil, next: Int = 0) -> [UInt8] {
        ascii("II") ++ le16(42) ++ le32(8) ++ le16(count ?? entries.count) ++ entries.flatMap { $0 } + le32(next)
    }

    private func entry(_ tag: Int, _ format: Int, _ count: Int, _ value: Int) -> [UInt8] {
        le16(tag) ++ le16(format) ++ le32(count) ++ le32(value)
    }

    private func inJPEG(_ tiff: [UInt8]) -> [UInt8] { JPEGBuilder.camera(tiff).build() }

    @Test func directoriesInCirclesEnd() {
        let loops = [
            directory([entry(0x010F, 2, 3, 0x4241)], next: 8), directory([entry(0x8769, 4, 1, 8)]),
            directory([entry(0x8769, 4, 1, 8), entry(0x8825, 4, 1, 8), entry(0x014A, 4, 1, 8)], next: 8),
        ]
        for loop in loops {
            #expect(reading(inJPEG(loop)).flags.contains("exif-damaged"))
            #expect(reading(loop).flags.contains("exif-damaged"))
        }
    }

    @Test func hugeCountsAndOffsetsGiveNothing() {
        let blocks = [
            directory([entry(0x010F, 2, 0xFFFF_FFFF, 26)]), directory([entry(0x010F, 2, 100, 0xFFFF_FF00)]),
            directory([entry(0x010F, 5, 0x2000_0001, 8)]), directory([], count: 0xFFFF),
            directory([entry(0x014A, 4, 0x4000_0000, 8)]), ascii("II") ++ le16(42) ++ le32(0xFFFF_FFFF),
            ascii("MM") ++ be16(43) ++ be16(8) ++ be16(0) ++ be64(Int.max),
            ascii("II") ++ le16(42),
        ]
        for block in blocks {
            #expect(reading(block).facts.make == nil && reading(inJPEG(block)).facts.make == nil)
        }
    }

    @Test func brokenBlocksAreFlagged() {
        for block in [ascii("II") ++ le16(42) ++ le32(9000), ascii("XX"), [], directory([entry(0x8769, 4, 1, 60_000)])]
        {
            let result = reading(inJPEG(block))
            #expect(result.flags.contains("exif-damaged") && result.facts.make == nil)
        }
    }

    @Test func tenGigabytesInAKilobyte() {
        let huge = be32(1) ++ ascii("mdat") ++ be64(10_000_000_000) ++ zeros(1000)
        let result = reading(box("ftyp", ascii("qt  ") ++ be32(0)) ++ huge, "A.MOV")
        #expect(result.facts.isEmpty && result.flags == ["truncated"])
        let nested = (0..<5000).reduce([UInt8]()) { inner, _ in box("moov", inner) }
        #expect(reading(box("ftyp", ascii("qt  ") ++ be32(0)) ++ nested).facts.isEmpty)
        let keys = box(
            "moov",
            box("meta", fullBox("hdlr", zeros(20)) ++ fullBox("keys", be32(0x7FFF_FFFF)) ++ box("ilst", zeros(8))))
        #expect(reading(box("ftyp", ascii("qt  ") ++ be32(0)) ++ keys).facts.isEmpty)
    }

    @Test func emptyBoxesAndSegmentsEnd() {
        let boxes = box("ftyp", ascii("heic") ++ be32(0)) ++ [UInt8](repeating: 0, count: 100_000)
        #expect(reading(boxes).facts.isEmpty)
        let empty: [UInt8] = [0xFF, 0xE1, 0, 2]
        let segments: [UInt8] = [0xFF, 0xD8] ++ (0..<30_000).flatMap { _ in empty }
        #expect(reading(segments).facts.isEmpty)
        #expect(reading([0xFF, 0xD8] ++ [UInt8](repeating: 0xFF, count: 100_000)).facts.isEmpty)
    }

    @Test func heapsThatHoldThemselvesEnd() {
        let loop = le16(1) ++ le16(0x2807) ++ le32(16) ++ le32(0) ++ le32(0)
        #expect(reading(crw(loop)).flags.contains("exif-damaged"))
    }

    /// Each would take seconds to minutes without a limit on how often the same bytes are read.
    @Test(.timeLimit(.minutes(5))) func theSameBytesNamedAThousandTimesAreReadFewTimes() {
        let bomb = zlibStored(ascii("\nexif\n1\n") ++ zeros(15_000))
        #expect(
            reading(png((0..<4000).map { _ in ("zTXt", ascii("Raw profile type exif\0") ++ [0] ++ bomb) })).facts.make
                == nil)
        let places: [UInt8] = (0..<4000).flatMap { be16($0) ++ be16(0) ++ be16(1) ++ be32(0) ++ be32(60_000) }
        let entries: [UInt8] = (0..<4000).flatMap {
            fullBox("infe", version: 2, be16($0) ++ be16(0) ++ ascii("Exif") ++ [0])
        }
        let items = fullBox("iinf", be16(4000) ++ entries) ++ fullBox("iloc", be16(0x4400) ++ be16(4000) ++ places)
        #expect(reading(box("ftyp", ascii("heic") ++ be32(0)) ++ fullBox("meta", items)).flags.contains("exif-damaged"))
    }

    @Test func sizesOfNothingAreNotTaken() {
        let frame = ([0x70, 0x01, 0x00, 0x9D, 0x01, 0x2A] as [UInt8]) ++ le16(0) ++ le16(16) ++ zeros(8)
        let facts = reading(riff("WEBP", chunk("VP8 ", frame))).facts
        #expect(facts.width == nil && facts.height == nil)
    }

    @Test func limitsOfTheWindow() {
        struct Endless: ByteSource {
            let size = UInt64(1) << 62
            func read(at offset: UInt64, count: Int) -> [UInt8]? { [UInt8](repeating: 0x41, count: count) }
        }
        let window = ByteWindow(Endless(), budget: 1 << 20, fuel: 1000)
        var got = 0
        for step in 0..<5000 where window.bytes(UInt64(step) << 30, 16) != nil { got += 1 }
        #expect(got < 200 && window.exhausted)
        #expect(window.bytes(0, 16) == nil && window.bytes(.max, 16) == nil)
    }

    @Test func aMediumThatFailsIsAFailure() {
        struct Broken: ByteSource {
            let size = UInt64(1_000_000)
            func read(at offset: UInt64, count: Int) -> [UInt8]? {
                offset == 0 ? JPEGBuilder.camera().build().dropLast(2) ++ zeros(count) : nil
            }
        }
        #expect(MediaReader.read(Broken(), name: nil) == nil)
    }

    @Test func filesThatAreNone() throws {
        for path in ["/tmp", "/dev/null", "/nonexistent/file", "/tmp/\0x"] {
            #expect(throws: (any Error).self) { try MediaReader.read(path: path) }
        }
        let fifo = "/tmp/filmgate-fifo-\(getpid())"
        try #require(mkfifo(fifo, 0o600) == 0)
        defer { unlink(fifo) }
        #expect(throws: (any Error).self) { try MediaReader.read(path: fifo) }
    }

    @Test func namesThatAreNotUnicodeAreOpened() throws {
        let folder = "/tmp/filmgate-names-\(getpid())"
        try #require(mkdir(folder, 0o700) == 0)
        let path: [CChar] = (folder + "/A").utf8CString.dropLast() + [-23, 0x2E, 0x6A, 0x70, 0x67, 0]
        defer { _ = (unlink(path), rmdir(folder)) }
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600), bytes = JPEGBuilder.camera().build()
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
        #expect(try MediaReader.read(path: folder + "/A\u{10FFE9}.jpg").facts.make == "Acme")
    }
}
