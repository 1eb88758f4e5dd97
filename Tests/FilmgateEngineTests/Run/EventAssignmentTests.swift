import FilmgateCore
import FilmgateLedger
import FilmgateTesting
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
    /// Takes what is given to an event, and is told of nothing after that.
    private struct Killed: Ledger, LedgerStandIn {
        let ledger: SQLiteLedger

        func record(_ changes: [LedgerChange]) async throws(IngestError) {
            let isAssigned = changes.contains { if case .assigned = $0 { true } else { false } }
            guard isAssigned else { throw IngestError(.unexpected, "It cannot be written.") }
            try await ledger.record(changes)
        }
        func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 9 }
        func sync() async throws(IngestError) {}
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

    private func plan(_ event: String) throws -> Plan {
        world.plan([], target: try #require(galleries[event]).planned(event, "{event}/{name}").target)
    }

    private func assign(_ event: String) throws -> Task<RunOutcome, any Error> {
        let runner = world.runner(try plan(event), verb: "assign") { $0.event = event }
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
        // Files of a shot are no two orders: who is first gets all that both name.
        #expect([delivered("smith").count, delivered("jones").count].sorted() == [0, 2])
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

    /// A process that is killed after that has sent nothing, and left nothing of a shot for another event.
    @Test func aShotIsGivenAsAWholeBeforeAnythingIsSent() async throws {
        try await hold(["IMG_1.JPG", "IMG_1.CR3", "IMG_2.JPG"], on: "Card")
        let runner = world.runner(try plan("smith"), verb: "assign", writer: Killed(ledger: world.ledger)) {
            $0.event = "smith"
        }
        _ = try? await runner.run(.resume(ResumeOrder([.held, .pending], assigning: true)))
        let rows = try await world.ledger.queue([.held, .pending]).map(\.delivery)
        #expect(rows.count == 3 && rows.allSatisfy { $0.event == "smith" && $0.receipt.state == .pending }, "\(rows)")
        #expect(rows.allSatisfy { $0.receipt.reason?.hasPrefix("it belongs to smith") == true })
        #expect(try await assign("jones").value.shown == "exit 0")
        #expect(delivered("smith") == [] && delivered("jones") == [])
        let retry = world.runner(try plan("smith"), verb: "retry")
        #expect(try await retry.run(.resume(ResumeOrder([.held, .pending]))).shown == "3 delivered, exit 0")
        #expect(delivered("smith") == ["smith/IMG_1.CR3", "smith/IMG_1.JPG", "smith/IMG_2.JPG"])
    }

    /// What was taken back before its event was known stays so, also where the job had looked it up before.
    @Test func whatIsTakenBackMeanwhileIsNotSent() async throws {
        try await hold()
        let job = try assign("smith")
        await barrier.has(1)
        let rows = try await world.ledger.queue([.held, .pending])
        var row = try #require(rows.first { $0.asset.origin.name == "IMG_1.JPG" }).delivery
        row.receipt = Receipt(state: .excluded, at: 5, reason: DeliveryRow.cancelledReason)
        try await world.ledger.record([.cancelled(row, run: 1, at: 5)])
        barrier.open(0)
        _ = try await job.value
        #expect(delivered("smith") == ["smith/IMG_2.JPG"])
        let after = try await world.ledger.deliveries(of: row.content)
        #expect(after.map(\.target) == [row.target] && after.first?.receipt.state == .excluded, "\(after)")
        #expect(try await world.ledger.queue([.held, .pending]).isEmpty)
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
        #expect(leases.assign([content], to: "smith", by: one) == [content: "smith"])
        #expect(leases.assign([content], to: "smith", by: other) == [content: "smith"])
        leases.leave(one)
        #expect(leases.assign([content], to: "jones", by: third) == [content: "smith"])
        leases.unassign(content, by: other)
        #expect(leases.assign([content], to: "jones", by: third) == [content: "jones"])
    }
}
