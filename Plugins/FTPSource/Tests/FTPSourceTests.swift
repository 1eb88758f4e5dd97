import FTPKit
import FilmgateCore
import Foundation
import TestThreads
import Testing

@testable import FTPSource

@Suite(.ownThreads, .serialized, .timeLimit(.minutes(10))) struct FTPSourceTests {
    @Test func whatCurlPushesArrivesWholeAndApart() async throws {
        let scene = try await PushScene()
        let small = PushScene.jpeg(3000), large = PushScene.jpeg(3_000_000, 7)
        #expect(try scene.curl("-T", scene.file("a.jpg", small), to: "IMG_1.JPG") == 0)
        #expect(try scene.curl("-T", scene.file("b.jpg", large), as: "bob", to: "IMG_1.JPG") == 0)
        #expect(try scene.curl("--ftp-port", "-", "-T", scene.file("c.jpg", small), as: "cyd", to: "IMG_2.JPG") == 0)
        #expect(try scene.curl("--ftp-create-dirs", "-T", scene.file("d.jpg", small), to: "DCIM/100ABC/IMG_3.JPG") == 0)
        let arrived = await scene.arrived(4).sorted { $0.path < $1.path }
        #expect(
            arrived.map(\.path) == ["ann/DCIM/100ABC/IMG_3.JPG", "ann/IMG_1.JPG", "bob/IMG_1.JPG", "cyd/IMG_2.JPG"])
        #expect(arrived.map(\.data) == [small, small, large, small])
        await scene.close()
    }

    @Test func theSameNameAgainIsASecondFile() async throws {
        let scene = try await PushScene()
        let first = PushScene.jpeg(3000, 1), second = PushScene.jpeg(4000, 2)
        #expect(try scene.curl("-T", scene.file("a.jpg", first), to: "IMG_1.JPG") == 0)
        #expect(await scene.arrived(1).first?.data == first)
        #expect(try scene.curl("-T", scene.file("b.jpg", second), to: "IMG_1.JPG") == 0)
        let again = await scene.arrived(1)
        #expect(again.first?.data == second)
        #expect(again.first?.path == "ann/IMG_1.JPG")
        await scene.close()
    }

    /// The first was acknowledged, so the second must not cut it, whatever stands between.
    @Test func theSameNameAtOnceIsASecondFile() async throws {
        let scene = try await PushScene()
        let first = PushScene.jpeg(5000, 1), second = PushScene.jpeg(4000, 2), third = PushScene.jpeg(3000, 3)
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", first) == 226)
        #expect(client.store("STOR IMG_1.JPG", second) == 226)
        #expect(client.store("STOR NEW.TMP", third) == 226)
        #expect(client.say("RNFR NEW.TMP") == 350)
        _ = client.say("RNTO IMG_1.JPG")
        #expect(Set(await scene.arrived(3).map(\.data)) == [first, second, third])
        await scene.close()
    }

    @Test func aSidecarComesAfterItsPictureWhicheverIsSentFirst() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.XMP", Data("<x:xmpmeta/>".utf8)) == 226)
        // Longer than the sidecar needs to settle.
        try await Task.sleep(for: .milliseconds(400))
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(3000)) == 226)
        #expect(await scene.arrived(2).map(\.path) == ["ann/IMG_1.JPG", "ann/IMG_1.XMP"])
        await scene.close()
    }

    @Test func aSidecarWithoutAPictureWaitsOnlySoLong() async throws {
        let scene = try await PushScene { $0.companions = .milliseconds(200) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.XMP", Data("<x:xmpmeta/>".utf8)) == 226)
        #expect(await scene.arrived(1).map(\.path) == ["ann/IMG_1.XMP"])
        await scene.close()
    }

    @Test func whoDoesNotKnowThePasswordIsRefusedAndCounted() async throws {
        let scene = try await PushScene()
        let file = try scene.file("a.jpg", PushScene.jpeg(100))
        #expect(try scene.curl("-T", file, password: "wrong", to: "a.jpg") == 67)
        #expect(try scene.curl("-T", file, as: "anonymous", password: "me@here", to: "a.jpg") == 67)
        #expect(scene.count(\.counts.wrongPasswords) == 2)
        let client = try #require(RawClient(scene.port))
        _ = client.reply()
        #expect(client.say("STOR a.jpg") == 530)
        #expect(client.say("PASV") == 530)
        await scene.close()
    }

    @Test func whoWatchesSeesTheLastPushOfEachLogin() async throws {
        let scene = try await PushScene()
        #expect(await scene.session.condition().notes == ["listening, nobody has pushed yet"])
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == 226)
        #expect(await scene.arrived(1).count == 1)
        let notes = await scene.session.condition().notes
        #expect(notes.count == 1 && notes[0].wholeMatch(of: /ann pushed last at \d\d:\d\d:\d\d/) != nil, "\(notes)")
        await scene.close()
    }

    @Test func whoWatchesSeesWhatIsWaitedFor() async throws {
        let scene = try await PushScene { $0.incomplete = .seconds(3600) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.breakOff("IMG_1.JPG", after: PushScene.jpeg(300).prefix(100)))
        // Acknowledged to its end, and yet half a picture.
        #expect(client.store("STOR IMG_2.JPG", PushScene.jpeg(300).prefix(200)) == 226)
        var notes: [String] = []
        for _ in 0..<500 where !notes.contains(where: { $0.hasPrefix("waits for 2 files: IMG_1.JPG (") }) {
            notes = await scene.session.condition().notes
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(notes.contains { $0.hasPrefix("waits for 2 files: IMG_1.JPG (") }, "\(notes)")
        await scene.close()
    }

    @Test func whoWatchesIsToldOfGuesses() async throws {
        let scene = try await PushScene()
        for (number, user) in ["ann", "bob", "cyd", "eve"].enumerated() {
            #expect(await scene.session.condition().alarms == [])
            let client = try #require(RawClient(scene.port, from: "127.0.0.\(number + 2)"))
            _ = client.reply()
            #expect(client.say("USER \(user)") == 331 && client.say("PASS wrong") == 530)
        }
        #expect(await scene.session.condition().alarms == [])
        let client = try #require(RawClient(scene.port, from: "127.0.0.9"))
        _ = client.reply()
        #expect(client.say("USER mal") == 331 && client.say("PASS wrong") == 530)
        let alarms = await scene.session.condition().alarms
        #expect(alarms.count == 1 && alarms[0].contains("5 wrong passwords"), "\(alarms)")
        await scene.close()
    }

    @Test func guessesAreCountedForAMinute() {
        var count = GuessCount()
        let now = ContinuousClock.now
        #expect(count.inLastMinute(3, at: now) == 3)
        #expect(count.inLastMinute(6, at: now + .seconds(30)) == 6)
        #expect(count.inLastMinute(6, at: now + .seconds(61)) == 3)
        #expect(count.inLastMinute(6, at: now + .seconds(100)) == 0)
    }

    @Test func noPathLeavesTheLogin() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.say("CWD ..") == 550)
        #expect(client.say("CWD a/../../b") == 550)
        #expect(client.say("RNFR ../bob/IMG_1.JPG") == 550)
        #expect(client.say("SIZE /../../etc/passwd") == 550)
        #expect(client.store("STOR ../../../escape.jpg", PushScene.jpeg(100)) == -2)
        #expect(client.say("RETR IMG_1.JPG") == 550)
        #expect(client.say("DELE IMG_1.JPG") == 550)
        #expect(scene.count(\.counts.escapes) == 5)
        #expect(!FileManager.default.fileExists(atPath: scene.folder + "/escape.jpg"))
        await scene.close()
    }

    @Test(arguments: ["explicit", "required", "implicit"]) func tlsProtectsLoginAndData(_ mode: String) async throws {
        let scene = try await PushScene { config in
            config.tls = FTPServerOptions.TLS(rawValue: mode) ?? .none
            let made = try? PushScene.certificate(in: FileManager.default.temporaryDirectory.path)
            (config.certificate, config.key) = (made?.certificate ?? "", made?.key ?? "")
        }
        let data = PushScene.jpeg(1_500_000)
        let file = try scene.file("a.jpg", data)
        let secure =
            mode == "implicit"
            ? try scene.curl("-T", file, scheme: "ftps", to: "a.jpg")
            : try scene.curl("--ssl-reqd", "-T", file, to: "a.jpg")
        #expect(secure == 0)
        // A listing sends without having received: TLS must come to stand by itself.
        #expect(try scene.curl("--max-time", "120", "--ssl-reqd", scheme: mode == "implicit" ? "ftps" : "ftp") == 0)
        #expect(await scene.arrived(1).first?.data == data)
        if mode == "required" {
            #expect(try scene.curl("-T", file, to: "plain.jpg") != 0)
            #expect(try scene.curl("--ftp-ssl-control", "-T", file, to: "half.jpg") != 0)
            #expect((scene.count(\.counts.plainRefused) ?? 0) >= 2)
        }
        await scene.close()
    }

    @Test func whatIsSentBeforeTLSStandsDoesNotCount() async throws {
        let made = try PushScene.certificate(in: FileManager.default.temporaryDirectory.path)
        let scene = try await PushScene { config in
            config.tls = .required
            (config.certificate, config.key) = made
        }
        let client = try #require(RawClient(scene.port))
        _ = client.reply()
        client.send(Array("AUTH TLS\r\nUSER ann\r\nPASS \(PushScene.password("ann"))\r\n".utf8))
        #expect(client.code(client.reply()) != 331)
        await scene.close()
    }

    /// A client that is refused TLS and says its next command at once is heard.
    @Test func whoIsRefusedTLSGoesOnInTheClear() async throws {
        let scene = try await PushScene()
        for _ in 1...60 {
            let client = try #require(RawClient(scene.port))
            _ = client.reply()
            #expect(client.say("AUTH TLS") == 502)
            #expect(client.say("NOOP") == 200)
        }
        await scene.close()
    }

    @Test func aBrokenTransferGoesOnWhereItWas() async throws {
        let scene = try await PushScene()
        let data = PushScene.jpeg(200_000, 3)
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR IMG_5.JPG", data.prefix(90_000)) == 226)
        #expect(client.say("SIZE IMG_5.JPG") == 213)
        #expect(client.say("REST 90000") == 350)
        #expect(client.store("STOR IMG_5.JPG", data.dropFirst(90_000)) == 226)
        #expect(await scene.arrived(1).first?.data == data)
        #expect(client.store("STOR IMG_6.JPG", data.prefix(50_000)) == 226)
        #expect(client.store("APPE IMG_6.JPG", data.dropFirst(50_000)) == 226)
        #expect(await scene.arrived(1).first?.data == data)
        #expect(client.say("REST 999") == 350)
        #expect(client.store("STOR IMG_7.JPG", data) == -2)
        await scene.close()
    }

    @Test func aRenamedFileIsTakenOnceUnderItsLastName() async throws {
        let scene = try await PushScene()
        let data = PushScene.jpeg(2000)
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR DSC0001.JPG.tmp", data) == 226)
        #expect(client.say("RNFR DSC0001.JPG.tmp") == 350)
        #expect(client.say("RNTO DSC0001.JPG") == 250)
        #expect(client.say("SIZE DSC0001.JPG") == 213)
        let arrived = await scene.arrived(1)
        #expect(arrived.first?.path == "ann/DSC0001.JPG")
        #expect(client.say("SIZE DSC0001.JPG") == 213)
        #expect(client.say("RNFR DSC0001.JPG") == 350)
        #expect(client.say("RNTO other.JPG") == 550)
        await scene.close()
    }

    /// What bodies send around a transfer.
    @Test func theCommandsThatBodiesSendAreBorneWith() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("bob"))
        for line in [
            "SYST", "FEAT", "OPTS UTF8 ON", "CLNT camera", "PWD", "TYPE I", "MODE S", "STRU F", "NOOP", "ALLO 8000000",
            "SITE UMASK 022", "HELP", "STAT", "PBSZ 0",
        ] { #expect((200..<300).contains(client.say(line)), "\(line)") }
        #expect(client.say("MKD DCIM") == 257)
        #expect(client.say("CWD DCIM") == 250)
        #expect(client.say("MKD 101NCZ_8") == 257)
        #expect(client.say("CWD /DCIM/101NCZ_8") == 250)
        #expect(client.store("STOR DSC_0001.JPG", PushScene.jpeg(500)) == 226)
        #expect(client.say("XYZZ") == 502)
        client.send([0xFF, 0xF4, 0xFF, 0xF2] + Array("ABOR\r\n".utf8))
        #expect(client.code(client.reply()) == 226)
        #expect(client.say("CDUP") == 250)
        #expect(client.say("QUIT") == 221)
        #expect(await scene.arrived(1).first?.path == "bob/DCIM/101NCZ_8/DSC_0001.JPG")
        await scene.close()
    }

    @Test func aFullInboxAsksToComeBackLater() async throws {
        let scene = try await PushScene { $0.max = ByteCount(1000) }
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.store("STOR a.jpg", PushScene.jpeg(5000)) == 226)
        #expect(client.say("STOR b.jpg") == 452)
        await scene.close()
    }

    @Test func otherMachinesAndServicesAreNoDataConnections() async throws {
        let scene = try await PushScene()
        let client = try #require(RawClient(scene.port))
        #expect(client.logIn("ann"))
        #expect(client.say("PORT 10,0,0,1,200,1") == 500)
        #expect(client.say("PORT 127,0,0,1,0,25") == 500)
        #expect(client.say("EPRT |1|192.168.1.9|5000|") == 500)
        #expect(client.say("PORT 1,2,3") == 501)
        #expect(scene.count(\.counts.foreignData) == 3)
        await scene.close()
    }

    @Test func whatWasAcknowledgedIsThereAfterACrash() async throws {
        let first = try await PushScene()
        let data = PushScene.jpeg(2000)
        #expect(try first.curl("-T", first.file("a.jpg", data), to: "IMG_1.JPG") == 0)
        _ = await first.arrived(1)
        #expect(try first.curl("-T", first.file("b.jpg", data.dropLast(5)), to: "IMG_2.JPG") == 0)
        await first.close(keeping: true)
        let second = try await PushScene(at: first.folder)
        #expect(second.listed.map(\.origin.path) == ["ann/IMG_1.JPG"])
        let left = try #require(second.listed.first)
        let settled = AssetResult(asset: Asset(origin: left.origin, kind: .jpeg, shot: left.shot), ending: .delivered)
        second.session.settled(settled)
        #expect(await second.arrived(1).first?.path == "ann/IMG_2.JPG")
        await second.close(keeping: true)
        let third = try await PushScene(at: first.folder)
        #expect(third.listed.map(\.origin.path) == ["ann/IMG_2.JPG"])
        await third.close()
    }

    @Test(arguments: [
        ("../../x", true), ("a/../b", true), ("./a", true), ("a\u{0}b", true), ("bodies/ann", false), ("", false),
        ("…", false),
    ])
    func aFolderIsAName(_ folder: String, _ isRefused: Bool) {
        var login = PushLogin()
        (login.user, login.folder) = ("ann", folder)
        var error: ConfigError?
        do throws(ConfigError) { try login.validateFolder(at: Mark()) } catch let failure { error = failure }
        #expect((error != nil) == isRefused)
    }
}
