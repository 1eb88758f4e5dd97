import FilmgateCore
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import FTPKit
@testable import FTPSource

/// Uploads in several pieces: never two files in one.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct GoingOnTests {
    private let first = PushScene.jpeg(50_000, 1), other = PushScene.jpeg(60_000, 2)

    @Test func whatIsRepeatedHasToBeWhatIsThere() async throws {
        let scene = try await PushScene { $0.incomplete = .seconds(600) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.breakOff("IMG_1.JPG", after: first.prefix(20_000)))
        #expect(client.say("REST 15000") == 350)
        #expect(client.store("STOR IMG_1.JPG", other.dropFirst(15_000)) == 551)
        // The client is led to send all of it, and what was there keeps its place.
        #expect(client.size("IMG_1.JPG") == nil)
        #expect(client.store("STOR IMG_1.JPG", other) == 226)
        #expect(await scene.arrived(1).first?.data == other)
        #expect(await scene.session.unfinished().map(\.entry.origin.size) == [20_000])
        await scene.close()
    }

    /// A body whose connection broke before the first byte would take 226 for its picture's.
    @Test(arguments: ["STOR", "APPE"]) func anEmptyPictureIsNotAcknowledged(_ verb: String) async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("\(verb) IMG_1.JPG", Data()) == 551)
        #expect(client.size("IMG_1.JPG") == nil)
        #expect(await scene.session.unfinished().isEmpty)
        await scene.close(keeping: true)
        // Nothing of it waits for the next start either, and the whole file gets its name.
        let next = try await PushScene(at: scene.folder)
        #expect(next.listed.isEmpty)
        let body = try #require(RawClient(next.port))
        #expect(body.logIn("ann"))
        #expect(body.store("\(verb) IMG_1.JPG", Data()) == 551)
        #expect(body.store("STOR IMG_1.JPG", first) == 226)
        let arrived = await next.arrived(1)
        #expect(arrived.first?.path == "ann/IMG_1.JPG" && arrived.first?.data == first)
        await next.close()
    }

    /// What is no picture may well be empty; it is taken, and not called safe.
    @Test func anEmptyFileOfAnotherKindIsTaken() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        let line = try #require(client.begin("STOR note.txt"))
        line.hangUp()
        let reply = client.reply()
        #expect(reply.hasPrefix("226 ") && !reply.contains("safe"))
        let arrived = await scene.arrived(1)
        #expect(arrived.first?.path == "ann/note.txt" && arrived.first?.data.isEmpty == true)
        await scene.close()
    }

    @Test func whoRepeatsTheSameGoesOn() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.breakOff("IMG_1.JPG", after: first.prefix(20_000)))
        #expect(client.say("REST 15000") == 350)
        #expect(client.store("STOR IMG_1.JPG", first.dropFirst(15_000)) == 226)
        #expect(await scene.arrived(1).first?.data == first)
        await scene.close()
    }

    /// What a killed client sent comes late, after the next one has asked how much is there.
    @Test func whatIsAddedStandsBehindWhatTheClientWasTold() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port)), killed = try #require(RawClient(scene.port))
        #expect(client.logIn("ann") && killed.logIn("ann"))
        #expect(client.size("IMG_1.JPG") == nil)
        #expect(killed.breakOff("IMG_1.JPG", after: first.prefix(20_000)))
        // Its client does not know what is here, so nothing is added or cut: it asks again.
        #expect(client.store("APPE IMG_1.JPG", first) == -2)
        #expect(client.size("IMG_1.JPG") == 20_000)
        #expect(client.store("APPE IMG_1.JPG", first.dropFirst(20_000)) == 226)
        #expect(await scene.arrived(1).first?.data == first)
        #expect(killed.breakOff("IMG_2.JPG", after: first.prefix(15_000)))
        #expect(client.size("IMG_2.JPG") == 15_000)
        #expect(killed.say("REST 15000") == 350)
        #expect(killed.store("STOR IMG_2.JPG", first.dropFirst(15_000).prefix(5000)) == 226)
        #expect(client.store("APPE IMG_2.JPG", first.dropFirst(15_000)) == 226)
        #expect(await scene.arrived(1).first?.data == first)
        await scene.close()
    }

    /// ncftp says where it goes on, and sends all of the file behind that.
    @Test(arguments: ["STOR", "APPE"]) func whoSendsAllOfItBehindItsBeginningHasOnePicture(_ verb: String) async throws
    {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.breakOff("IMG_1.JPG", after: first.prefix(20_000)))
        #expect(client.size("IMG_1.JPG") == 20_000)
        // Killed once more on its way: what it repeated is no other file.
        #expect(client.say("REST 20000") == 350)
        #expect(client.store("STOR IMG_1.JPG", first.prefix(10_000)) == 551)
        #expect(client.size("IMG_1.JPG") == 20_000)
        if verb == "STOR" { #expect(client.say("REST 20000") == 350) }
        #expect(client.store("\(verb) IMG_1.JPG", first) == 226)
        #expect(await scene.arrived(1).first?.data == first)
        await scene.close()
    }

    /// A killed client's connection ends as a file does; by then its client has sent all of it over another one.
    @Test(arguments: [0, 15_000]) func theBeginningThatEndsLateIsNoPicture(_ late: Int) async throws {
        let scene = try await PushScene { $0.settle = .milliseconds(100) }
        let killed = try #require(RawClient(scene.port)), client = try #require(RawClient(scene.port))
        #expect(killed.logIn("ann") && client.logIn("ann"))
        let line = try #require(killed.begin("STOR IMG_1.JPG"))
        line.send(Array(first.prefix(20_000)))
        #expect(client.store("STOR IMG_1.JPG", first) == 226)
        #expect(await scene.arrived(1).first?.data == first)
        line.send(Array(first.dropFirst(20_000).prefix(late)))
        line.hangUp()
        let answer = killed.reply()
        #expect(answer.hasPrefix("551 ") && answer.contains("sent anew"), "\(answer)")
        #expect(client.size("IMG_1.JPG") == first.count)
        #expect(await scene.session.unfinished().isEmpty)
        await scene.close()
    }

    /// curl -C - adds to whatever has the name, be it last week's picture.
    @Test(arguments: ["APPE", "STOR"]) func aWholePictureIsNotAddedTo(_ verb: String) async throws {
        let scene = try await PushScene { $0.settle = .seconds(600) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", first) == 226)
        if verb == "STOR" { #expect(client.say("REST \(first.count)") == 350) }
        #expect(client.store("\(verb) IMG_1.JPG", other.dropFirst(first.count)) == 551)
        #expect(client.size("IMG_1.JPG") == nil)
        #expect(await scene.session.unfinished().map(\.entry.origin.size) == [UInt64(first.count)])
        await scene.close()
    }

    @Test func whatWasTakenIsNotGoneOnWith() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", first) == 226)
        #expect(await scene.arrived(1).count == 1)
        #expect(client.size("IMG_1.JPG") == first.count)
        #expect(client.store("APPE IMG_1.JPG", other.dropFirst(first.count)) == -2)
        #expect(client.size("IMG_1.JPG") == nil)
        await scene.close()
    }

    @Test func afterARestartOnlyTheSameBodyGoesOn() async throws {
        let before = try await PushScene { $0.incomplete = .seconds(600) }
        let client = try #require(RawClient(before.port))
        #expect(client.logIn("ann"))
        #expect(client.breakOff("IMG_1.JPG", after: first.prefix(20_000)))
        await before.close(keeping: true)
        let scene = try await PushScene(at: before.folder) { $0.incomplete = .seconds(600) }
        let stranger = try #require(RawClient(scene.port, from: "127.0.0.2"))
        let same = try #require(RawClient(scene.port))
        #expect(stranger.logIn("ann") && same.logIn("ann"))
        #expect(stranger.size("IMG_1.JPG") == nil)
        #expect(stranger.say("REST 20000") == 350)
        #expect(stranger.store("STOR IMG_1.JPG", other.dropFirst(20_000)) == -2)
        #expect(same.size("IMG_1.JPG") == 20_000)
        #expect(same.say("REST 20000") == 350)
        #expect(same.store("STOR IMG_1.JPG", first.dropFirst(20_000)) == 226)
        #expect(await scene.arrived(1).first?.data == first)
        await scene.close()
    }

    /// A source that opens sooner finds the other's inbox unlocked.
    @Test func anotherPortOfThePipelineKeepsItsHalves() async throws {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-ftp-\(UUID().uuidString)")
            .path
        let inbox = state + "/ftp/2121"
        let before = try await PushScene(at: state) { ($0.inbox, $0.incomplete) = (inbox, .seconds(600)) }
        let client = try #require(RawClient(before.port))
        #expect(client.logIn("ann"))
        #expect(client.breakOff("IMG_1.JPG", after: first.prefix(20_000)))
        await before.close(keeping: true)
        let inboxes = PushInboxes()
        inboxes.add(inbox, logins: ["ann"])
        let beside = try await PushScene(at: state, beside: inboxes) { $0.inbox = "" }
        let scene = try await PushScene(at: state, beside: inboxes) {
            ($0.inbox, $0.incomplete) = (inbox, .seconds(600))
        }
        let back = try #require(RawClient(scene.port))
        #expect(back.logIn("ann"))
        #expect(back.size("IMG_1.JPG") == 20_000)
        await beside.close(keeping: true)
        await scene.close()
    }

    @Test func loginsFindTheSourceThatHasThem() {
        let inboxes = PushInboxes()
        inboxes.add("one", logins: ["ann"])
        inboxes.add("two", logins: ["bob"])
        #expect(inboxes.takes("one", "ann") && inboxes.takes("two", "bob") && inboxes.takes("one", "nobody"))
        #expect(!inboxes.takes("one", "bob") && !inboxes.takes("two", "ann"))
    }
}

