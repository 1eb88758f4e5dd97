import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import Testing

@testable import FilmgateEngine

/// `copies: 2` asks for two copies of the file that the camera wrote.
@Suite struct CopyCountTests {
    private struct TwoPlaces: LedgerStandIn {
        let asset: AssetRow, rows: [DeliveryRow]
        func assets(sha256: String) async throws(IngestError) -> [AssetRow] { [asset] }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] { rows }
    }

    @Test(arguments: [true, false]) func aStampedCopyCountsForNone(isStamped: Bool) async throws {
        let verdict = try await finding(isStamped: isStamped).verdict
        #expect((verdict == .proven) == !isStamped, "\(verdict)")
    }

    /// Whoever was not asked now is told of, also where nobody ordered its copy here.
    @Test(arguments: [["near", "far"], ["near"]]) func anEarlierWordIsToldAsOne(wanted: [String]) async throws {
        let finding = try await finding(wanted: wanted)
        #expect(finding.verdict == .proven && finding.believed == ["far"])
        #expect(finding.copies.count == 1 && finding.copies.first?.hasSuffix("/archive/A.JPG") == true)
    }

    /// Behind the copy on the card's own device are too few, or enough: told at once.
    @Test(
        .enabled(if: !FileSystem.isInMemory(NSTemporaryDirectory())),
        arguments: [(2, ["near", "far"], 0), (2, ["near"], 0), (3, ["near", "far"], 1)])
    func whatIsMissingBehindTheFirstNoIsKnown(copies: Int, _ wanted: [String], _ lacks: Int) async throws {
        let finding = try await finding(wanted: wanted, copies: copies, allowance: [])
        guard case .problem(let words, .allowSameDevice) = finding.verdict else {
            Issue.record("It is not the device that is told: \(finding.verdict).")
            return
        }
        #expect(words.hasPrefix("near: ") && finding.lacks == lacks, "\(words)")
        // A copy elsewhere does not stand for it where the file is for both.
        let isTold = words.contains("; it is proven at far, and has to be at each target that it is for")
        #expect(isTold == wanted.contains("far"), "\(words)")
    }

    @Test func theFolderThatCountsIsNamed() async throws {
        let finding = try await finding(wanted: ["near", "far"], copies: 3)
        guard case .problem(let words, .copyElsewhere) = finding.verdict else {
            Issue.record("It is not the count that is told: \(finding.verdict).")
            return
        }
        #expect(words.contains("on 1 device (") && words.hasSuffix("/archive) and at a target"), "\(words)")
        #expect(finding.lacks == 1)
    }

    private func finding(
        isStamped: Bool = false, wanted: [String] = ["near", "far"], copies: Int = 2,
        allowance: CardProof.Allowance = .sameDevice
    ) async throws -> CardProof.Finding {
        let folder = NSTemporaryDirectory() + "copies-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["CARD", "archive"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
            try Data("test".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)/A.JPG"))
        }
        let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        let stamped = String(repeating: "b", count: 64)
        let origin = Origin(source: "card", volume: "v", root: folder + "/CARD", path: "A.JPG", size: 4, modified: 0)
        var asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"), at: 1)
        (asset.content, asset.wanted, asset.ending) = (ContentKey(sha256: sha256), wanted, .delivered)
        func row(_ target: String, _ path: String?, _ digest: String) -> DeliveryRow {
            let receipt = Receipt(state: .done, path: path, sha256: digest, verified: .server, at: 1)
            return DeliveryRow(
                content: ContentKey(sha256: sha256), target: target, targetName: target, receipt: receipt, size: 4,
                path: "A.JPG")
        }
        let rows = [row("near", folder + "/archive/A.JPG", sha256), row("far", nil, isStamped ? stamped : sha256)]
        let proof = CardProof(
            reader: TwoPlaces(asset: asset, rows: rows), proofTargets: nil, allowance: allowance, copies: copies,
            exemptions: .init { _ in false }
        )
        let entry = SourceEntry(origin: origin, kind: .jpeg, shot: asset.shot)
        return try await proof.examine(entry, at: folder + "/CARD/A.JPG")
    }
}
