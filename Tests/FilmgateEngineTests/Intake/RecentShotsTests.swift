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
        let place: SourcePlace, volume = "v", parallelFetches = 1, keepsRefused = true
        init(_ root: String) { place = SourcePlace(source: "folder", address: root, label: "Hot") }
        func entries() async throws(IngestError) -> [SourceEntry] { [] }
        func localPath(_ origin: Origin) -> String? { origin.absolutePath }
        func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {}
        func close() async {}

        func asset(_ name: String) throws -> Asset {
            let facts = try #require(try FileFacts.of(place.address + "/" + name))
            let origin = Origin(
                source: "folder", volume: volume, root: place.address, path: name, size: facts.size,
                modified: facts.modified)
            return Asset(origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "a", stem: "A"))
        }
    }

    /// A rating that comes late is heard: each frame is given out once, so that nothing goes round, and only as it was.
    @Test(arguments: [false, true]) func aSidecarFindsTheFrameThatWasRefused(_ isChanged: Bool) async throws {
        let root = FileManager.default.temporaryDirectory.path + "/filmgate-recent-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        for name in ["A.JPG", "A.XMP"] { try Data([7]).write(to: URL(filePath: root + "/" + name)) }
        let folder = Folder(root), recent = RecentShots()
        let frame = try folder.asset("A.JPG"), sidecar = try folder.asset("A.XMP")
        await recent.note(refused: frame)
        let entry = SourceEntry(origin: sidecar.origin, kind: sidecar.kind, shot: sidecar.shot)
        let work = ShotWork(entries: [entry], known: [:], settled: [])
        let read = [Passed(asset: sidecar, decision: .deliver(to: ["gallery"]))]
        if isChanged { try Data([7, 8]).write(to: URL(filePath: root + "/A.JPG")) }
        let again = await recent.again(after: work, read, in: folder)
        let once = await recent.again(after: work, read, in: folder)
        #expect(again?.members.map(\.entry.origin.name) == (isChanged ? nil : ["A.JPG"]))
        #expect(once == nil && again?.beside.count == (isChanged ? nil : 1))
    }
}
