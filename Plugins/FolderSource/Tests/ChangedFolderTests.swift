import FilmgateCore
import FolderSource
import Foundation
import Glibc
import Testing

/// Other things come to lie where the folder, or a file of it, lay.
@Suite struct ChangedFolderTests {
    /// No event tells that a folder above was renamed, or that a disk was mounted here.
    @Test func anotherFolderUnderTheSameNameEndsTheNews() async throws {
        let above = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-hot-\(UUID().uuidString)")
            .path
        defer { for path in [above, above + "-away"] { try? FileManager.default.removeItem(atPath: path) } }
        let hot = try await HotFolder(at: above + "/hot")
        try FileManager.default.moveItem(atPath: above, toPath: above + "-away")
        try FileManager.default.createDirectory(atPath: above + "/hot", withIntermediateDirectories: true)
        try hot.put("a.jpg")
        #expect(await hot.next() == nil)
        await hot.close()
    }

    @Test func aPlaceIsNotOpenedWhereAnotherFolderLiesByNow() async throws {
        let hot = try await HotFolder()
        try FileManager.default.moveItem(atPath: hot.path, toPath: hot.path + "-away")
        defer { try? FileManager.default.removeItem(atPath: hot.path + "-away") }
        try FileManager.default.createDirectory(atPath: hot.path, withIntermediateDirectories: true)
        await #expect(throws: IngestError.self) { _ = try await hot.source.open(hot.session.place) }
        let place = try #require(try await hot.source.places().first)
        #expect(place.visit != hot.session.place.visit)
        let session = try await hot.source.open(place)
        await session.close()
        await hot.close()
    }

    /// Written in place, and given the size and time of the file before.
    @Test func otherBytesWithTheSameSizeAndTimeAreTaken() async throws {
        let hot = try await HotFolder(["a.jpg": HotFolder.jpeg(1)]) { $0.rescan = .seconds(1) }
        #expect(hot.listed.count == 1)
        let path = hot.path + "/a.jpg", file = try #require(FileHandle(forWritingAtPath: path))
        var facts = stat()
        #expect(stat(path, &facts) == 0)
        try file.write(contentsOf: HotFolder.jpeg(2))
        try file.close()
        #expect(utimensat(AT_FDCWD, path, [facts.st_atim, facts.st_mtim], 0) == 0)
        #expect(await hot.names(1) == ["a.jpg"])
        await hot.close()
    }

    @Test func aFileWhoseFolderWasRenamedIsNotSetAside() async throws {
        let hot = try await HotFolder()
        try hot.put("one/a.jpg")
        let entry = try #require(await hot.next())
        try FileManager.default.moveItem(atPath: hot.path + "/one", toPath: hot.path + "/two")
        #expect(await hot.names(1) == ["two/a.jpg"])
        guard case .filtered = try await hot.session.fate(of: entry.origin, after: IngestError(.notFound, "gone"))
        else {
            Issue.record("set aside")
            return
        }
        await hot.close()
    }

    @Test func aPictureThatStillHasTheNameOfAFileInTheMakingIsUnfinished() async throws {
        let hot = try await HotFolder([
            "a.jpg.part": HotFolder.jpeg(1), "notes.txt.part": Data("x".utf8), "b.jpg": HotFolder.jpeg(2),
        ])
        let left = await hot.session.unfinished()
        #expect(
            left.map(\.entry.origin.path) == ["a.jpg.part"] && left.first?.reason.contains("still being made") == true)
        await hot.close()
    }
}
