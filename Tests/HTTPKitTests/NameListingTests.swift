import FilmgateCore
import Synchronization
import Testing

@testable import HTTPKit

/// When a listing stands for a question, and when it is too old or too dear for that.
@Suite struct NameListingTests {
    /// A folder at a server whose clock is moved by hand.
    private final class Folder: Sendable {
        private struct State { var names: Set<String>?, asked = 0, now = ContinuousClock.now }
        private let state: Mutex<State>
        init(_ names: Set<String>?) { state = Mutex(State(names: names)) }

        var asked: Int { state.withLock(\.asked) }
        func put(_ name: String) { state.withLock { _ = $0.names?.insert(name) } }
        func pass(_ time: Duration) { state.withLock { $0.now += time } }
        func listing() -> NameListing {
            NameListing { _ in
                self.state.withLock { state in
                    state.asked += 1
                    return state.names
                }
            } clock: {
                self.state.withLock(\.now)
            }
        }
    }

    @Test func aNameIsFreeOnceAndOnlyWhenNothingStoodThere() async throws {
        let folder = Folder(["b.jpg"]), listing = folder.listing()
        #expect(try await listing.claim("x/a.jpg"))
        // The second time only the server knows what became of the first.
        #expect(try await !listing.claim("x/A.JPG"))
        #expect(try await !listing.claim("x/B.jpg"))
        #expect(folder.asked == 1)
    }

    @Test func whatOthersPutThereIsSeenWithinSeconds() async throws {
        let folder = Folder([]), listing = folder.listing()
        for number in 0..<10 { #expect(try await listing.claim("\(number).jpg")) }
        folder.put("10.jpg")
        folder.pass(NameListing.moment + .milliseconds(1))
        #expect(try await !listing.claim("10.jpg"))
        #expect(try await listing.claim("11.jpg"))
        #expect(folder.asked == 2)
    }

    @Test func aLongListIsNotReadAgainForAFewFiles() async throws {
        let folder = Folder(Set((0..<1000).map { "\($0).raw" })), listing = folder.listing()
        #expect(try await listing.claim("a.jpg"))
        folder.pass(NameListing.moment + .milliseconds(1))
        #expect(try await !listing.claim("b.jpg"))
        #expect(folder.asked == 1)
    }

    /// They are kept as hashes, and neither one that was sent nor one that was there is taken for free.
    @Test func ofThousandsEachIsFreeOnce() async throws {
        let folder = Folder(Set((0..<5_000).map { "IMG_\($0).JPG" })), listing = folder.listing()
        var wrong: [Int] = []
        for number in 0..<10_000 {
            let name = "IMG_\(number).JPG", other = "img_\(number).jpg"
            let first = try await listing.isFree(name), mine = try await listing.claim(name)
            let second = try await listing.isFree(other), also = try await listing.claim(other)
            if first != (number >= 5_000) || mine != first || second || also { wrong.append(number) }
        }
        #expect(wrong.isEmpty)
        #expect(folder.asked == 1)
    }

    @Test func aServerThatDoesNotListIsAskedForEachName() async throws {
        let listing = Folder(nil).listing()
        #expect(try await !listing.claim("a.jpg"))
    }
}
