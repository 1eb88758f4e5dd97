import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// From an open place to its targets: order, room in the spool, and what becomes of the rest when something breaks.
@Suite(.timeLimit(.minutes(5))) struct IntakeTests {
    private let world: RunWorld
    init() throws { world = try RunWorld() }

    private static func files(_ count: Int) -> [(name: String, bytes: String)] {
        (1...count).map { ("IMG_\($0).JPG", "picture \($0)") }
    }

    /// The second file of a name gets the suffix, though it was read first.
    @Test func namesAreGivenInCardOrder() async throws {
        let (secondIsRead, read) = AsyncStream<Never>.makeStream()
        let card = FakePlace("Card", [("100/IMG_1.JPG", "one"), ("101/IMG_1.JPG", "two")], parallel: 2) { name in
            if name.hasPrefix("100") { for await _ in secondIsRead {} }
        }
        let plan = world.plan([FakeSource([card])]) { path in if path.hasPrefix("DCIM/101") { read.finish() } }
        #expect(try await world.runner(plan).run(.once).shown == "2 delivered, exit 0")
        #expect(world.result("100/IMG_1.JPG")?.asset.receipts["gallery"]?.id == "IMG_1.JPG")
        #expect(world.result("101/IMG_1.JPG")?.asset.receipts["gallery"]?.id == "IMG_1-2.JPG")
    }

    /// What the targets do not take fills the spool; the rest stays on its card, and room is given back with each
    /// delivery.
    @Test func aFullSpoolLeavesTheRestOnTheCard() async throws {
        let source = FakeSource([FakePlace("Card", Self.files(4))]), plan = world.plan([source], spool: 20)
        world.shut(true)
        let first = try await world.clock.passing(.milliseconds(200)) {
            try await world.runner(plan) { $0.wait = .seconds(1 << 20) }.run(.once)
        }
        #expect(first.shown == "4 pending, exit 4" && world.spooled.count == 2)
        #expect(world.result("IMG_3.JPG")?.reason == "not taken: the spool is full and its targets take nothing")
        world.shut(false)
        let second = try await world.clock.passing(.milliseconds(200)) {
            try await world.runner(plan) { $0.wait = .seconds(1 << 20) }.run(.once)
        }
        #expect(second.shown == "4 delivered, exit 0" && world.spooled == [])
    }

    @Test func aFileThatCannotBeReadIsSetAsideAlone() async throws {
        let card = FakePlace("Card", Self.files(3))
        card.state.withLock { $0.broken = ["IMG_2.JPG": IngestError(.unreadable, "bad sector")] }
        #expect(try await world.runner(FakeSource([card])).run(.once).shown == "1 setAside, 2 delivered, exit 3")
    }

    @Test func whatACameraDidNotGiveBeforeItWasGoneIsPending() async throws {
        let card = FakePlace("Card", Self.files(3))
        card.state.withLock { $0.broken = ["IMG_2.JPG": IngestError(.deviceGone, "pulled")] }
        let next = FakePlace("Next", [("IMG_9.JPG", "nine")])
        let first = try await world.runner(FakeSource([card, next])).run(.once)
        // The file behind it may have been asked for by then.
        #expect(
            first.summary.seen == 4 && (1...2).contains(first.summary[.pending]) && first.exitCode == .sourceLost,
            "\(first.shown)")
        let second = try await world.runner(FakeSource([card, next])).run(.once)
        #expect(
            second.summary.seen == 4 && second.exitCode == .complete && world.delivered.count == 4, "\(second.shown)")
    }
}
