import FilmgateCore
import Foundation
import TestThreads
import Testing

@testable import FTPKit

/// More connections than there is room for.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct FloodTests {
    @Test func whoIsThereOftenestGivesWay() {
        var guests = FTPGuests<Int>(most: 10, mostUnknown: 8)
        for key in 0..<4 { #expect(guests.admit(key, from: "body \(key)") == .welcome) }
        for key in 10..<16 { #expect(guests.admit(key, from: "flood") == .welcome) }
        #expect(guests.admit(20, from: "another") == .welcomeInsteadOf(10))
        #expect(guests.admit(21, from: "flood") == .welcomeInsteadOf(11))
        #expect(guests.count == 10)
    }

    @Test func whoHasSaidSomethingIsAheadOfWhoHasNot() {
        var guests = FTPGuests<Int>(most: 10, mostUnknown: 3)
        for key in 0..<3 { #expect(guests.admit(key, from: "a") == .welcome) }
        guests.note(0, .speaking)
        #expect(guests.admit(3, from: "a") == .welcomeInsteadOf(1))
        guests.note(0, .waiting)
        guests.note(2, .waiting)
        guests.note(3, .waiting)
        #expect(guests.admit(4, from: "a") == .refused)
        guests.leave(2)
        #expect(guests.admit(5, from: "a") == .welcome)
    }

    @Test func whoIsLoggedInStays() {
        var guests = FTPGuests<Int>(most: 3, mostUnknown: 2)
        for key in 0..<3 {
            #expect(guests.admit(key, from: "a") == .welcome)
            guests.note(key, .known)
        }
        #expect(guests.admit(9, from: "b") == .refused)
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
