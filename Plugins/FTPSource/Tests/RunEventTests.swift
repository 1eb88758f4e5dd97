import FTPKit
import FileKit
import FilmgateCore
import FilmgateLedger
import Foundation
import TestThreads
import Testing

@testable import FTPSource

/// A client was told that its frame is safe, the run ended before it took the frame, and the next run is for another
/// client: the frame stays with the event that it was pushed for.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct RunEventTests {
    /// A folder that a run for "smith" left, with one frame that was acknowledged.
    private func left() async throws -> (folder: String, entry: SourceEntry) {
        let scene = try await PushScene(event: "smith")
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann") && client.store("STOR IMG_1.JPG", PushScene.jpeg(900)) == 226)
        let entry = try #require(await scene.entries(1).first)
        await scene.close(keeping: true)
        return (scene.folder, entry)
    }

    @Test(arguments: ["jones", nil, "smith"]) func whatARunLeftIsForItsEvent(_ next: String?) async throws {
        let scene = try await PushScene(at: try await left().folder, event: next), isSame = next == "smith"
        #expect(scene.listed.map(\.origin.path) == (isSame ? ["ann/IMG_1.JPG"] : []))
        let places = try await scene.source.places()
        #expect(places.map(\.event) == (isSame ? [nil] : [nil, "smith"]))
        if let place = places.last, !isSame {
            let session = try await scene.source.open(place)
            #expect(try await session.entries().map(\.origin.path) == ["ann/IMG_1.JPG"])
            await session.close()
        }
        await scene.close()
    }

    /// It waits in the ledger with its event, and its bytes are read where they lie; one that could not be read has no
    /// event there, and is the earlier one's.
    @Test(arguments: [true, false]) func whatTheRunTookStaysWhereItIs(_ wasRead: Bool) async throws {
        let (folder, entry) = try await left(), ledger = try SQLiteLedger.inMemory()
        var row = AssetRow(origin: entry.origin, run: 0, kind: .jpeg, shot: entry.shot, at: 1)
        if wasRead {
            let sha256 = String(repeating: "a", count: 64)
            (row.content, row.digests, row.event) = (ContentKey(sha256: sha256), Digests(sha256: sha256), "smith")
        }
        try await ledger.record([.asset(row)])
        let scene = try await PushScene(at: folder, event: "jones", ledger: ledger)
        #expect(scene.listed.map(\.origin.id) == (wasRead ? [entry.origin.id] : []))
        #expect(try await scene.source.places().map(\.event) == (wasRead ? [nil] : [nil, "smith"]))
        await scene.close()
    }

    /// One that waits for the event of this very run is not the earlier run's, though it lies where that one listened.
    @Test func whatWaitsForThisEventStaysToo() async throws {
        let (folder, entry) = try await left(), ledger = try SQLiteLedger.inMemory()
        var row = AssetRow(origin: entry.origin, run: 0, kind: .jpeg, shot: entry.shot, at: 1)
        let sha256 = String(repeating: "a", count: 64)
        (row.content, row.digests, row.event) = (ContentKey(sha256: sha256), Digests(sha256: sha256), "jones")
        try await ledger.record([.asset(row)])
        let scene = try await PushScene(at: folder, event: "jones", ledger: ledger)
        #expect(scene.listed.map(\.origin.id) == [entry.origin.id])
        #expect(try await scene.source.places().map(\.event) == [nil])
        await scene.close()
    }

    /// A plan, and a second run beside the first, leave everything as it is.
    @Test(arguments: [true, false]) func nobodyElseMovesAnything(_ isPlan: Bool) async throws {
        let folder = try await left().folder, inbox = folder + "/inbox"
        let lock = isPlan ? nil : FolderLock(free: inbox)
        let scene = try await PushScene(at: folder, services: isPlan ? [WritesNothing()] : [], event: "jones")
        #expect(try FTPInboxEvent.read(inbox) == "smith")
        #expect(!FileManager.default.fileExists(atPath: inbox + "/.events"))
        await scene.close()
        withExtendedLifetime(lock) {}
    }

    /// It has no folder: the run does not begin, rather than give it to another client.
    @Test func anEventWithoutAFolderIsNoReasonToGiveItsFramesAway() async throws {
        let folder = try await left().folder
        try FTPInboxEvent.write(String(repeating: "\u{4E00}", count: 90), to: folder + "/inbox")
        await #expect(throws: IngestError.self) { try await PushScene(at: folder, event: "jones") }
        #expect(try FTPInboxEvent.read(folder + "/inbox") != "jones")
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Its client may come back and go on with it.
    @Test func whatBrokeOffStaysWhereItIs() async throws {
        let folder = try await left().folder, broken = folder + "/inbox/ann/part/IMG_2.JPG"
        try FileManager.default.createDirectory(
            atPath: (broken as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try PushScene.jpeg(900).dropLast(100).write(to: URL(fileURLWithPath: broken))
        let scene = try await PushScene(at: folder, event: "jones")
        #expect(FileManager.default.fileExists(atPath: broken))
        await scene.close()
    }

    /// The port may be another one by then, too; what waits in the ledger is read where it lies.
    @Test(arguments: ["jones", "smith"], [true, false])
    func whatIsTakenOverKeepsItsEvent(_ next: String, _ isKnown: Bool) throws {
        let root = FileManager.default.temporaryDirectory.path + "/filmgate-ftp-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root + "/1111/ann/in/1", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: root + "/1111/ann/in/1/IMG_1.JPG"))
        try FTPInboxEvent.write("smith", to: root + "/1111")
        let known = isKnown ? [root + "/1111": Set(["ann/in/1/IMG_1.JPG"])] : [:]
        #expect(try FTPOrphans.takeOver(into: root + "/2222", for: next, known: known) == (isKnown ? 0 : 1))
        let own = isKnown ? "/1111" : next == "smith" ? "/2222" : "/2222/.events/smith"
        #expect(FileManager.default.fileExists(atPath: root + own + "/ann/in/1/IMG_1.JPG"))
    }
}
