import FilmgateCore
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import FTPKit
@testable import FTPSource

/// A server whose logins somebody else knows.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct AskedServerTests {
    private func scene(
        _ logins: FakeLogins, at folder: String? = nil, _ change: (inout FTPSource.Config) -> Void = { _ in }
    ) async throws -> PushScene {
        try await PushScene(at: folder, services: [logins]) { config in
            (config.logins, config.companions) = (FakeLogins.asking, .zero)
            change(&config)
        }
    }

    private func client(_ scene: PushScene, _ user: String = "ann", _ password: String = "1234") throws -> RawClient {
        let client = try #require(RawClient(scene.port))
        _ = client.reply()
        #expect(client.say("USER \(user)") == 331)
        #expect(client.say("PASS \(password)") == 230)
        return client
    }

    /// The place of an event, once there is one.
    private func place(of event: String, _ scene: PushScene) async throws -> SourcePlace {
        try #require(try await scene.source.places().first { $0.event == event })
    }

    /// Files that lie at the place of an event: shown path and where it lies.
    private func entries(_ place: SourcePlace, _ scene: PushScene, _ count: Int) async throws -> [SourceEntry] {
        let session = try await scene.open(place)
        var found = try await session.entries()
        let news = try await session.arrivals()
        if found.count < count {
            for await case .arrived(let entry) in news {
                found.append(entry)
                if found.count == count { break }
            }
        }
        await session.close()
        return found
    }

    @Test func theFilesOfAnEventHaveAPlaceOfTheirOwn() async throws {
        let logins = FakeLogins([
            "ann 1234": LoginGrant(folder: "bodies/ann", event: "smith & co"), "bob 1234": LoginGrant(),
            "cyd 1234": LoginGrant(event: "jones"),
        ])
        let scene = try await scene(logins), changes = try #require(scene.source.changes())
        #expect(try await scene.source.places().map(\.event) == [nil])
        for (user, seed) in [("ann", 1), ("bob", 2), ("cyd", 3)] {
            let client = try client(scene, user)
            #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(900, UInt8(seed))) == 226)
        }
        for await _ in changes { break }
        #expect(try await scene.source.places().map(\.event) == [nil, "jones", "smith & co"])
        #expect(await scene.entries(1).map(\.origin.path) == ["bob/IMG_1.JPG"])
        let smith = try await entries(place(of: "smith & co", scene), scene, 1)
        #expect(smith.map(\.origin.path) == ["bodies/ann/IMG_1.JPG"])
        #expect(smith[0].origin.root.hasSuffix("/inbox/.events/smith%20%26%20co"))
        let path = smith[0].origin.root + "/" + smith[0].origin.volumePath
        #expect(FileManager.default.contents(atPath: path) == PushScene.jpeg(900, 1))
        #expect(try await entries(place(of: "jones", scene), scene, 1).map(\.origin.path) == ["cyd/IMG_1.JPG"])
        await scene.close()
    }

    /// The service may say something else by then, or nothing.
    @Test func aRestartKeepsFolderAndEvent() async throws {
        let logins = FakeLogins(["ann 1234": LoginGrant(folder: "bodies/ann", event: "smith")])
        let first = try await scene(logins), client = try client(first)
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(900)) == 226)
        let before = try await entries(place(of: "smith", first), first, 1)
        await first.close(keeping: true)
        logins.state.withLock { $0.isAway = true }
        let second = try await scene(logins, at: first.folder)
        #expect(second.listed.isEmpty)
        #expect(try await second.source.places().map(\.event) == [nil, "smith"])
        let after = try await entries(place(of: "smith", second), second, 1)
        #expect(after.map(\.origin.id) == before.map(\.origin.id) && after[0].origin.path == "bodies/ann/IMG_1.JPG")
        await second.close()
    }

    /// What an event has nothing left in is no place of the next run.
    @Test func anEmptyEventLeavesNothing() async throws {
        let logins = FakeLogins(["ann 1234": LoginGrant(event: "smith")])
        let scene = try await scene(logins), client = try client(scene)
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(900)) == 226)
        let session = try await scene.open(place(of: "smith", scene))
        let entry = try #require(try await arrived(session))
        var asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        asset.digests = Digests(sha256: "00")
        asset.receipts = ["archive": Receipt(state: .done, sha256: "00")]
        session.settled(AssetResult(asset: asset, ending: .delivered))
        let path = try #require(session.localPath(entry.origin))
        while FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(10)) }
        await session.close()
        await scene.close(keeping: true)
        #expect(!FileManager.default.fileExists(atPath: scene.folder + "/inbox/.events"))
        try? FileManager.default.removeItem(atPath: scene.folder)
    }

    private func arrived(_ session: any WatchingSession) async throws -> SourceEntry? {
        if let first = try await session.entries().first { return first }
        for await case .arrived(let entry) in try await session.arrivals() { return entry }
        return nil
    }

    /// Another port takes over what was pushed for an event, for that event.
    @Test func aNewPortTakesTheEventsOver() throws {
        let root = FileManager.default.temporaryDirectory.path + "/filmgate-ftp-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (place, text) in [("1111/.events/smith/ann/in/1", "event"), ("1111/ann/in/1", "none")] {
            try FileManager.default.createDirectory(atPath: "\(root)/\(place)", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/\(place)/IMG_1.JPG"))
        }
        #expect(try FTPOrphans.takeOver(into: root + "/2222") == 2)
        let smith = try FTPInbox(try #require(FTPEventFolder.path(of: "smith", in: root + "/2222")), limit: 1 << 20)
        let port = try FTPInbox(root + "/2222", limit: 1 << 20)
        for (inbox, text) in [(smith, "event"), (port, "none")] {
            let files = try inbox.files()
            #expect(files.map(\.login) == ["ann"] && files.map(\.path.text) == ["IMG_1.JPG"])
            let file = try #require(files.first)
            let path = inbox.root + "/" + file.place
            #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        }
        #expect(!FileManager.default.fileExists(atPath: root + "/1111/.events"))
    }

    /// All inboxes of a port share its room.
    @Test func eventsShareTheRoom() throws {
        let root = FileManager.default.temporaryDirectory.path + "/filmgate-ftp-\(UUID().uuidString)",
            room = FTPRoom(10)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let one = try FTPInbox(root + "/a", room) { _, _ in false },
            two = try FTPInbox(root + "/b", room) { _, _ in false }
        let upload = try one.begin(FTPClient(login: "ann", peer: ""), FTPPath("IMG_1.JPG", from: .root), from: 0)
        #expect(one.hasRoom && two.hasRoom)
        try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try upload.write($0) }
        let file = try upload.finish()
        #expect(!one.hasRoom && !two.hasRoom)
        one.remove(place: file.place, size: file.size)
        #expect(one.hasRoom && two.hasRoom)
    }

    /// A file of an event is confirmed by the place of that event.
    @Test func aFileOfAnEventIsConfirmedThere() async throws {
        let logins = FakeLogins(["ann 1234": LoginGrant(event: "smith")])
        let scene = try await scene(logins) { ($0.confirm, $0.confirmWithin) = (.delivered("bucket"), .seconds(60)) }
        let client = try client(scene), session = try await scene.open(place(of: "smith", scene))
        let line = try #require(client.begin("STOR IMG_1.JPG"))
        line.send(Array(PushScene.jpeg(900)))
        line.hangUp()
        let entry = try #require(try await arrived(session))
        session.delivered(entry.origin, to: "bucket")
        #expect(client.code(client.reply()) == 226)
        // Nobody says any more that the bucket has it.
        await session.close()
        #expect(client.store("STOR IMG_2.JPG", PushScene.jpeg(900, 2)) == 451)
        await scene.close()
    }

    /// Each try is told to come again, and none counts as a guess; an address waits a few seconds at most.
    @Test func aServiceThatIsAwayLocksNobodyOut() async throws {
        let logins = FakeLogins(["ann 1234": LoginGrant()]), scene = try await scene(logins)
        logins.state.withLock { $0.isAway = true }
        for _ in 0..<LoginThrottle.free {
            let client = try #require(RawClient(scene.port))
            _ = client.reply()
            #expect(client.say("USER ann") == 331)
            #expect(client.say("PASS 1234") == 421)
            #expect(client.reply() == "")
        }
        logins.state.withLock { $0.isAway = false }
        _ = try client(scene)
        #expect(scene.count(\.counts)?.wrongPasswords == 0)
        #expect(scene.count(\.counts)?.unasked == LoginThrottle.free)
        await scene.close()
    }

    /// A service that takes its time gives nobody more guesses: those that are looked at count already.
    @Test func manyGuessesAtOnceAreNoMoreThanOneAfterTheOther() async throws {
        let logins = FakeLogins(pause: .milliseconds(200)), scene = try await scene(logins)
        let clients = try (0..<10).map { _ in try #require(RawClient(scene.port)) }
        for (number, client) in clients.enumerated() {
            client.send(Array("USER ann\r\nPASS \(number)\r\n".utf8))
        }
        while logins.questions.count < LoginThrottle.free { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(700))
        #expect(logins.state.withLock(\.most) <= LoginThrottle.free)
        #expect((LoginThrottle.free...LoginThrottle.free + 1).contains(logins.questions.count))
        await scene.close()
    }

    /// Says the same of everybody.
    private struct Everybody: FTPLoginDirectory {
        let verdict: FTPVerdict
        func verdict(_ user: String, _ password: String, from address: String) async -> FTPVerdict { verdict }
        func name(of user: String) -> String? { user }
    }

    @Test func aLoginThatHasExpiredPushesNoMore() async throws {
        var login = FTPLogin(user: "ann", folder: "ann", home: "ann")
        login.expires = .now + .seconds(3600)
        let lasting = try await ServerScene(logins: Everybody(verdict: .right(login)))
        login.expires = .now
        let expired = try await ServerScene(logins: Everybody(verdict: .right(login)))
        for (scene, code) in [(lasting, 257), (expired, 530)] {
            let client = try #require(RawClient(scene.server.port))
            #expect(client.logIn("ann"))
            #expect(client.say("PWD") == code)
            await scene.close()
        }
    }

    @Test func theLogSaysWhyAndNoPassword() async throws {
        let scene = try await ServerScene(logins: Everybody(verdict: .unknown("the service is away")))
        let client = try #require(RawClient(scene.server.port))
        _ = client.reply()
        #expect(client.say("USER ann") == 331 && client.say("PASS a-secret-word") == 421)
        #expect(scene.log.count(of: "the service is away") == 1 && scene.log.count(of: "a-secret-word") == 0)
        await scene.close()
    }
}
