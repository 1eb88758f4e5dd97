import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

@testable import FilmgateEngine

/// Frames that were held without an event, and two jobs that give them to one at the same time.
@Suite(.timeLimit(.minutes(5))) struct EventAssignmentTests {
    /// Stops whoever has looked up what waits, before anything of it is sent.
    private final class Barrier: Sendable {
        private let waiting = Mutex<[CancelToken]>([]), never = CancelToken()

        func pass() async {
            let token = CancelToken()
            waiting.withLock { $0.append(token) }
            await token.wait(or: never)
        }

        /// Returns once so many have come.
        func has(_ count: Int) async { while waiting.withLock(\.count) < count { await Task.yield() } }

        /// The first that came is number 0.
        func open(_ number: Int) { waiting.withLock { $0[number] }.set() }
    }
    private static let names = ["IMG_1.JPG", "IMG_2.JPG"]
    private let world: RunWorld, barrier = Barrier()
    private let galleries = [
        "smith": FilesAtTarget("gallery", isFolder: false), "jones": FilesAtTarget("gallery", isFolder: false),
    ]

    init() throws { world = try RunWorld() }

    /// Two frames without an event; jobs that come after that stop at the barrier.
    private func hold() async throws {
        try await hold(Self.names, on: "Card")
        let barrier = barrier
        world.leases.introduce(
            world.leases.join(),
            DeliveryLeases.Holder(tryNow: { _, _, _ in await barrier.pass() }, cede: { _, _, _ in }))
    }

    private func hold(_ names: [String], on card: String) async throws {
        let place = FakePlace(card, names.map { ($0, "bytes of \($0)") })
        let target = world.gallery.planned(nil, "{event}/{name}").target
        let held = try await world.runner(world.plan([FakeSource([place])], target: target)) { $0.holdsForEvent = true }
            .run(.once)
        try #require(held.summary[.pending] == names.count, "\(held.shown)")
    }

    private func assign(_ event: String) throws -> Task<RunOutcome, any Error> {
        let target = try #require(galleries[event]).planned(event, "{event}/{name}").target
        let runner = world.runner(world.plan([], target: target), verb: "assign") { $0.event = event }
        return Task { try await runner.run(.resume(ResumeOrder([.held, .pending], assigning: true))) }
    }

    private func delivered(_ event: String) -> [String] {
        galleries[event]?.state.withLock { $0.files.values.map(\.path).sorted() } ?? []
    }

    /// The targets that the ledger has for each frame.
    private func targets() async throws -> [[String]] {
        var all: [[String]] = []
        for asset in try await world.ledger.assets(AssetFilter()) {
            all.append(try await world.ledger.deliveries(of: try #require(asset.content)).map(\.target))
        }
        return all
    }

    @Test func aFrameThatIsGivenToTwoEventsAtOnceGoesToOne() async throws {
        try await hold()
        let first = try assign("smith")
        await barrier.has(1)
        let second = try assign("jones")
        await barrier.has(2)
        barrier.open(0)
        barrier.open(1)
        let summaries = [try await first.value.summary, try await second.value.summary]
        #expect(summaries.reduce(0) { $0 + $1[.delivered] } == 2 && summaries.reduce(0) { $0 + $1[.pending] } == 2)
        #expect((delivered("smith") + delivered("jones")).count == 2)
        let targets = try await targets()
        #expect(targets.count == 2 && targets.allSatisfy { $0.count == 1 }, "\(targets)")
    }

    /// What the second comes to that looked up what waits before the first began, and sends when that is over.
    private func outcome(ofLater event: String) async throws -> String {
        try await hold()
        let first = try assign("smith")
        await barrier.has(1)
        let second = try assign(event)
        await barrier.has(2)
        barrier.open(0)
        #expect(try await first.value.shown == "2 delivered, exit 0")
        barrier.open(1)
        return try await second.value.shown
    }

    @Test func whoComesLaterIsToldWhoseItIs() async throws {
        #expect(try await outcome(ofLater: "jones") == "2 pending, exit 8")
        #expect(delivered("smith") == Self.names.map { "smith/" + $0 } && delivered("jones") == [])
        #expect(try await targets() == [["gallery:smith"], ["gallery:smith"]])
        for name in Self.names { #expect(world.result(name)?.reason == "gallery: already given to smith") }
    }

    @Test func theSameEventSaidTwiceSendsNothingTwice() async throws {
        #expect(try await outcome(ofLater: "smith") == "2 duplicate, exit 0")
        #expect(try await targets() == [["gallery:smith"], ["gallery:smith"]])
    }

    /// What comes in while a job begins is none of its files: it was neither given to the event nor left out.
    @Test func aFrameThatComesMeanwhileIsNotCounted() async throws {
        try await hold()
        let job = try assign("smith")
        await barrier.has(1)
        try await hold(["IMG_3.JPG"], on: "Other")
        barrier.open(0)
        #expect(try await job.value.shown == "2 delivered, exit 0")
        #expect(try await world.ledger.queue([.held, .pending]).count == 1)
    }

    /// Nobody who ended before it sent anything keeps a frame from another event.
    @Test func anEventThatNobodyGivesAnyMoreIsForgotten() {
        let leases = DeliveryLeases(), one = leases.join(), other = leases.join(), third = leases.join()
        let content = ContentKey(rawValue: "a")
        #expect(leases.assign(content, to: "smith", by: one) == "smith")
        #expect(leases.assign(content, to: "smith", by: other) == "smith")
        leases.leave(one)
        #expect(leases.assign(content, to: "jones", by: third) == "smith")
        leases.unassign(content, by: other)
        #expect(leases.assign(content, to: "jones", by: third) == "jones")
    }
}
