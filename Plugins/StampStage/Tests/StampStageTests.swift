import FilmgateCore
import Glibc
import Logging
import StampStage
import Synchronization
import Testing

@Suite struct StampStageTests {
    private static let packet =
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        + "<rdf:Description xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='4'/></rdf:RDF></x:xmpmeta>"

    /// A folder with one original in it; removed afterwards.
    private final class Bench {
        let folder: String
        init() throws {
            var template = Array("/tmp/filmgate-stamp-XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        deinit {
            for name in ["original", "made-1", "made-1.part", "made-2", "made-2.part"] { unlink(folder + "/" + name) }
            rmdir(folder)
        }

        func asset(_ name: String, _ text: String) throws -> Asset {
            let path = folder + "/original", bytes = Array(text.utf8)
            let descriptor = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
            try #require(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
            close(descriptor)
            let origin = Origin(
                source: "card", volume: "v", root: "/card", path: "DCIM/\(name)", size: UInt64(bytes.count), modified: 7
            )
            var asset = Asset(
                origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "k", stem: FileName(name).stem))
            asset.file = LocalFile(path: path, size: origin.size, ownership: .staged)
            return asset
        }

        func read(_ file: LocalFile) -> String {
            let descriptor = open(file.path, O_RDONLY)
            var bytes = [UInt8](repeating: 0, count: 100_000)
            let count = max(0, Glibc.read(descriptor, &bytes, bytes.count))
            close(descriptor)
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    private static func node(_ text: String) -> ConfigNode { ConfigNode(.scalar(text, quoted: true)) }

    private static func config(sidecars: [String] = [], embed: [String] = []) throws -> StampStage.Config {
        var config = StampStage.Config()
        config.rule.creator = Template("{photographer}")
        config.rule.event = Template("{event}")
        config.sidecars = try sidecars.map { try TargetReference(node: node($0)) }
        config.embed = try embed.map { try TargetReference(node: node($0)) }
        return config
    }

    private static func process(
        _ assets: [Asset], _ config: StampStage.Config, in folder: String?, rule: StampRule = StampRule()
    ) async throws -> Asset {
        let stage = try StampStage(config, ModuleContext(name: "stamp", logger: Logger(label: "test"), state: ""))
        var shot = Shot(key: "k", assets: assets)
        let values = TemplateValues(text: ["photographer": "Ann", "event": ""])
        let newFiles: [@Sendable () -> String] = folder.map { folder in [{ folder + "/made-1.part" }] } ?? []
        shot.stamping = Stamping(
            rule: rule, values: Dictionary(uniqueKeysWithValues: assets.map { ($0.id, values) }), newFiles: newFiles)
        guard case .pass(let passed) = try await stage.process(assets[assets.count - 1], of: shot) else {
            throw IngestError(.unexpected, "must pass")
        }
        return passed
    }

    @Test func aFrameGetsASidecarOfItsOwn() async throws {
        let bench = try Bench()
        let passed = try await Self.process(
            [bench.asset("IMG_1.CR3", "raw")], Self.config(sidecars: ["archive"]), in: bench.folder)
        let sidecar = try #require(passed.companions.first)
        #expect(sidecar.name == "IMG_1.xmp" && sidecar.targets == ["archive"] && passed.renditions.isEmpty)
        let text = bench.read(sidecar.rendition.file)
        #expect(text.contains("Ann") && !text.contains("Event"))
        #expect(!sidecar.rendition.file.path.hasSuffix(".part"))
    }

    @Test func namesOfWholeFilesWhereAsked() async throws {
        let bench = try Bench()
        var config = try Self.config(sidecars: ["archive"])
        config.sidecarNames = .file
        let passed = try await Self.process([bench.asset("IMG_1.CR3", "raw")], config, in: bench.folder)
        #expect(passed.companions.first?.name == "IMG_1.CR3.xmp" && passed.companions.first?.sidecarOf == "CR3")
    }

    @Test func theCardsSidecarIsMergedAndNoOtherIsMade() async throws {
        let bench = try Bench()
        let picture = try bench.asset("IMG_1.CR3", "raw"), sidecar = try bench.asset("IMG_1.XMP", Self.packet)
        let passed = try await Self.process([picture, sidecar], Self.config(sidecars: ["archive"]), in: bench.folder)
        let merged = try #require(passed.renditions["archive"])
        #expect(bench.read(merged.file).contains("Rating=\"4\"") && bench.read(merged.file).contains("Ann"))
        let first = try await Self.process([sidecar, picture], Self.config(sidecars: ["archive"]), in: bench.folder)
        #expect(first.companions.isEmpty)
    }

    @Test func whatCannotBeStampedPassesAsItIs() async throws {
        let bench = try Bench()
        let picture = try await Self.process(
            [bench.asset("IMG_1.JPG", "no picture")], Self.config(embed: ["gallery"]), in: bench.folder)
        #expect(picture.renditions.isEmpty && picture.flags == ["unstamped"])
        let sidecar = try await Self.process(
            [bench.asset("IMG_1.XMP", "<broken")], Self.config(sidecars: ["archive"]), in: bench.folder)
        #expect(sidecar.renditions.isEmpty && sidecar.flags == ["unstamped"])
    }

    @Test func aDryRunWritesNothing() async throws {
        let bench = try Bench()
        let dry = try await Self.process([bench.asset("IMG_1.CR3", "raw")], Self.config(sidecars: ["archive"]), in: nil)
        let real = try await Self.process(
            [bench.asset("IMG_1.CR3", "raw")], Self.config(sidecars: ["archive"]), in: bench.folder)
        #expect(dry.companions.first?.rendition.file.path == "")
        #expect(dry.companions.first?.rendition.digests.sha256 == real.companions.first?.rendition.digests.sha256)
    }

    @Test func theProfileWins() async throws {
        let bench = try Bench()
        var rule = StampRule()
        rule.creator = Template("Ben")
        let passed = try await Self.process(
            [bench.asset("A.CR3", "raw")], Self.config(sidecars: ["archive"]), in: bench.folder, rule: rule)
        let text = bench.read(try #require(passed.companions.first).rendition.file)
        #expect(text.contains("Ben") && !text.contains("Ann"))
    }

    @Test func nothingToSayIsNothingToDo() async throws {
        let bench = try Bench()
        var config = try Self.config(sidecars: ["archive"])
        config.rule.creator = nil
        #expect(try await Self.process([bench.asset("A.CR3", "raw")], config, in: bench.folder).companions.isEmpty)
    }

    /// What was made for one target goes when it cannot be made for another one.
    @Test func whatCannotBeMadeForAllLeavesNothing() async throws {
        let bench = try Bench(), config = try Self.config(sidecars: ["archive", "second"])
        let stage = try StampStage(config, ModuleContext(name: "stamp", logger: Logger(label: "test"), state: ""))
        let asset = try bench.asset("IMG_1.XMP", Self.packet), files = Files(bench.folder)
        var shot = Shot(key: "k", assets: [asset])
        shot.stamping = Stamping(
            rule: StampRule(), values: [asset.id: TemplateValues(text: ["photographer": "Ann"])],
            newFiles: [{ files.next() }])
        await #expect(throws: IngestError.self) { try await stage.process(asset, of: shot) }
        #expect(access(bench.folder + "/made-1.part", F_OK) != 0)
    }

    /// Its second file lies in a folder that is not there.
    private final class Files: Sendable {
        private let folder: String, count = Atomic(0)
        init(_ folder: String) { self.folder = folder }
        func next() -> String {
            count.add(1, ordering: .relaxed).newValue == 1 ? folder + "/made-1.part" : folder + "/missing/made-2.part"
        }
    }
}
