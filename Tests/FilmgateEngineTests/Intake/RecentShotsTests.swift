import FileKit
import FilmgateCore
import Foundation
import Testing

@testable import FilmgateEngine

/// What an open source remembers of the shots that it gave last.
@Suite struct RecentShotsTests {
    private let picture: Asset = {
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 0)
        return Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
    }()

    /// The picture waits in the order of the source until its sidecar has been named: waiting for it would never end.
    @Test(.timeLimit(.minutes(1))) func aSidecarDoesNotWaitForAPictureThatComesLater() async {
        let recent = RecentShots()
        await recent.began("a", 1)
        let lead = await recent.lead(of: "a", before: 0)
        #expect(lead == nil)
        await recent.ended("a", 1, lead: picture)
        let later = await recent.lead(of: "a", before: 2)
        #expect(later?.id == picture.id)
    }

    @Test(.timeLimit(.minutes(1))) func aSidecarWaitsForThePictureBeforeIt() async {
        let recent = RecentShots()
        await recent.began("a", 0)
        await recent.began("a", 2)
        async let lead = recent.lead(of: "a", before: 1)
        await recent.ended("a", 0, lead: picture)
        let found = await lead
        #expect(found?.id == picture.id)
        await recent.ended("a", 2, lead: nil)
    }
    /// A hot folder with nothing in it but what a test puts there.
    private struct Folder: SourceSession {
        let place: SourcePlace, volume = "v"
        var traits = SessionTraits(identifiesDevice: true, parallelFetches: 1)
        init(_ root: String) {
            place = SourcePlace(source: "folder", address: root, label: "Hot")
            traits.keepsRefused = true
        }
        func entries() async throws(IngestError) -> [SourceEntry] { [] }
        func localPath(_ origin: Origin) -> String? { origin.absolutePath }
        func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {}
        func close() async {}

        func asset(_ name: String) throws -> Asset {
            let facts = try #require(try FileFacts.of(place.address + "/" + name))
            let origin = Origin(
                source: "folder", volume: volume, root: place.address, path: name, size: facts.size,
                modified: facts.modified, inode: facts.inode, changed: facts.changed)
            return Asset(origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "a", stem: "A"))
        }
    }

    /// What becomes of the frame before its sidecar comes.
    enum Change: CaseIterable {
        case none, written, replaced, protected, linked

        /// In place, or by another file of its size and time; or only what the file system says of it is changed.
        func happen(to file: String) throws {
            let files = FileManager.default, date = try files.attributesOfItem(atPath: file)[.modificationDate]
            switch self {
            case .none: break
            case .written: try Data([7, 8]).write(to: URL(filePath: file))
            case .replaced:
                // The first one is kept, so that its number is not given anew.
                try files.moveItem(atPath: file, toPath: file + ".old")
                try files.copyItem(atPath: file + ".old", toPath: file)
                if let date { try files.setAttributes([.modificationDate: date], ofItemAtPath: file) }
            case .protected: try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file)
            case .linked: try files.linkItem(atPath: file, toPath: file + ".backup")
            }
        }
        var isSame: Bool { [.none, .protected, .linked].contains(self) }
    }

    /// A rating that comes late is heard: each frame is given out once, so that nothing goes round, and only as it was.
    @Test(arguments: Change.allCases) func aSidecarFindsTheFrameThatWasRefused(_ change: Change) async throws {
        let root = FileManager.default.temporaryDirectory.path + "/filmgate-recent-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        for name in ["A.JPG", "A.XMP"] { try Data([7]).write(to: URL(filePath: root + "/" + name)) }
        // A whole second, which every way of setting a time keeps.
        let date = Date(timeIntervalSince1970: 1_600_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: root + "/A.JPG")
        let folder = Folder(root), recent = RecentShots()
        let frame = try folder.asset("A.JPG"), sidecar = try folder.asset("A.XMP")
        await recent.note(refused: frame)
        let entry = SourceEntry(origin: sidecar.origin, kind: sidecar.kind, shot: sidecar.shot)
        let work = ShotWork(entries: [entry], known: [:], settled: [])
        let read = [Passed(asset: sidecar, decision: .deliver(to: ["gallery"]))]
        // The clock of the file system moves in steps.
        try await Task.sleep(for: .milliseconds(20))
        try change.happen(to: root + "/A.JPG")
        let facts = try #require(try FileFacts.of(root + "/A.JPG"))
        #expect((facts.changed == frame.origin.changed) == (change == .none))
        #expect((facts.modified == frame.origin.modified) == (change != .written))
        let again = await recent.again(after: work, read, in: folder)
        let once = await recent.again(after: work, read, in: folder)
        #expect(again?.members.map(\.entry.origin.name) == (change.isSame ? ["A.JPG"] : nil))
        #expect(once == nil && again?.beside.count == (change.isSame ? 1 : nil))
    }
}