/// What "safe" means.
@Suite struct SafeTests {
    private static func folder() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-ftp-\(UUID().uuidString)").path
    }

    private static func write(_ upload: FTPUpload, _ count: Int) throws {
        try [UInt8](repeating: 7, count: count).withUnsafeBytes { try upload.write($0) }
    }

    /// A power cut between any two steps must not leave a short file that says it is safe.
    @Test func theMarkComesAfterTheBytesAndTheName() throws {
        let steps = Mutex<[String]>([]), place = Self.folder()
        defer { try? FileManager.default.removeItem(atPath: place) }
        var disk = FTPDisk()
        disk.flush = { _ in
            steps.withLock { $0.append("flush") }
            return 0
        }
        disk.setPermissions = { _, mode in
            steps.withLock { $0.append(mode == InboxPermissions.safe ? "safe" : "coming") }
        }
        disk.flushFolder = { path in
            steps.withLock { $0.append(path.hasSuffix("ann/part@192.0.2.1/DCIM") ? "name" : path) }
            return 0
        }
        let inbox = try FTPInbox(place, FTPRoom(1 << 40), disk: disk) { _, _ in false }
        let upload = try inbox.begin(
            FTPClient(login: "ann", peer: "192.0.2.1"), try FTPPath("DCIM/A.JPG", from: .root), from: 0)
        try Self.write(upload, 10)
        _ = try upload.finish()
        #expect(steps.withLock(\.self) == ["flush", "name", "safe", "flush"])
    }

    @Test(arguments: ["bytes", "name"]) func whatCannotBeFlushedIsNotMarked(_ what: String) throws {
        let place = Self.folder()
        defer { try? FileManager.default.removeItem(atPath: place) }
        var disk = FTPDisk()
        if what == "bytes" { disk.flush = { _ in EIO } } else { disk.flushFolder = { _ in EIO } }
        let inbox = try FTPInbox(place, FTPRoom(1 << 40), disk: disk) { _, _ in false }
        let upload = try inbox.begin(FTPClient(login: "ann", peer: ""), try FTPPath("A.JPG", from: .root), from: 0)
        try Self.write(upload, 10)
        #expect(throws: IngestError.self) { try upload.finish() }
        upload.interrupt()
        #expect(try inbox.files().map(\.ended) == [false])
    }

    /// The system tells a failure once: whoever adds nothing to what is here would hear that it is safe.
    @Test func whatCouldNotBeFlushedIsSentAnew() throws {
        let place = Self.folder(), isFirst = Mutex(true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        var disk = FTPDisk()
        disk.flush = { _ in
            isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst ? EIO : 0
            }
        }
        let inbox = try FTPInbox(place, FTPRoom(1 << 40), disk: disk) { _, _ in false }
        let client = FTPClient(login: "ann", peer: ""), path = try FTPPath("A.JPG", from: .root)
        let first = try inbox.begin(client, path, from: 0)
        try Self.write(first, 10)
        #expect(throws: IngestError.self) { try first.finish() }
        first.interrupt()
        #expect(inbox.known(client, path) == nil)
        #expect(throws: IngestError.self) { _ = try inbox.begin(client, path, from: 10) }
        #expect(throws: IngestError.self) { _ = try inbox.begin(client, path, from: nil) }
        let again = try inbox.begin(client, path, from: 0)
        try Self.write(again, 10)
        #expect(try again.finish().ended)
        #expect(try inbox.files().map(\.size) == [10] && inbox.known(client, path)?.size == 10)
    }

    /// The count of what waits must not grow with each try that a rename replaces.
    @Test func aRenameGivesTheReplacedBytesBack() throws {
        let place = Self.folder()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let inbox = try FTPInbox(place, limit: 5000), client = FTPClient(login: "ann", peer: "")
        let temporary = try FTPPath("A.TMP", from: .root), name = try FTPPath("B.JPG", from: .root)
        for _ in 0..<100 {
            let half = try inbox.begin(client, name, from: 0)
            try Self.write(half, 1000)
            half.interrupt()
            let whole = try inbox.begin(client, temporary, from: 0)
            try Self.write(whole, 2000)
            _ = try whole.finish()
            let renaming = try #require(inbox.rename(client, temporary, name))
            inbox.remove(place: renaming.to, size: 2000)
        }
        #expect(inbox.hasRoom)
    }
}
