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
        var connections = FTPConnections<Int>(most: 10, mostUnknown: 3)
        for key in 0..<3 { #expect(connections.admit(key, from: "a") == .welcome) }
        connections.note(0, .speaking)
        #expect(connections.admit(3, from: "a") == .welcomeInsteadOf(1))
        connections.note(0, .waiting)
        connections.note(2, .waiting)
        connections.note(3, .waiting)
        #expect(connections.admit(4, from: "a") == .refused)
        connections.leave(2)
        #expect(connections.admit(5, from: "a") == .welcome)
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
}
