import FilmgateCore
import Foundation
import TestThreads
import Testing

@testable import FTPKit

/// Clients that come through a balancer: 127.0.0.1 here.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct BalancerTests {
    private func scene() async throws -> ServerScene {
        try await ServerScene { $0.balancers = ["127.0.0.1"].compactMap { PeerRange($0) } }
    }

    /// A client at 127.0.0.`number`, as the balancer presents it.
    private func client(_ scene: ServerScene, _ number: UInt8) throws -> RawClient {
        let client = try #require(RawClient(scene.server.port))
        client.send(ProxyHeaderTests.header([127, 0, 0, number]))
        return client
    }

    @Test func theClientBehindItIsMeant() async throws {
        let scene = try await scene(), client = try client(scene, 9)
        #expect(client.logIn("ann"))
        client.send(Array("STAT\r\n".utf8))
        #expect(client.reply().contains("from 127.0.0.9"))
        // The header may come in pieces, with the first command behind it.
        let slow = try #require(RawClient(scene.server.port))
        for byte in ProxyHeaderTests.header([127, 0, 0, 8]).dropLast() { slow.send([byte]) }
        slow.send([21] + Array("SYST\r\n".utf8))
        #expect(slow.code(slow.reply()) == 220 && slow.code(slow.reply()) == 215)
        await scene.close()
    }

    /// One guesser behind the balancer slows nobody else behind it.
    @Test func guessesCountForTheClient() async throws {
        let scene = try await scene()
        for _ in 0..<LoginThrottle.free {
            let guesser = try client(scene, 66)
            _ = guesser.reply()
            #expect(guesser.say("USER bob") == 331)
            #expect(guesser.say("PASS wrong") == 530)
        }
        let isSlowed = ["127.0.0.66", "127.0.0.9", "127.0.0.1"].map { scene.server.loginQueue.isSlowed($0) }
        #expect(isSlowed == [true, false, false])
        #expect(scene.log.count(of: "127.0.0.66") == 1)
        await scene.close()
    }

    @Test func nobodyElseIsLetIn() async throws {
        let scene = try await scene(), stranger = try #require(RawClient(scene.server.port, from: "127.0.0.2"))
        stranger.send(ProxyHeaderTests.header([127, 0, 0, 9]))
        #expect(stranger.reply() == "")
        let plain = try #require(RawClient(scene.server.port))
        plain.send(Array("USER ann\r\n".utf8))
        #expect(plain.reply() == "")
        let mute = try #require(RawClient(scene.server.port))
        mute.hangUp()
        #expect(mute.reply() == "")
        #expect(scene.server.counts.foreignData == 2 && scene.server.counts.sessions == 0)
        await scene.close()
    }

    /// A check of the balancer itself: it is greeted, and that is all.
    @Test func aHealthCheckIsAnswered() async throws {
        let scene = try await scene(), check = try #require(RawClient(scene.server.port))
        check.send(ProxyHeaderTests.binary(0x20, 0x00, []))
        #expect(check.code(check.reply()) == 220)
        await scene.close()
    }

    /// How the data connection of a transfer of the client 127.0.0.9 comes, and what it hears then.
    enum Way: CaseIterable { case itself, balanced, balancedForAnother, headerless, stranger }

    @Test(arguments: [
        (Way.itself, 226), (.balanced, 226), (.balancedForAnother, 425), (.headerless, 425), (.stranger, 425),
    ]) func dataComesFromTheClientOnly(_ way: Way, _ wanted: Int) async throws {
        let scene = try await ServerScene {
            $0.balancers = ["127.0.0.1"].compactMap { PeerRange($0) }
            $0.patience = .seconds(2)
        }
        let client = try client(scene, 9)
        #expect(client.logIn("ann"))
        client.send(Array("PASV\r\n".utf8))
        let numbers = client.reply().split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        try #require(numbers.count == 7)
        client.send(Array("STOR IMG_1.JPG\r\n".utf8))
        #expect(client.code(client.reply()) == 150)
        let home = way == .itself ? "127.0.0.9" : way == .stranger ? "127.0.0.3" : "127.0.0.1"
        let data = try #require(RawClient(numbers[5] << 8 | numbers[6], from: home))
        switch way {
        case .balanced: data.send(ProxyHeaderTests.header([127, 0, 0, 9]))
        case .balancedForAnother: data.send(ProxyHeaderTests.header([127, 0, 0, 8]))
        default: break
        }
        data.send(Array(PushScene.jpeg(3000)))
        data.hangUp()
        #expect(client.code(client.reply()) == wanted)
        if wanted == 226 { #expect(try scene.files().first?.size == UInt64(PushScene.jpeg(3000).count)) }
        await scene.close()
    }
}
