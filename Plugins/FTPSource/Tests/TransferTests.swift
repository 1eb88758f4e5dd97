import FilmgateCore
import Foundation
import Glibc
import ServerKit
import TestThreads
import Testing

@testable import FTPKit
@testable import FTPSource

/// Connections: how long they last, where they lead, how they end.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct TransferTests {
    private final class Kept { weak var inbox: DataReceiver? }

    /// One upload's data connection, over and let go of.
    private func transfer(_ scene: ServerScene, isCalled: Bool) async throws -> Kept {
        let setup = DataEndpoint.Setup(peer: "127.0.0.1", tls: nil, group: scene.server.group, patience: .seconds(20)) {
        }
        let endpoint: DataEndpoint, kept = Kept()
        if isCalled {
            // The server's own port says its greeting and stays.
            endpoint = try DataEndpoint.calling("127.0.0.1", scene.server.port, setup)
        } else {
            endpoint = try await DataEndpoint.listening(at: PeerAddress.place("127.0.0.1", port: 0), nil, setup)
            let body = try #require(RawClient(endpoint.port))
            body.send([1, 2, 3])
            body.hangUp()
        }
        let line = try await endpoint.connect(setup)
        #expect(try await line.inbox.next() != nil)
        kept.inbox = line.inbox
        line.cut()
        return kept
    }

    /// What was kept of each pushed file added up to gigabytes over a long shoot.
    @Test(arguments: [false, true]) func nothingOfATransferStays(isCalled: Bool) async throws {
        let scene = try await ServerScene()
        let kept = try await transfer(scene, isCalled: isCalled)
        for _ in 0..<500 where kept.inbox != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(kept.inbox == nil)
        await scene.close()
    }

    @Test func aTransferMayTakeLongerThanSilence() async throws {
        let scene = try await ServerScene { $0.idle = .seconds(1) }
        let client = try #require(RawClient(scene.server.port))
        #expect(client.logIn("ann"))
        let data = PushScene.jpeg(3000), line = try #require(client.begin("STOR IMG_1.JPG"))
        for start in stride(from: 0, to: 3000, by: 500) {
            line.send(Array(data.dropFirst(start).prefix(start == 2500 ? data.count : 500)))
            try await Task.sleep(for: .milliseconds(400))
        }
        line.hangUp()
        #expect(client.code(client.reply()) == 226)
        #expect(client.size("IMG_1.JPG") == data.count)
        #expect(client.code(client.reply()) == 421)
        await scene.close()
    }

    /// The way of RFC 959, and that of clients that mark the whole line as urgent.
    @Test(arguments: [[0xFF, 0xF4, 0xFF], []] as [[UInt8]]) func aTransferIsBrokenOffAtOnce(
        interrupt: [UInt8]
    ) async throws {
        let scene = try await ServerScene()
        let client = try #require(RawClient(scene.server.port))
        #expect(client.logIn("ann"))
        let line = try #require(client.begin("STOR IMG_1.JPG"))
        line.send(Array(PushScene.jpeg(50_000).prefix(40_000)))
        #expect(client.say("STAT") == 211)
        let begun = ContinuousClock.now
        if interrupt.isEmpty {
            client.sendUrgently(Array("ABOR\r\n".utf8))
        } else {
            client.send(Array(interrupt.prefix(2)))
            client.sendUrgently([0xFF, 0xF2])
            client.send(Array("ABOR\r\n".utf8))
        }
        // 425 where the server had not taken up the data connection yet.
        #expect([425, 426].contains(client.code(client.reply())))
        #expect(client.code(client.reply()) == 226)
        #expect(ContinuousClock.now - begun < .seconds(10))
        #expect(client.store("STOR IMG_2.JPG", PushScene.jpeg(300)) == 226)
        withExtendedLifetime(line) {}
        await scene.close()
    }

    /// A body gives up between its connection and the first byte that is asked for: what it sent so far is not the
    /// file.
    @Test func whatIsBrokenOffBeforeItIsReadIsNotWhole() async throws {
        let scene = try await ServerScene()
        let setup = DataEndpoint.Setup(peer: "127.0.0.1", tls: nil, group: scene.server.group, patience: .seconds(20)) {
        }
        let endpoint = try await DataEndpoint.listening(at: PeerAddress.place("127.0.0.1", port: 0), nil, setup)
        let body = try #require(RawClient(endpoint.port))
        body.send([1, 2, 3])
        // The connection stands once the port has handed it over; nobody has read from it yet.
        try await Task.sleep(for: .milliseconds(100))
        endpoint.close()
        let line = try await endpoint.connect(setup)
        await #expect(throws: (any Error).self) {
            while try await line.inbox.next() != nil {}
        }
        withExtendedLifetime(body) {}
        await scene.close()
    }

    /// `[::]` takes bodies of both kinds; to one that came over IPv4 everything is IPv4.
    @Test func aBodyOverIPv4IsServedOnAnIPv6Port() async throws {
        let scene = try await ServerScene { $0.host = "::" }
        let client = try #require(RawClient(scene.server.port))
        #expect(client.logIn("ann"))
        client.send(Array("PASV\r\n".utf8))
        #expect(client.reply().contains("(127,0,0,1,"))
        #expect(client.say("PORT 127,0,0,1,200,1") == 200)
        #expect(client.say("EPRT |1|127.0.0.1|51201|") == 200)
        #expect(client.say("EPRT |2|::ffff:127.0.0.1|51201|") == 200)
        #expect(client.say("EPRT |1|127.0.0.2|51201|") == 500)
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == 226)
        #expect(client.say("EPSV") == 229)
        await scene.close()
    }

    @Test(arguments: [
        ("MODE Z", 504), ("MODE B", 504), ("MODE S", 200), ("STRU R", 504), ("STRU F", 200), ("TYPE E", 504),
        ("TYPE L 7", 504), ("TYPE L 8", 200), ("TYPE I", 200), ("TYPE A", 200), ("SITE EXEC ls", 504),
        ("SITE CHMOD 644 a", 202), ("OPTS UTF8 OFF", 504), ("OPTS MODE Z LEVEL 9", 501), ("OPTS MLST type;size;", 200),
        ("STAT", 211), ("STAT /", 212), ("MLST /", 250), ("MLST none.jpg", 550), ("MDTM none.jpg", 550),
    ])
    func theServerSaysYesOnlyToWhatItDoes(_ command: String, _ code: Int) async throws {
        let scene = try await ServerScene()
        let client = try #require(RawClient(scene.server.port))
        #expect(client.logIn("ann"))
        #expect(client.say(command) == code)
        #expect(client.say("NOOP") == 200)
        await scene.close()
    }

    @Test func whatWasPushedHasATimeAndFacts() async throws {
        let scene = try await ServerScene()
        let client = try #require(RawClient(scene.server.port))
        #expect(client.logIn("ann"))
        client.send(Array("FEAT\r\n".utf8))
        let features = client.reply()
        for word in ["MDTM", "MLST type*;size*;modify*;", "SIZE", "REST STREAM"] {
            #expect(features.contains("\r\n \(word)\r\n"))
        }
        #expect(client.say("TYPE A") == 200)
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == -2)
        #expect(client.say("TYPE I") == 200)
        #expect(client.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == 226)
        client.send(Array("MDTM IMG_1.JPG\r\n".utf8))
        let stamp = client.reply().dropFirst(4).prefix { $0.isNumber }
        #expect(stamp.count == 14 && stamp.hasPrefix("20"))
        client.send(Array("MLST IMG_1.JPG\r\n".utf8))
        #expect(client.reply().contains("type=file;size=\(PushScene.jpeg(300).count);modify=\(stamp); /IMG_1.JPG\r\n"))
        client.send(Array("STAT /\r\n".utf8))
        #expect(client.reply().contains(" IMG_1.JPG\r\n"))
        await scene.close()
    }
}
