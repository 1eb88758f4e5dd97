import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

@testable import FilmgateEngine

/// What waits for one target is under way to that one alone: another one that wants it gets it, too, and once.
@Suite(.timeLimit(.minutes(5))) struct AddedTargetTests {
    /// Writes down what it is sent; while it is shut, it lets nobody in.
    private final class Gallery: UploadTarget {
        let traits: TargetTraits
        private let state = Mutex<(isShut: Bool, taken: [String])>((false, []))

        init(_ name: String) { traits = TargetTraits(identity: name, parallel: 1) }

        /// The names of the files that came, in order; twice what came twice.
        var taken: [String] { state.withLock { $0.taken.sorted() } }
        func shut(_ isShut: Bool) { state.withLock { $0.isShut = isShut } }

        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            let isShut = state.withLock { state in
                if !state.isShut { state.taken.append(job.name) }
                return state.isShut
            }
            if isShut { throw IngestError(.unauthorized, "It is shut.") }
            return Receipt(state: .done, id: job.name)
        }
    }

    private struct Delivering: Stage {
        let traits: StageTraits
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
            .deliver(asset, to: traits.deliversTo)
        }
    }

    private let world: RunWorld
    private let archive = Gallery("archive"), backup = Gallery("backup"), picks = Gallery("picks")
    private let stars = Gallery("stars")
    init() throws { world = try RunWorld() }

    private static func card(_ files: (name: String, bytes: String)...) -> FakePlace { FakePlace("Card", files) }
    private static let names = ["IMG_1.JPG", "IMG_2.JPG"]

    /// Frames wait for `picks` until they are picked, and for `stars` until they are rated.
    private func plan(_ card: FakePlace?, _ galleries: Gallery...) -> Plan {
        var picked = DeliveryRule(), rated = DeliveryRule()
        picked.picks = .only
        (rated.minRating, rated.unrated) = (3, .wait)
        var traits = StageTraits(deliversTo: galleries.map(\.traits.identity), recognises: true)
        traits.rules = ["picks": picked, "stars": rated]
        return Plan(
            sources: [FakeSource(card.map { [$0] } ?? [])], stages: [Delivering(traits: traits)],
            targets: galleries.map { (name: $0.traits.identity, target: $0 as any UploadTarget) },
            profiles: ProfileSet(), spool: 1 << 20)
    }

    private func run(_ plan: Plan) async throws -> String {
        try await world.runner(plan, verb: "run").run(.together).shown
    }

    /// As people say it of a picture while a run goes on.
    private func mark(_ sha256: String, _ rating: Int, _ runner: Runner) async throws {
        let order = MarkOrder.Order.set(rating: rating, pick: nil, colour: nil, sha256s: [sha256])
        _ = try await world.ledger.mark(MarkOrder(order, by: "ann"))
        await runner.marked([sha256])
    }

    @Test func whatWaitsForAPickComesToATargetThatIsNew() async throws {
        let card = Self.card((Self.names[0], "one"), (Self.names[1], "two"))
        #expect(try await run(plan(card, archive, picks)) == "2 pending, exit 8")
        #expect(try await run(plan(card, archive, backup, picks)) == "2 pending, exit 8")
        #expect(archive.taken == Self.names && backup.taken == Self.names && picks.taken.isEmpty)
        #expect(card.fetched.count == 4 && world.spooled.count == 2)
        // Now every target has it, or has it waiting: it is not read again.
        #expect(try await run(plan(card, archive, backup, picks)) == "2 pending, exit 8")
        #expect(card.fetched.count == 4 && archive.taken == Self.names && backup.taken == Self.names)
    }

    /// One that refused us holds what is meant for it, and nothing else.
    @Test func whatIsHeldComesToATargetThatIsNew() async throws {
        let card = Self.card((Self.names[0], "one"), (Self.names[1], "two"))
        archive.shut(true)
        #expect(try await run(plan(card, archive)) == "2 pending, exit 4")
        #expect(try await run(plan(card, archive, backup)) == "2 pending, exit 4")
        #expect(archive.taken.isEmpty && backup.taken == Self.names && world.spooled.count == 2)
        archive.shut(false)
        #expect(try await run(plan(nil, archive, backup)) == "2 delivered, exit 0")
        #expect(archive.taken == Self.names && backup.taken == Self.names && world.spooled == [])
    }

    /// Files of the same bytes are one delivery at each target, whichever of them an earlier run left waiting.
    @Test func twinsThatWaitComeToATargetThatIsNewOnce() async throws {
        let card = Self.card((Self.names[0], "same"), (Self.names[1], "same"), ("IMG_3.JPG", "three"))
        #expect(try await run(plan(card, archive, picks)) == "3 pending, exit 8")
        #expect(try await run(plan(card, archive, backup, picks)) == "3 pending, exit 8")
        #expect(archive.taken.count == 2 && backup.taken.count == 2 && backup.taken.contains("IMG_3.JPG"))
    }

    /// A frame that could not be read for the new target waits for the other one still, and is one file.
    @Test func whatCannotBeReadAgainHasOneEnding() async throws {
        let card = Self.card((Self.names[0], "one"))
        #expect(try await run(plan(card, archive, picks)) == "1 pending, exit 8")
        card.state.withLock { $0.broken = [Self.names[0]: IngestError(.corruptData, "It is broken.")] }
        #expect(try await run(plan(card, archive, backup, picks)) == "1 pending, exit 5")
        #expect(backup.taken.isEmpty)
        #expect(try await run(plan(card, archive, backup, picks)) == "1 pending, exit 8")
        #expect(archive.taken == [Self.names[0]] && backup.taken == [Self.names[0]])
    }

    /// What marks had ended for one target comes back while the frame waits for another one.
    @Test func aMarkIsHeardOfWhatWaitsElsewhere() async throws {
        let card = Self.card((Self.names[0], "one")), runner = world.runner(plan(card, archive, picks, stars))
        async let outcome = runner.run(.continuous)
        while try await world.ledger.queue(judgedBy: nil).count < 2 { await Task.yield() }
        while archive.taken.isEmpty { await Task.yield() }
        let sha256 = try #require(try await world.ledger.queue(judgedBy: nil).first).delivery.content.sha256
        try await mark(sha256, 1, runner)
        let rows = try await world.ledger.deliveries(of: ContentKey(sha256: sha256))
        #expect(rows.first { $0.target == "stars" }?.receipt.state == .excluded)
        try await mark(sha256, 5, runner)
        while stars.taken.isEmpty { await Task.yield() }
        runner.stop()
        #expect(try await outcome.shown == "1 pending, exit 130")
        #expect(stars.taken == [Self.names[0]] && archive.taken == [Self.names[0]] && picks.taken.isEmpty)
        #expect(world.spooled.count == 1)
    }

    /// What was left of it may end before what is read of it: it is one file, and counts twice only where that waits.
    @Test(arguments: [(true, Ending.delivered, 1), (true, .duplicate, 1), (true, .pending, 2), (false, .delivered, 0)])
    func whatEndsBeforeItIsReadCountsOnce(isUnderWay: Bool, second: Ending, total: Int) {
        let statistics = RunStatistics(hub: EventHub())
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 7, modified: 1)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
        statistics.expectAgain([asset.id]) { _ in isUnderWay }
        if isUnderWay { statistics.settle(AssetResult(asset: asset, ending: .delivered)) }
        statistics.settle(AssetResult(asset: asset, ending: second))
        let summary = statistics.outcome(seconds: 1, signal: nil).summary
        #expect(summary.counts.values.reduce(0, +) == total && summary.bytes == (isUnderWay ? 7 : 0))
    }
}
