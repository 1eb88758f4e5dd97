import ExifStage
import FilmgateCore
import Glibc
import Logging
import Testing

@Suite struct ExifStageTests {
    private static func asset(_ name: String, at path: String?) -> Asset {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "DCIM/\(name)", size: 1, modified: 0)
        var asset = Asset(origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "k", stem: "k"))
        asset.file = path.map { LocalFile(path: $0, size: 1, ownership: .staged) }
        return asset
    }

    /// Writes `bytes` as a staged file, runs the stage, removes the file.
    private static func process(_ bytes: [UInt8], _ name: String, complete: Bool = true) async throws -> Asset {
        var template = Array("/tmp/filmgate-exif-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        try #require(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
        return try await run(asset(name, at: path), complete: complete)
    }

    private static func run(_ asset: Asset, complete: Bool = true) async throws -> Asset {
        var config = ExifStage.Config()
        config.complete = complete
        let stage = try ExifStage(config, ModuleContext(name: "exif", logger: Logger(label: "test"), state: ""))
        guard case .pass(let passed) = try await stage.process(asset, of: Shot(key: "k", assets: [asset])) else {
            throw IngestError(.unexpected, "must pass")
        }
        return passed
    }

    private static let packet = Array(
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
        xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
        """.utf8)
    /// Start, an empty quantisation table, a scan, no end.
    private static let cut: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 2, 0xFF, 0xDA, 0, 2, 1, 2, 3]

    @Test func factsAndFlagsAreAdded() async throws {
        let sidecar = try await Self.process(Self.packet, "IMG_1.xmp")
        #expect(sidecar.media?.rating == 4 && sidecar.flags.isEmpty)
        #expect(try await Self.process(Self.cut, "IMG_1.JPG").flags == ["truncated"])
        #expect(try await Self.process(Self.cut, "IMG_1.JPG", complete: false).flags.isEmpty)
    }

    @Test func theCamerasNameCountsNotTheStagedFiles() async throws {
        #expect(try await Self.process(Self.cut + [0xFF, 0xD9], "IMG_1.PNG").flags == ["kind-mismatch"])
    }

    @Test func bytesThatSayNothingGiveEmptyFacts() async throws {
        #expect(try await Self.process([1, 2, 3], "NOTES.TXT").media == MediaFacts())
    }

    @Test func aFileThatIsGoneIsAFailure() async throws {
        let error = await #expect(throws: IngestError.self) {
            try await Self.run(Self.asset("IMG_1.JPG", at: "/tmp/filmgate-no-such-file"))
        }
        #expect(error?.code == .notFound)
        await #expect(throws: IngestError.self) { try await Self.run(Self.asset("IMG_1.JPG", at: nil)) }
    }

    @Test func manifestSaysWhatItNeeds() {
        #expect(ExifStage.manifest.needs == [.file] && ExifStage.manifest.gives == [.media])
    }
}
