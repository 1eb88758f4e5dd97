import FilmgateCore
import Testing

@testable import FilmgateSample

@Suite struct BulkCardTests {
    @Test func sizesAreExactAndFilesUnique() throws {
        let folder = try TemporaryFolder()
        let written = try SampleCard.bulk(to: folder.path, pairs: 3, jpegSize: 70_001, rawSize: 90_000)
        let files = try folder.files()
        #expect(written == SampleCard.Written(files: 6, bytes: 3 * 160_001))
        #expect(Set(files.values).count == 6)
        #expect(files.allSatisfy { $0.value.count == ($0.key.hasSuffix(".JPG") ? 70_001 : 90_000) })
        #expect(files.keys.sorted().first == "DCIM/100CANON/IMG_0001.CR2")
    }

    @Test func headsAreValid() throws {
        let folder = try TemporaryFolder()
        _ = try SampleCard.bulk(to: folder.path, pairs: 1, jpegSize: 65_536, rawSize: 70_000)
        let raw = try TIFFCheck(folder.bytes(of: "DCIM/100CANON/IMG_0001.CR2"))
        #expect(try raw.chain().count == 2)
        let jpeg = try folder.bytes(of: "DCIM/100CANON/IMG_0001.JPG")
        let check = try JPEGCheck(jpeg)
        #expect(check.width == 6720)
        #expect(!jpeg[check.scanStart..<jpeg.count - 2].contains(0xFF))
        #expect(jpeg.suffix(2) == [0xFF, 0xD9])
    }

    @Test func oneKindCanBeLeftOut() throws {
        let folder = try TemporaryFolder()
        #expect(try SampleCard.bulk(to: folder.path, pairs: 2, jpegSize: 65_536, rawSize: 0).files == 2)
    }

    @Test(arguments: [(0, UInt64(65_536)), (1, 100), (1, 5_000_000_000)])
    func limits(_ pairs: Int, _ size: UInt64) throws {
        let folder = try TemporaryFolder()
        #expect { try SampleCard.bulk(to: folder.path, pairs: pairs, jpegSize: size, rawSize: 0) } throws: {
            ($0 as? IngestError)?.code == .misconfigured
        }
    }
}
