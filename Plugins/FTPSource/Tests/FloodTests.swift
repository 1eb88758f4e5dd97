import FilmgateCore
import Foundation
import TestThreads
import Testing

@testable import FTPKit

/// More connections than there is room for.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct FloodTests {
    @Test func whoIsThereOftenestGivesWay() {
        var connections = FTPConnections<Int>(most: 10, mostUnknown: 8)
        for key in 0..<4 { #expect(connections.admit(key, from: "body \(key)") == .welcome) }
        for key in 10..<16 { #expect(connections.admit(key, from: "flood") == .welcome) }
        #expect(connections.admit(20, from: "another") == .welcomeInsteadOf(10))
        #expect(connections.admit(21, from: "flood") == .welcomeInsteadOf(11))
        #expect(connections.count == 10)
    }

    @Test func whoHasSaidSomethingIsAheadOfWhoHasNot() {
        var connections = FTPConnections<Int>(most: 10, mostUnknown: 2)
        for key in 0..<4 { #expect(connections.admit(key, from: "a") == .welcome) }
        connections.note(0, .speaking)
        #expect(connections.admit(4, from: "a") == .welcomeInsteadOf(1))
        // Whoever waits for the answer to a password is not in the way of those who come.
        #expect(connections.wait(0, login: "ann") == nil)
        #expect(connections.admit(5, from: "a") == .welcome)
    }

    /// Each has a turn coming, which would never come if others took its place.
    @Test func whoWaitsAloneForALoginStays() {
        var connections = FTPConnections<Int>(most: 10, mostUnknown: 2)
        for key in 0..<3 { #expect(connections.admit(key, from: "a") == .welcome) }
        #expect(connections.wait(0, login: "ann") == nil && connections.wait(1, login: "bob") == nil)
        #expect(connections.wait(2, login: "cyd") == 2)
        #expect(connections.count == 2)
    }

    @Test func whoIsLoggedInStays() {
        var connections = FTPConnections<Int>(most: 3, mostUnknown: 2)
        for key in 0..<3 {
            #expect(connections.admit(key, from: "a") == .welcome)
            connections.note(key, .known)
        }
        #expect(connections.admit(9, from: "b") == .refused)
    }

    /// Somebody else fills every place, and holds it.
    @Test func aFloodFromOneAddressKeepsNobodyElseOut() async throws {
        let scene = try await ServerScene()
        var held: [RawClient] = []
        for number in 0..<200 {
            held += [RawClient(scene.server.port, from: "127.0.0.9")].compactMap { $0 }
            guard number % 50 == 49 else { continue }
            let body = try #require(RawClient(scene.server.port))
            #expect(body.logIn("ann"))
            #expect(body.store("STOR IMG_\(number).JPG", PushScene.jpeg(300)) == 226)
        }
        withExtendedLifetime(held) {}
        await scene.close()
    }

    /// Behind one router: a camera's own login against many tries at another, or at one that does not exist.
    @Test(arguments: [nil, "bob"] as [String?]) func aCrowdAtOneLoginKeepsNoOtherOut(_ tried: String?) {
        var connections = FTPConnections<Int>(most: 64, mostUnknown: 12)
        func comes(_ key: Int) -> Int? {
            _ = connections.admit(key, from: "a")
            return connections.wait(key, login: tried)
        }
        for key in 0..<12 { #expect(comes(key) == nil) }
        #expect(connections.admit(-1, from: "a") == .welcome)
        // Whoever had to give way is back before the camera has sent its password.
        for key in 20..<60 { #expect(comes(key) == key) }
        #expect(connections.wait(-1, login: "ann") == 11)
        for key in 60..<200 { #expect(comes(key) == key) }
        #expect(connections.count == 12)
        // It is in, and leaves its place among those that wait.
        connections.note(-1, .known)
        #expect(comes(200) == nil && comes(201) == 201)
    }

    /// It comes from the camera's own address, and each waits for the answer to a password.
    @Test func aCrowdBehindTheSameRouterKeepsNoCameraOut() async throws {
        let scene = try await ServerScene()
        var held: [RawClient] = []
        func crowd() {
            for number in 0..<20 {
                guard let client = RawClient(scene.server.port) else { continue }
                client.send(Array("USER eve\r\nPASS \(number)\r\n".utf8))
                held.append(client)
            }
        }
        crowd()
        let body = try #require(RawClient(scene.server.port))
        #expect(body.code(body.reply()) == 220)
        #expect(body.say("USER ann") == 331)
        body.send(Array("PASS \(PushScene.password("ann"))\r\n".utf8))
        crowd()
        #expect(body.code(body.reply()) == 230)
        #expect(body.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == 226)
        withExtendedLifetime(held) {}
        await scene.close()
    }
}
