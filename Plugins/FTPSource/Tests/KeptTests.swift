import FTPKit
import FilmgateCore
import Foundation
import Logging
import Synchronization
import TestThreads
import Testing

@testable import FTPSource

/// What was acknowledged is kept, whatever comes after it.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(10))) struct KeptTests {
    @Test func whatWasAcknowledgedAMomentBeforeACrashIsListed() async throws {
        let first = try await PushScene { $0.settle = .seconds(600) }
        let client = try #require(RawClient(first.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(3000)) == 226)
        #expect(client.store("STOR IMG_2.JPG", PushScene.jpeg(3000).dropLast(2)) == 226)
        await first.close(keeping: true)
        let second = try await PushScene(at: first.folder) { $0.incomplete = .seconds(600) }
        #expect(second.listed.map(\.origin.path) == ["ann/IMG_1.JPG"])
        let left = await second.session.unfinished()
        #expect(
            left.map(\.entry.origin.path) == ["ann/IMG_2.JPG"] && left.first?.reason.hasPrefix("not whole yet") == true)
        await second.close()
    }

    @Test func aNewFileNeverReplacesOneThatWasAcknowledgedBeforeARestart() async throws {
        let first = try await PushScene()
        let cut = PushScene.jpeg(5000, 1).dropLast(2), whole = PushScene.jpeg(4000, 2)
        let client = try #require(RawClient(first.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", cut) == 226)
        await first.close(keeping: true)
        let second = try await PushScene(at: first.folder) { $0.incomplete = .seconds(600) }
        let other = try #require(RawClient(second.port))
        #expect(other.logIn("ann"))
        #expect(other.store("STOR IMG_1.JPG", whole) == 226)
        #expect(await second.arrived(1).first?.data == whole)
        #expect(await second.session.unfinished().map(\.entry.origin.size) == [UInt64(cut.count)])
        await second.close()
    }

    /// REST before the end of a file that its client was told is safe: what is repeated has to be what is there.
    @Test func whoGoesOnBeforeTheEndCutsNothing() async throws {
        let scene = try await PushScene { $0.settle = .seconds(600) }
        let first = PushScene.jpeg(5000, 1)
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", first) == 226)
        #expect(client.say("REST 10") == 350)
        #expect(client.store("STOR IMG_1.JPG", Data("else".utf8)) == 551)
        #expect(client.store("STOR IMG_1.JPG", Data("else".utf8)) == 226)
        #expect(Set(await scene.session.unfinished().map(\.entry.origin.size)) == [UInt64(first.count), 4])
        await scene.close()
    }

    /// The second must neither end up in the first's file nor cut it.
    @Test func twoBodiesBehindOneLoginAreToldApart() async throws {
        let scene = try await PushScene { $0.settle = .seconds(3) }
        let one = PushScene.jpeg(50_000, 1), two = PushScene.jpeg(60_000, 2)
        let first = try #require(RawClient(scene.port)), second = try #require(RawClient(scene.port, from: "127.0.0.2"))
        #expect(first.logIn("ann") && second.logIn("ann"))
        #expect(first.breakOff("IMG_1.JPG", after: one.prefix(20_000)))
        #expect(second.store("STOR IMG_1.JPG", two) == 226)
        #expect(first.size("IMG_1.JPG") == 20_000)
        #expect(second.size("IMG_1.JPG") == two.count)
        #expect(first.say("REST 20000") == 350)
        #expect(first.store("STOR IMG_1.JPG", one.dropFirst(20_000)) == 226)
        #expect(Set(await scene.arrived(2).map(\.data)) == [one, two])
        await scene.close()
    }

    /// A body whose network went comes back and sends all of it; the server learns only later that the first try is
    /// dead.
    @Test func aTryThatWasRepeatedWholeIsNotTaken() async throws {
        let scene = try await PushScene { $0.incomplete = .seconds(600) }
        let whole = PushScene.jpeg(50_000, 1)
        let lost = try #require(RawClient(scene.port)), back = try #require(RawClient(scene.port))
        #expect(lost.logIn("ann") && back.logIn("ann"))
        let line = try #require(lost.begin("STOR IMG_1.JPG"))
        line.send(Array(whole.prefix(20_000)))
        #expect(back.store("STOR IMG_1.JPG", whole) == 226)
        #expect(await scene.arrived(1).first?.data == whole)
        line.breakOff()
        #expect(lost.code(lost.reply()) == 426)
        #expect(await scene.session.unfinished().isEmpty)
        await scene.close()
    }

    /// Who goes by SIZE would be told to go on for ever with what is taken.
    @Test func whatWasTakenUnfinishedHasToBeSentAnew() async throws {
        let scene = try await PushScene { $0.incomplete = .milliseconds(200) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.breakOff("IMG_1.JPG", after: PushScene.jpeg(50_000).prefix(20_000)))
        #expect(await scene.arrived(1).count == 1)
        #expect(client.size("IMG_1.JPG") == nil)
        await scene.close()
    }

    @Test func aFrameThatNeverGotItsNameIsTakenUnderIt() async throws {
        let scene = try await PushScene { $0.incomplete = .milliseconds(200) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR DCIM/IMG_1.JPG.tmp", PushScene.jpeg(3000)) == 226)
        #expect(await scene.arrived(1).map(\.path) == ["ann/DCIM/IMG_1.JPG"])
        await scene.close()
    }

    @Test func whatNobodyKnowsStaysWhereItIs() async throws {
        let scene = try await PushScene { ($0.incomplete, $0.companions) = (.milliseconds(200), .milliseconds(100)) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1", PushScene.jpeg(3000)) == 226)
        _ = await scene.arrived(1)
        await scene.close(keeping: true)
        let second = try await PushScene(at: scene.folder)
        let left = try #require(second.listed.first)
        second.session.settled(
            AssetResult(
                asset: Asset(origin: left.origin, kind: left.kind, shot: left.shot), ending: .filtered,
                reason: AssetResult.unknownKind))
        await second.close(keeping: true)
        let third = try await PushScene(at: scene.folder)
        #expect(third.listed.map(\.origin.path) == ["ann/IMG_1"])
        await third.close()
    }

    /// What somebody took back may be nowhere else: it is no file that a rule leaves out.
    ///
    /// That one makes room at once.
    @Test(arguments: [
        (DeliveryRow.cancelledReason, true), (DeliveryRow.culledReason, true), ("delivers no raw", false),
    ]) func whatWasTakenBackStays(_ reason: String, _ stays: Bool) async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(3000)) == 226)
        _ = await scene.arrived(1)
        await scene.close(keeping: true)
        let second = try await PushScene(at: scene.folder)
        let left = try #require(second.listed.first)
        var asset = Asset(origin: left.origin, kind: left.kind, shot: left.shot)
        asset.receipts = ["gallery": Receipt(state: .excluded, reason: reason)]
        second.session.settled(AssetResult(asset: asset, ending: .filtered))
        let isLeft = { FileManager.default.fileExists(atPath: second.session.localPath(left.origin) ?? "") }
        // It is removed beside what goes on; a test that waits for nothing to happen would prove nothing.
        while !stays, isLeft() { try await Task.sleep(for: .milliseconds(5)) }
        await second.close(keeping: true)
        let third = try await PushScene(at: scene.folder)
        #expect(third.listed.map(\.origin.path) == (stays ? ["ann/IMG_1.JPG"] : []))
        await third.close()
    }

    /// Where the file cannot be opened, its client is still told rightly that it is safe.
    @Test func aRefusedOpeningLeavesTheMarkThatSaysSafe() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-inbox-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let inbox = try FTPInbox(root, limit: 1 << 20), client = FTPClient(login: "ann", peer: "192.0.2.1")
        let path = try FTPPath("IMG_1.JPG", from: .root)
        let upload = try inbox.begin(client, path, from: 0)
        try Data("picture".utf8).withUnsafeBytes { bytes in try upload.write(bytes) }
        let place = root + "/" + (try upload.finish().place), real = root + "/real"
        func mode() throws -> Int? { try FileManager.default.attributesOfItem(atPath: real)[.posixPermissions] as? Int }
        // Of a link the mode can be changed, and it cannot be opened: as where no descriptor is left.
        try FileManager.default.moveItem(atPath: place, toPath: real)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: real)
        #expect(try mode() == 0o400)
        #expect(throws: IngestError.self) { _ = try inbox.begin(client, path, from: nil) }
        #expect(try mode() == 0o400)
    }

    /// The port was changed while a frame waited.
    @Test func whatAnotherPortTookIsNotLeftBehind() async throws {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-ftp-\(UUID().uuidString)")
            .path
        let first = try await PushScene(at: state) { ($0.inbox, $0.settle) = (state + "/ftp/2121", .seconds(600)) }
        let client = try #require(RawClient(first.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(3000)) == 226)
        let beside = try await PushScene(at: state) { $0.inbox = "" }
        #expect(beside.listed.isEmpty)
        await beside.close(keeping: true)
        await first.close(keeping: true)
        let second = try await PushScene(at: state) { $0.inbox = "" }
        #expect(second.listed.map(\.origin.path) == ["ann/IMG_1.JPG"])
        await second.close()
    }

    @Test func whatAStopBreaksOffWasNotAcknowledged() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        let line = try #require(client.begin("STOR A.DNG"))
        line.send(Array("half of a file".utf8))
        await scene.close(keeping: true)
        let second = try await PushScene(at: scene.folder) { $0.incomplete = .seconds(600) }
        #expect(second.listed.isEmpty)
        await second.close()
    }

    @Test func whoOnlyHoldsTheLineKeepsNobodyOut() async throws {
        let scene = try await PushScene()
        let camera = try #require(RawClient(scene.port))
        #expect(camera.logIn("ann"))
        let idle = (0..<100).compactMap { _ in RawClient(scene.port) }
        // The server has dealt with all of them: one that it takes up later would be in nobody's place but the
        // newcomer's.
        for one in idle { _ = one.reply() }
        let other = try #require(RawClient(scene.port))
        #expect(other.logIn("bob"))
        #expect(camera.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == 226)
        withExtendedLifetime(idle) {}
        await scene.close()
    }

    /// A stop or a reload lets what is on its way arrive, and nothing begin.
    @Test func whatIsOnItsWayEndsBeforeTheServerDoes() async throws {
        let scene = try await ServerScene { $0.grace = .seconds(60) }, picture = PushScene.jpeg(50_000)
        let client = try #require(RawClient(scene.server.port)), idle = try #require(RawClient(scene.server.port))
        #expect(client.logIn("ann") && idle.logIn("bob"))
        let data = try #require(client.begin("STOR IMG_1.JPG"))
        data.send(Array(picture.prefix(20_000)))
        let server = scene.server
        async let stopped: Void = server.stop()
        // Whoever sends nothing is let go of.
        #expect(idle.reply().isEmpty)
        #expect(RawClient(server.port) == nil)
        data.send(Array(picture.dropFirst(20_000)))
        data.hangUp()
        #expect(client.code(client.reply()) == 226)
        #expect(client.code(client.reply()) == 421)
        await stopped
        let file = try #require(try scene.files().first)
        #expect(
            file.path.name == "IMG_1.JPG"
                && FileManager.default.contents(atPath: "\(scene.folder)/\(file.place)") == picture)
        await scene.close()
    }

    /// One that stands still is broken off in the end; its client goes on with it later.
    @Test func whatStandsStillIsBrokenOff() async throws {
        let scene = try await ServerScene { $0.grace = .milliseconds(100) }
        let client = try #require(RawClient(scene.server.port))
        #expect(client.logIn("ann"))
        let data = try #require(client.begin("STOR IMG_1.JPG"))
        data.send(Array(PushScene.jpeg(50_000).prefix(20_000)))
        await scene.server.stop()
        withExtendedLifetime(data) {}
        await scene.close()
    }

    /// While a client went on with it, nobody could take it: whoever waits for it must hear that this is over.
    @Test func aFileThatIsGoneOnWithInVainIsToldOfAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-ftp-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let told = Mutex<[Bool]>([])
        var options = FTPServerOptions()
        (options.port, options.patience) = (0, .milliseconds(100))
        let login = FTPLogin(user: "ann", password: SecretValue(PushScene.password("ann")), folder: "ann")
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try FTPServer(
            options, logins: [login], inbox: try FTPInbox(folder, limit: 1 << 40), logger: logger
        ) { event in
            if case .received(_, let abandoned) = event { told.withLock { $0.append(abandoned) } }
        }
        try await server.start()
        let client = try #require(RawClient(server.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == 226)
        #expect(client.say("PASV") == 227)
        #expect(client.say("APPE IMG_1.JPG") == 150)
        #expect(client.code(client.reply()) == 425)
        #expect(client.say("NOOP") == 200)
        #expect(told.withLock(\.self) == [false, true])
        await server.stop()
    }
}
