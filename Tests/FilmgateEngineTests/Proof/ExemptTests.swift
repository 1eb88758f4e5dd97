import FilmgateCore
import FilmgateTesting
import Foundation
import Testing

@testable import FilmgateEngine

/// Files that need no copy by their names, and cannot be looked at.
@Suite struct ExemptTests {
    private struct Blank: LedgerStandIn {}

    /// One such file is a no of its own; the rest of the card still gets its answer.
    @Test(arguments: [SourceEntry.Fate.filtered("junk: Windows' thumbnails"), .take]) func whatCannotBeLookedAtIsANo(
        fate: SourceEntry.Fate
    ) async throws {
        let path = NSTemporaryDirectory() + "exempt-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let proof = CardProof(
            reader: Blank(), proofTargets: nil, allowance: [],
            exemptions: .init(
                isHousekeeping: { _ in true },
                disguise: { _ throws(IngestError) in throw IngestError(.unreadable, "Bad sector.") }))
        let origin = Origin(
            source: "card", volume: "v", root: "/", path: String(path.dropFirst()), size: 1, modified: 0)
        let finding = try await proof.examine(
            SourceEntry(origin: origin, kind: .other, shot: ShotPlace(key: "a", stem: "a"), fate: fate), at: path)
        let isNo = if case .problem = finding.verdict { true } else { false }
        #expect(isNo, "\(finding.verdict)")
    }

    /// What cannot be looked into is told with a trash, and blocks the answer with any other junk: a folder that cannot
    /// be entered, and a file in it whose head cannot be read.
    @Test(arguments: ["junk: the Mac's trash", "junk: the Mac's record of changes"], [true, false])
    func whatCannotBeLookedIntoIsTold(reason: String, isFolder: Bool) async throws {
        let path = NSTemporaryDirectory() + "exempt-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        // More folders below each other than are entered.
        let below = isFolder ? Array(repeating: "a", count: 70).joined(separator: "/") : "a"
        try FileManager.default.createDirectory(atPath: path + "/" + below, withIntermediateDirectories: true)
        if !isFolder { try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/a/IMG_1.JPG")) }
        let proof = CardProof(
            reader: Blank(), proofTargets: nil, allowance: [],
            exemptions: .init(
                isHousekeeping: { _ in false },
                disguise: { _ throws(IngestError) in throw IngestError(.unreadable, "Bad sector.") }))
        let origin = Origin(
            source: "card", volume: "v", root: "/", path: String(path.dropFirst()), size: 0, modified: 0)
        let finding = try await proof.examine(
            SourceEntry(
                origin: origin, kind: .other, shot: ShotPlace(key: "a", stem: "a"), fate: .filtered(reason)), at: path)
        switch finding.verdict {
        case .exempt(let words) where reason.hasSuffix("trash"):
            #expect(words.contains("cannot be looked into: a/"), "\(words)")
        case .problem(let words, let remedy):
            #expect(!reason.hasSuffix("trash") && words.contains("cannot be looked into: a/"), "\(words)")
            #expect(remedy == .letLook)
        default: Issue.record("\(finding.verdict)")
        }
    }

    /// What lies below a mount is not seen: no rule of a pipeline leaves it out.
    @Test func aMountOverAPartOfTheCardIsANoWhateverIsLifted() async throws {
        let proof = CardProof(
            reader: Blank(), proofTargets: nil, allowance: .filtered,
            exemptions: .init(isHousekeeping: { _ in false }, disguise: { _ throws(IngestError) in nil }))
        let origin = Origin(source: "card", volume: "v", root: "/", path: "DCIM/101CANON", size: 0, modified: 0)
        let fate = SourceEntry.Fate.filtered("another file system is mounted here; name it as a path of its own")
        let finding = try await proof.examine(
            SourceEntry(origin: origin, kind: .other, shot: ShotPlace(key: "a", stem: "a"), fate: fate),
            at: NSTemporaryDirectory())
        let isNo = if case .problem = finding.verdict { true } else { false }
        #expect(isNo, "\(finding.verdict)")
    }
}
