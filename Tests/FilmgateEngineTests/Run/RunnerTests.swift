import FilmgateCore
import FilmgateLedger
import FilmgateTesting
import Synchronization
import Testing

@testable import FilmgateEngine

/// A run from its sources to the ledger.
@Suite(.timeLimit(.minutes(5))) struct RunnerTests {
    private let world: RunWorld
    init() throws { world = try RunWorld() }

    /// A gallery that takes each file and never answers.
    private final class Silent: UploadTarget {
        let traits = TargetTraits(identity: "gallery", parallel: 1)
        private let begun = AsyncStream<Void>.makeStream()

        func isAsked() async { for await _ in begun.stream { return } }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            begun.continuation.yield()
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw IngestError(.cancelled, "Broken off.")
        }
    }

    /// A gallery that says nothing when it is asked who has a name; some break off when nobody waits for that any more.
    private final class Mute: UploadTarget {
        let traits = TargetTraits(identity: "gallery", layout: Template("{name}"), parallel: 1)
        let mayAnswer = CancelToken(), breaksOff: Bool
        init(breaksOff: Bool) { self.breaksOff = breaksOff }

        func check() async throws(IngestError) {}
        func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
            if breaksOff {
                for await _ in AsyncStream<Never>.makeStream().stream {}
                throw IngestError(.cancelled, "Broken off.")
            }
            await mayAnswer.wait(or: CancelToken())
            return .free
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done, id: job.name) }
    }

    /// A gallery that counts how often it is told that a run has ended.
    private final class Counting: UploadTarget {
        let traits = TargetTraits(identity: "gallery"), ends = Mutex(0)
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done, id: job.name) }
        func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) { ends.withLock { $0 += 1 } }
    }

    /// Takes what is on its way, and nothing that is done.
    private struct Forgetful: Ledger, LedgerStandIn {
        func record(_ changes: [LedgerChange]) async throws(IngestError) {
            for case .delivery(let row) in changes where row.receipt.state == .done {
                throw IngestError(.unexpected, "It cannot be written.")
            }
        }
        func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
        func sync() async throws(IngestError) {}
    }

    private static func card(
        _ count: Int, whileReading: @escaping @Sendable (String) async -> Void = { _ in }
    ) -> FakePlace {
        FakePlace("Card", (1...count).map { ("IMG_\($0).JPG", "picture \($0)") }, whileReading: whileReading)
    }

    /// The name is chosen without it, and asked about before the next run sends the file.
    @Test(arguments: [false, true]) func aRunThatIsStoppedWaitsForNoName(_ breaksOff: Bool) async throws {
        let gallery = Mute(breaksOff: breaksOff), plan = world.plan([FakeSource([Self.card(1)])], target: gallery)
        let runner = world.runner(plan, verb: "run"), running = Task { try await runner.run(.continuous).shown }
        await world.clock.awaits(TargetAnswers(isPlan: false).patience)
        runner.stop()
        await world.clock.passNext(CancelToken.grace)
        #expect(try await running.value == "1 pending, exit 130")
        #expect(try await world.ledger.queue([.pending, .held]).count == 1)
        gallery.mayAnswer.set()
    }

    @Test func eachFileIsDeliveredOnceAndKnownAgain() async throws {
        let card = FakePlace("A", [("IMG_1.CR3", "raw 1"), ("IMG_1.JPG", "jpeg 1"), ("IMG_2.JPG", "jpeg 2")])
        let other = FakePlace("B", [("IMG_9.JPG", "jpeg 9")]), source = FakeSource([card, other])
        #expect(try await world.runner(source).run(.once).shown == "4 delivered, exit 0")
        #expect(world.delivered == ["IMG_1.CR3", "IMG_1.JPG", "IMG_2.JPG", "IMG_9.JPG"])
        #expect(try await world.runner(source).run(.once).shown == "4 alreadySeen, exit 0")
        #expect(card.fetched == ["IMG_1.CR3", "IMG_1.JPG", "IMG_2.JPG"] && other.fetched == ["IMG_9.JPG"])
        #expect(world.spooled == [])
        let runs = try await world.ledger.runs(limit: 9)
        #expect(runs.map(\.exit) == [0, 0] && runs.map(\.summary?.seen) == [4, 4])
    }

    /// What a gallery still doubts it may forget only once the ledger knows better.
    @Test(arguments: [true, false]) func aGalleryHearsOfTheEndWhereTheLedgerHasItAll(_ isKept: Bool) async throws {
        let gallery = Counting(), plan = world.plan([FakeSource([Self.card(1)])], target: gallery)
        _ = try? await world.runner(plan, writer: isKept ? nil : Forgetful()).run(.once)
        #expect(gallery.ends.withLock(\.self) == (isKept ? 1 : 0))
    }

    /// Whoever hears that a file is delivered may remove it, and no run would know that it ever was there.
    @Test(arguments: [true, false]) func aSourceHearsOnlyWhatTheLedgerKnows(_ isKept: Bool) async throws {
        let card = Self.card(1), plan = world.plan([FakeSource([card])])
        let outcome = try await world.runner(plan, writer: isKept ? nil : Forgetful()).run(.once)
        #expect(world.delivered == ["IMG_1.JPG"] && outcome.exitCode == (isKept ? .complete : .failure))
        // It is told as what it is all the same.
        #expect(world.result("IMG_1.JPG")?.ending == .delivered)
        let (settled, delivered) = card.state.withLock { ($0.settled, $0.delivered) }
        #expect(settled == ["IMG_1.JPG": isKept ? .delivered : .pending])
        #expect(delivered == (isKept ? ["IMG_1.JPG"] : []))
    }

    @Test func aRunThatFindsNothingIsNone() async throws {
        let error = await #expect(throws: IngestError.self) { try await world.runner(FakeSource([])).run(.once) }
        #expect(error?.code == .notFound)
        #expect(try await world.ledger.runs(limit: 1) == [])
    }

    @Test func whatIsNotBegunWhenItIsStoppedIsPending() async throws {
        let running = Mutex<Runner?>(nil)
        let card = Self.card(4) { _ in running.withLock { $0 }?.stop() }, source = FakeSource([card])
        let runner = world.runner(source)
        running.withLock { $0 = runner }
        let outcome = try await runner.run(.once)
        #expect(outcome.summary.seen == 4 && outcome.exitCode == .interrupted, "\(outcome.shown)")
        // One is read, and the next one may wait for its turn by then.
        #expect(card.fetched.count <= 2)
        #expect(world.result("IMG_4.JPG")?.reason?.hasPrefix("not taken") == true)
        running.withLock { $0 = nil }
        _ = try await world.runner(source).run(.once)
        #expect(world.delivered.count == 4 && world.spooled == [])
    }

    @Test func whatIsHeldIsSentAgainWithoutItsCard() async throws {
        let card = Self.card(2), source = FakeSource([card])
        world.shut(true)
        #expect(try await world.runner(source).run(.once).shown == "2 pending, exit 4")
        #expect(world.spooled.count == 2)
        let asked = source.asked
        #expect(
            try await world.runner(source, verb: "retry").run(.resume(ResumeOrder([.pending, .held]))).shown
                == "2 pending, exit 4")
        world.shut(false)
        #expect(
            try await world.runner(source, verb: "retry").run(.resume(ResumeOrder([.pending, .held], target: "other")))
                .shown == "exit 0")
        #expect(
            try await world.runner(source, verb: "retry").run(
                .resume(ResumeOrder([.pending, .held], target: "gallery"))
            ).shown
                == "2 delivered, exit 0")
        #expect(source.asked == asked && card.fetched.count == 2 && world.spooled == [])
    }

    /// Files with the same bytes share one delivery: each has an ending of its own.
    @Test func twinsEndTogether() async throws {
        let source = FakeSource([FakePlace("A", [("IMG_1.JPG", "same")]), FakePlace("B", [("IMG_2.JPG", "same")])])
        world.shut(true)
        #expect(try await world.runner(source).run(.once).shown == "2 pending, exit 4")
        world.shut(false)
        let outcome = try await world.runner(source, verb: "retry").run(.resume(ResumeOrder([.pending, .held])))
        #expect(
            outcome.summary.seen == 2 && outcome.summary[.pending] == 0 && world.delivered.count == 1,
            "\(outcome.shown)")
    }

    @Test func aRunBeginsWithWhatAnEarlierOneLeft() async throws {
        world.shut(true)
        _ = try await world.runner(FakeSource([Self.card(2)])).run(.once)
        world.shut(false)
        let outcome = try await world.runner(FakeSource([]), verb: "run").run(.together)
        #expect(outcome.shown == "2 delivered, exit 0" && world.spooled == [])
    }

    /// The disk that some bytes wait on may not answer, whosever it is: what lies elsewhere is sent.
    @Test func bytesThatCannotBeLookedAtKeepNothingFromTheOthers() async throws {
        world.shut(true)
        _ = try await world.runner(FakeSource([Self.card(2)])).run(.once)
        world.shut(false)
        let waiting = try await world.ledger.queue([.pending, .held])
        var row = try #require(waiting.first).delivery
        // No file system has such a name: looking there fails as on a disk that is not connected any more.
        row.file = "/" + String(repeating: "a", count: 300)
        try await world.ledger.record([.delivery(row)])
        let outcome = try await world.runner(FakeSource([]), verb: "run").run(.together)
        #expect(world.delivered.count == 1 && outcome.summary[.delivered] == 1, "\(outcome.shown)")
        #expect(try await world.ledger.queue([.pending, .held]).count == 1)
    }

    /// It waits as long as somebody said, and no longer; what is left is the next run's.
    @Test func aGalleryThatNeverAnswersIsGivenUp() async throws {
        let gallery = Silent(), card = Self.card(1)
        let runner = world.runner(world.plan([FakeSource([card])], target: gallery)) { $0.wait = .seconds(120) }
        async let outcome = runner.run(.once)
        await gallery.isAsked()
        await world.clock.awaits(.milliseconds(200))
        world.clock.pass(.seconds(119))
        await world.clock.awaits(.milliseconds(200))
        world.clock.pass(.seconds(2))
        #expect(try await outcome.shown == "1 pending, exit 8")
        #expect(try await outcome.summary.seconds > 120)
        #expect(world.spooled.count == 1)
    }

    /// A reload waits five seconds for what is being sent.
    @Test func whatTakesLongIsBrokenOffWhenARunIsLeft() async throws {
        let gallery = Silent(), card = Self.card(1)
        card.state.withLock { $0.listens = true }
        let runner = world.runner(world.plan([FakeSource([card])], target: gallery), verb: "run")
        async let outcome = runner.run(.continuous)
        await gallery.isAsked()
        runner.leave()
        await world.clock.passNext(.seconds(5))
        #expect(try await outcome.shown == "1 pending, exit 8")
    }
}
