import FilmgateCore
import Foundation
import Testing

@testable import FilmgateEngine

/// What stages throw: about the one file, or about the disk.
@Suite final class LineTests: Sendable {
    private let folder = NSTemporaryDirectory() + "line-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Makes a rendition of a shot's first file and fails over the second.
    private struct Maker: Stage {
        let folder: String, code: IngestError.Code

        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
            guard asset.id == shot.assets[0].id else { throw IngestError(code, "It cannot be made.") }
            let path = folder + "/1.part"
            _ = FileManager.default.createFile(atPath: path, contents: Data([1]))
            let file = LocalFile(path: path, size: 1, ownership: .staged)
            var made = asset
            made.renditions["gallery"] = Rendition(file: file, digests: Digests(sha256: "1"))
            return .pass(made)
        }
    }

    private static let shot = Shot(
        key: "k",
        assets: ["A.JPG", "B.JPG"].map { name in
            let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 7)
            return Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "k", stem: "A"))
        })

    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    /// Nor does a ledger that does not answer.
    @Test(arguments: [IngestError.Code.storageFull, .cancelled, .stateLocked, .unexpected])
    func aFullDiskDecidesNothing(
        _ code: IngestError.Code
    ) async throws {
        let line = Line(stages: [Maker(folder: folder, code: code)])
        let result = await Result { () async throws(IngestError) in try await line.pass(Self.shot) }
        guard case .failure(let error) = result else { throw IngestError(.unexpected, "It decided: \(result)") }
        #expect(error.code == code)
        #expect(files.isEmpty)
    }

    @Test func whatIsWrongWithOneFileSetsThatAside() async throws {
        let passed = try await Line(stages: [Maker(folder: folder, code: .unreadable)]).pass(Self.shot)
        guard case .finish(.setAside, _, _) = passed[1].decision else { throw IngestError(.unexpected, "It went on.") }
        #expect(passed[0].asset.renditions["gallery"] != nil && files == ["1.part"])
    }
}
