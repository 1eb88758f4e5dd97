import FilmgateCore
import Testing

@testable import FilmgateSample

@Suite struct SampleCardTests {
    @Test func sameSeedSameCard() throws {
        let (one, two, other) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        let written = try SampleCard.write(to: one.path, width: 64)
        _ = try SampleCard.write(to: two.path, width: 64)
        _ = try SampleCard.write(to: other.path, seed: 2, width: 64)
        let files = try one.files()
        #expect(try files == two.files())
        #expect(try files.keys == other.files().keys)
        #expect(try files["DCIM/100CANON/IMG_0001.JPG"] != other.bytes(of: "DCIM/100CANON/IMG_0001.JPG"))
        #expect(written.files == files.count)
        #expect(written.bytes == UInt64(files.values.reduce(0) { $0 + $1.count }))
    }

    @Test func holdsEveryKindOnce() throws {
        let folder = try TemporaryFolder()
        _ = try SampleCard.write(to: folder.path, width: 64)
        let names = try folder.files().keys
        let kinds = Set(names.map { MediaKind(fileName: $0) })
        #expect(kinds == [.jpeg, .raw, .heif, .video, .audio, .sidecar, .other])
        #expect(Frame.wedding.count == 7)
    }

    @Test func oneFrameStandsThereTwice() throws {
        let folder = try TemporaryFolder()
        _ = try SampleCard.write(to: folder.path, width: 64)
        let groups = Dictionary(
            grouping: try folder.files().filter { $0.key.hasSuffix(".JPG") && !$0.key.contains("/._") }, by: \.value)
        let twins = groups.values.filter { $0.count > 1 }
        #expect(twins.map { $0.map(\.key).sorted() } == [["DCIM/101ND850/DSC_0102.JPG", "DCIM/101ND850/DSC_0103.JPG"]])
    }

    @Test func onlyOnePictureIsCut() throws {
        let folder = try TemporaryFolder()
        _ = try SampleCard.write(to: folder.path, width: 64)
        let pictures = try folder.files().filter { $0.value.starts(with: [0xFF, 0xD8]) }
        #expect(pictures.filter { $0.value.suffix(2) != [0xFF, 0xD9] }.map(\.key) == ["DCIM/102MSDCF/DSC00203.JPG"])
    }

    @Test func neverMixesWithOtherFiles() throws {
        let folder = try TemporaryFolder()
        _ = try SampleCard.write(to: folder.path, width: 64)
        let before = try folder.files()
        #expect { try SampleCard.write(to: folder.path, width: 64) } throws: {
            ($0 as? IngestError)?.code == .misconfigured
        }
        #expect(try folder.files() == before)
    }

    @Test func widthHasLimits() throws {
        let folder = try TemporaryFolder()
        #expect { try SampleCard.write(to: folder.path, width: 8) } throws: {
            ($0 as? IngestError)?.code == .misconfigured
        }
    }
}
