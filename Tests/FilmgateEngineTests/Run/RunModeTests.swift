import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// What belongs to a place is the same in every mode: each of these once was so in one of them only.
@Suite(.timeLimit(.minutes(5))) struct RunModeTests {
    private let world: RunWorld
    init() throws { world = try RunWorld() }

    /// A gallery that answers once a place is closed.
    private struct Slow: UploadTarget {
        let place: FakePlace
        var traits: TargetTraits { TargetTraits(identity: "gallery", parallel: 1) }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            await place.isClosed()
            return Receipt(state: .done, id: job.name)
        }
    }

    /// A gallery that answers when it is told to.
    private final class Late: UploadTarget {
        let traits = TargetTraits(identity: "gallery", parallel: 1)
        private let answers = AsyncStream<Void>.makeStream(), begun = AsyncStream<Void>.makeStream()
        func answer() { answers.continuation.yield() }
        func isAsked() async { for await _ in begun.stream { return } }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            begun.continuation.yield()
            for await _ in answers.stream { break }
            return Receipt(state: .done, id: job.name)
        }
    }

    private static let picture = [(name: "IMG_1.JPG", bytes: "one")]

    /// A hot folder's file that is still being written is neither taken nor forgotten.
    @Test(arguments: [RunMode.once, .together]) func whatIsNotWholeYetIsPending(_ mode: RunMode) async throws {
        let folder = FakePlace("Hot", Self.picture)
        folder.state.withLock { $0.unfinished = [("IMG_2.JPG", "still being written")] }
        #expect(try await world.runner(FakeSource([folder])).run(mode).shown == "1 pending, 1 delivered, exit 8")
        #expect(world.result("IMG_2.JPG")?.reason == "not taken: still being written")
    }

    /// A folder that gives its files away is told of each, also of those that were still on their way when it was
    /// closed.
    @Test(arguments: [RunMode.once, .together]) func aPlaceIsToldOfWhatIsDeliveredAfterIt(_ mode: RunMode) async throws
    {
        let folder = FakePlace("Hot", Self.picture)
        let plan = world.plan([FakeSource([folder])], target: Slow(place: folder))
        #expect(try await world.runner(plan).run(mode).shown == "1 delivered, exit 0")
        #expect(folder.state.withLock { $0.settled } == ["IMG_1.JPG": .delivered])
        #expect(folder.state.withLock { $0.concluded } > 0)
    }

    /// The mount point of a card that was taken out looks like an empty card.
    @Test(arguments: [RunMode.once, .together]) func aCardThatWasTakenOutIsMissed(_ mode: RunMode) async throws {
        let card = FakePlace("Card", Self.picture, at: "/media/card")
        _ = try await world.runner(FakeSource([card])).run(mode)
        let left = FakePlace("Mount point", [], at: "/media/card")
        #expect(try await world.runner(FakeSource([left])).run(mode).shown == "exit 5")
        #expect(world.said.contains { $0.hasPrefix("trouble: ") && $0.contains("is empty, and files of another disk") })
    }

    @Test(arguments: [RunMode.once, .together]) func aPlaceThatFailsKeepsNothingFromTheOthers(
        _ mode: RunMode
    ) async throws {
        let broken = FakePlace("Broken", []), card = FakePlace("Card", Self.picture)
        broken.state.withLock { $0.closedDoors = [IngestError(.unexpected, "nonsense")] }
        #expect(
            try await world.runner(FakeSource([broken]), FakeSource([card])).run(mode).shown == "1 delivered, exit 1")
    }

    @Test(arguments: [RunMode.once, .together, .continuous]) func aPlaceThatTwoSourcesFindIsTakenOnce(
        _ mode: RunMode
    ) async throws {
        let card = FakePlace("Card", Self.picture), runner = world.runner(FakeSource([card]), FakeSource([card]))
        async let outcome = runner.run(mode)
        if mode == .continuous {
            await world.hears("Card: finished")
            await world.hears("IMG_1.JPG: delivered")
            runner.stop()
        }
        #expect(try await outcome.summary.counts.filter { $0.value > 0 } == [.delivered: 1])
        #expect(card.state.withLock { $0.opened } == 1)
    }

    /// What is delivered while its camera, which was lost, is listed again has one ending.
    @Test func whatEndsWhileItIsListedAgainIsToldOfOnce() async throws {
        let gallery = Late(), world = world
        let camera = FakePlace("Camera", Self.picture, source: "ptp") {
            _ in
        } whileListing: { number in
            guard number == 1 else { return }
            gallery.answer()
            await world.hears("IMG_1.JPG: delivered")
        }
        camera.state.withLock { $0.listens = true }
        let runner = world.runner(world.plan([FakeSource([camera])], target: gallery), verb: "run")
        async let outcome = runner.run(.continuous)
        await gallery.isAsked()
        await camera.isListenedTo()
        camera.goAway()
        await world.clock.passNext(.milliseconds(500))
        await camera.isListenedTo()
        runner.stop()
        #expect(try await outcome.shown == "1 delivered, exit 130")
        #expect(camera.fetched == ["IMG_1.JPG"])
    }

    /// Two folders of one disk have its identity, and are two places.
    @Test func twoDumpsOnOneDiskAreListedEach() async throws {
        let one = FakePlace("One", Self.picture)
        let two = FakePlace("Two", [("IMG_2.JPG", "two")], volume: one.volume, home: "two")
        #expect(try await world.runner(FakeSource([one, two])).run(.together).shown == "2 delivered, exit 0")
        #expect(Set(world.said.filter { $0.hasPrefix("listed") }) == ["listed One: 1", "listed Two: 1"])
    }
}
