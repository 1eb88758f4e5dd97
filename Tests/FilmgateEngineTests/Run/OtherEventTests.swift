import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

@testable import FilmgateEngine

/// Files that bring another event with them than the run has.
@Suite(.timeLimit(.minutes(5))) struct OtherEventTests {
    /// For which events plans were made, and how making them fails, one try after the other.
    private final class Plans: Sendable {
        let built = Mutex<[String]>([]), failures = Mutex<[IngestError]>([])
    }
    /// A folder that asks, when it is to take a file, for which events the ledger has files.
    private final class Asking: UploadTarget {
        let traits = TargetTraits(identity: "folder:smith", localRoot: "/nowhere/smith", layout: Template("{name}"))
        let known = Mutex<[[String?]]>([])
        private let ledger: SQLiteLedger

        init(_ ledger: SQLiteLedger) { self.ledger = ledger }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            let events = try await ledger.assets(AssetFilter()).map(\.event)
            known.withLock { $0.append(events) }
            return Receipt(state: .done, path: "/nowhere/smith/" + job.path, sha256: job.digests.sha256)
        }
    }
    /// A gallery that lets nobody in at first, and hears when nothing more comes for its event.
    private final class Closed: UploadTarget {
        let traits = TargetTraits(identity: "gallery:smith", layout: Template("{event}/{name}"), parallel: 1)
        let isOpen = CancelToken(), isEnded = CancelToken()
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            if !isOpen.isSet { throw IngestError(.unauthorized, "It lets nobody in.") }
            return Receipt(state: .done, id: job.path)
        }
        func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) { isEnded.set() }
    }
    /// A gallery that takes its time with a file and with its end, and counts how often it is told of that.
    private final class Slow: UploadTarget {
        let traits = TargetTraits(identity: "gallery:smith", layout: Template("{event}/{name}"), parallel: 1)
        let mayTake = CancelToken(), isEnding = CancelToken(), mayEnd = CancelToken(), endings = Mutex(0)
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            await mayTake.wait(or: CancelToken())
            return Receipt(state: .done, id: job.path)
        }
        func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) {
            endings.withLock { $0 += 1 }
            isEnding.set()
            await mayEnd.wait(or: CancelToken())
        }
    }
    private let world: RunWorld, plans = Plans()
    /// The gallery as it is for that event.
    private let smith = FilesAtTarget("gallery", isFolder: false)
    init() throws { world = try RunWorld() }

    private func place(_ label: String, _ event: String?, _ files: [String]) -> FakePlace {
        let place = FakePlace(label, files.map { ($0, "bytes of \($0) of \(label)") }, source: "ftp", event: event)
        place.state.withLock { $0.listens = true }
        return place
    }

    private func runner(
        _ places: [FakePlace], from source: FakeSource? = nil, verb: String = "run", event: String? = "jones",
        failing: [IngestError] = [], hanging: String? = nil, at other: (any UploadTarget)? = nil,
        _ change: (inout RunOptions) -> Void = { _ in }
    ) -> Runner {
        let (world, plans, smith) = (world, plans, smith)
        plans.failures.withLock { $0 = failing }
        let target = world.gallery.planned(event, "{event}/{name}").target
        return world.runner(
            world.plan([source ?? FakeSource(places)], target: target), verb: verb,
            { options in
                options.event = event
                change(&options)
            },
            buildPlan: { event throws(IngestError) in
                plans.built.withLock { $0.append(event) }
                if let error = plans.failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
                if event == hanging { throw await Self.patience() }
                return world.plan([], target: other ?? smith.planned(event, "{event}/{name}").target)
            })
    }

    /// A gallery that never answers, until nobody waits for it.
    private static func patience() async -> IngestError {
        let (never, feed) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        feed.finish()
        return IngestError(.cancelled, "Nobody waits.")
    }

    private var atSmith: [String] { smith.state.withLock { $0.files.values.map(\.path).sorted() } }
    /// For which event a file was taken, and the target that it is for, as the ledger has it.
    private func row(_ place: FakePlace, _ name: String) async throws -> String {
        let all = try await world.ledger.assets(AssetFilter())
        let asset = try #require(all.first { $0.origin.root == place.place.address && $0.origin.name == name })
        let deliveries = try await world.ledger.deliveries(of: try #require(asset.content))
        return "\(asset.event ?? "none") \(deliveries.map(\.target).joined(separator: " "))"
    }

    @Test(arguments: [RunMode.together, .once]) func eachFileGoesToItsEvent(_ mode: RunMode) async throws {
        let own = place("Port", nil, ["IMG_1.JPG"]),
            others = place("Port (smith)", "smith", ["IMG_1.JPG", "IMG_2.JPG"])
        for one in [own, others] { one.state.withLock { $0.listens = false } }
        let outcome = try await runner([own, others], verb: "import").run(mode)
        #expect(outcome.shown == "3 delivered, exit 0", "\(world.said)")
        #expect(world.delivered == ["jones/IMG_1.JPG"] && atSmith == ["smith/IMG_1.JPG", "smith/IMG_2.JPG"])
        #expect(try await row(own, "IMG_1.JPG") == "jones gallery:jones")
        #expect(try await row(others, "IMG_2.JPG") == "smith gallery:smith")
        #expect(plans.built.withLock { $0 } == ["smith"] && world.result("IMG_2.JPG")?.event == "smith")
        // The source is told as ever.
        #expect(others.state.withLock(\.settled) == ["IMG_1.JPG": .delivered, "IMG_2.JPG": .delivered])
    }

    /// What a dry run says is what the next run does.
    @Test func aPlanSaysTheSame() async throws {
        let own = place("Port", nil, ["IMG_1.JPG"]), others = place("Port (smith)", "smith", ["IMG_1.JPG"])
        for one in [own, others] { one.state.withLock { $0.listens = false } }
        let plan = try await runner([own, others], verb: "import") { $0.dryRun = true }.run(.once)
        #expect(plan.shown == "2 delivered, exit 0" && world.delivered.isEmpty && atSmith.isEmpty)
        // Who hears that a file is delivered may let go of it.
        #expect([own, others].allSatisfy { $0.state.withLock(\.settled).isEmpty })
        let run = try await runner([own, others], verb: "import").run(.once)
        #expect(run.shown == plan.shown)
    }

    /// A run that waits for its own event waits for nothing that brings one.
    @Test func aRunWithoutAnEventHoldsItsOwnFilesOnly() async throws {
        let own = place("Port", nil, ["IMG_1.JPG"]), others = place("Port (smith)", "smith", ["IMG_2.JPG"])
        for one in [own, others] { one.state.withLock { $0.listens = false } }
        let outcome = try await runner([own, others], event: nil) { $0.holdsForEvent = true }.run(.together)
        #expect(outcome.summary[.delivered] == 1 && outcome.summary[.pending] == 1, "\(outcome.shown)")
        #expect(outcome.exitCode == .notProven, "\(outcome.shown)")
        #expect(atSmith == ["smith/IMG_2.JPG"] && world.delivered.isEmpty)
        #expect(try await row(own, "IMG_1.JPG") == " gallery")
    }

    /// Places of events come while the run goes on, and their galleries may be away at first.
    @Test func anEventIsAskedForUntilItIsThere() async throws {
        let away = IngestError(.notFound, "The gallery could not be asked.")
        let others = place("Port (smith)", "smith", ["IMG_1.JPG"])
        let runner = runner([others], failing: [away, away])
        async let outcome = runner.run(.continuous)
        await world.clock.passNext(.seconds(1))
        // Memory is given back after two seconds, too: whichever pause came first, both pass.
        await world.clock.passing(.seconds(2)) { await world.hears("IMG_1.JPG: delivered") }
        await others.isListenedTo()
        others.arrive("IMG_2.JPG", "more")
        await world.hears("IMG_2.JPG: delivered")
        runner.stop()
        let shown = try await outcome.shown
        #expect(shown == "2 delivered, exit 130", "\(shown)")
        #expect(world.said.count { $0 == "trouble: The gallery could not be asked." } == 1)
        #expect(plans.built.withLock { $0 } == ["smith", "smith", "smith"])
    }

    /// Whatever one gallery does: the others take their files, and the run ends when it is told to.
    @Test func aGalleryThatHangsHoldsUpNobodyElse() async throws {
        let runner = runner(
            [place("Port (miller)", "miller", ["IMG_1.JPG"]), place("Port (smith)", "smith", ["IMG_2.JPG"])],
            hanging: "miller")
        async let outcome = runner.run(.continuous)
        await world.hears("IMG_2.JPG: delivered")
        runner.stop()
        let shown = try await outcome.shown
        #expect(shown == "1 delivered, exit 130", "\(shown)")
        #expect(atSmith == ["smith/IMG_2.JPG"] && Set(plans.built.withLock { $0 }) == ["miller", "smith"])
    }

    /// When nothing more comes for an event, its plan and queues go; whoever comes for it later has new ones.
    @Test func whatWasMadeForAnEventGoesWithItsPlace() async throws {
        let first = place("Port (smith)", "smith", ["IMG_1.JPG"]), source = FakeSource([first])
        let second = FakePlace(
            "Port (smith)", [("IMG_2.JPG", "more")], source: "ftp", visit: "2", event: "smith")
        second.state.withLock { $0.listens = true }
        let runner = runner([], from: source)
        async let outcome = runner.run(.continuous)
        await world.hears("IMG_1.JPG: delivered")
        await first.isListenedTo()
        first.end()
        await world.hears("Port (smith): finished")
        // Whatever became of a place, the source is asked for more.
        await source.isAsked(2)
        source.hold([second])
        await world.hears("IMG_2.JPG: delivered")
        runner.stop()
        _ = try await outcome
        #expect(atSmith == ["smith/IMG_1.JPG", "smith/IMG_2.JPG"])
        #expect(plans.built.withLock { $0 } == ["smith", "smith"] && !world.said.contains { $0.hasPrefix("trouble") })
    }

    /// What waited when its place had given all it had is sent hours later; in months, a run has many events.
    @Test func whatWasMadeForAnEventGoesWithTheLastThatWaitedThere() async throws {
        let gallery = Closed(), port = place("Port (smith)", "smith", ["IMG_1.JPG"])
        let runner = runner([port], at: gallery), clock = world.clock, pause = Duration.seconds(60)
        async let outcome = runner.run(.continuous)
        await world.hears("held: gallery")
        // The held gallery is tried again after as long.
        await clock.awaits(pause)
        let before = clock.waits.count { $0 == pause }
        await port.isListenedTo()
        port.end()
        await world.hears("Port (smith): finished")
        while clock.waits.count(where: { $0 == pause }) == before { await Task.yield() }
        gallery.isOpen.set()
        await world.leases.tryNow("gallery")
        await world.hears("IMG_1.JPG: delivered")
        await world.clock.passing(.seconds(60)) { await gallery.isEnded.wait(or: CancelToken()) }
        runner.stop()
        #expect(try await outcome.shown == "1 delivered, exit 130")
    }

    /// Whether something waits there still is asked again just when the run closes it.
    @Test func whatWasMadeForAnEventIsClosedOnce() async throws {
        let gallery = Slow(), port = place("Port (smith)", "smith", ["IMG_1.JPG"])
        port.state.withLock { $0.listens = false }
        let runner = runner([port], at: gallery)
        async let outcome = runner.run(.together)
        await world.hears("Port (smith): finished")
        await world.clock.awaits(.seconds(60))
        gallery.mayTake.set()
        await gallery.isEnding.wait(or: CancelToken())
        world.clock.pass(.seconds(60))
        for _ in 0..<1000 { await Task.yield() }
        gallery.mayEnd.set()
        #expect(try await outcome.shown == "1 delivered, exit 0", "\(world.said)")
        #expect(gallery.endings.withLock(\.self) == 1)
    }

    /// In a run that ends by itself it is trouble, and nothing goes to another event instead.
    @Test func anEventThatThereIsNoneOfTakesNothing() async throws {
        let none = IngestError(.misconfigured, "There is no event smith.")
        let others = place("Port (smith)", "smith", ["IMG_1.JPG"])
        let outcome = try await runner([others], failing: [none]).run(.together)
        #expect(outcome.exitCode != .complete && world.delivered.isEmpty && atSmith.isEmpty)
        #expect(others.fetched.isEmpty && world.said.contains("trouble: There is no event smith."))
    }

    /// What an event's gallery did not take waits for that event, and goes there first the next time.
    @Test func whatWaitsForAnEventGoesThereLater() async throws {
        let others = place("Port (smith)", "smith", ["IMG_1.JPG"])
        smith.state.withLock { $0.isDown = true }
        let first = runner([others], verb: "run")
        async let ended = first.run(.continuous)
        await world.hears("held: gallery")
        first.stop()
        #expect(try await ended.summary[.pending] == 1)
        #expect(try await row(others, "IMG_1.JPG") == "smith gallery:smith")
        smith.state.withLock { $0.isDown = false }
        let second = runner([place("Port (smith)", "smith", [])])
        async let outcome = second.run(.continuous)
        await world.hears("IMG_1.JPG: delivered")
        second.stop()
        _ = try await outcome
        #expect(atSmith == ["smith/IMG_1.JPG"] && world.delivered.isEmpty)
    }

    /// What opening a place brings to light is taken by a run that ends, too; a card that comes meanwhile is not.
    @Test func aRunThatEndsLooksAgainForEvents() async throws {
        let others = place("Port (smith)", "smith", ["IMG_1.JPG"])
        let source = FakeSource([], traits: SourceTraits(lookEvery: nil, findsEvents: true))
        let card = FakePlace("Card", [("IMG_3.JPG", "of a card")])
        let own = FakePlace(
            "Port", [("IMG_2.JPG", "own")], source: "ftp", whileReading: { _ in source.hold([others, card]) })
        for one in [others, own] { one.state.withLock { $0.listens = false } }
        source.hold([own])
        let outcome = try await runner([], from: source).run(.together)
        #expect(outcome.shown == "2 delivered, exit 0", "\(world.said)")
        #expect(atSmith == ["smith/IMG_1.JPG"] && world.delivered == ["jones/IMG_2.JPG"])
    }

    /// The same bytes are the same frame: whoever pushes them again, under another login and event, sends nothing on.
    @Test func bytesStayWithTheEventThatTheyWereTakenFor() async throws {
        func place(_ event: String?, _ name: String) -> FakePlace {
            FakePlace("Port (\(event ?? "none"))", [(name, "the same")], source: "ftp", event: event)
        }
        #expect(try await runner([place("smith", "IMG_1.JPG")]).run(.once).shown == "1 delivered, exit 0")
        #expect(try await runner([place("miller", "IMG_2.JPG")]).run(.once).shown == "1 alreadySeen, exit 0")
        #expect(world.result("IMG_2.JPG")?.reason?.contains("for the event smith before") == true)
        let chosen = try await runner([place(nil, "IMG_3.JPG")]) { $0.isEventOrdered = false }.run(.once)
        #expect(chosen.shown == "1 alreadySeen, exit 0" && world.delivered.isEmpty)
        #expect(atSmith == ["smith/IMG_1.JPG"] && plans.built.withLock { $0 } == ["smith", "miller"])
        // An event that was named for the run orders it for that; a login's is named for no run.
        #expect(try await runner([place(nil, "IMG_4.JPG")]).run(.once).shown == "1 delivered, exit 0")
        #expect(world.delivered == ["jones/IMG_4.JPG"])
    }

    /// A source that gives up what is delivered has to ask the ledger about its bytes.
    @Test func whatStaysWithAnotherEventSaysWhichBytesItHas() async throws {
        let smith = FakePlace("Port", [("IMG_1.JPG", "the same")], source: "ftp", event: "smith")
        #expect(try await runner([smith]).run(.once).shown == "1 delivered, exit 0")
        let bytes = try #require(world.result("IMG_1.JPG")?.content)
        let own = FakePlace("Port", [("IMG_1.JPG", "the same")], source: "ftp")
        let again = runner([own]) { $0.isEventOrdered = false }
        #expect(try await again.run(.once).shown == "1 alreadySeen, exit 0")
        #expect(world.result("IMG_1.JPG")?.content == bytes && own.fetched.isEmpty)
    }

    /// A run that has no event, or waits for one, has no claim on them either: nobody could assign them elsewhere.
    @Test(arguments: [true, false]) func bytesOfAnEventAreNotHeldForAnother(_ holds: Bool) async throws {
        let smith = FakePlace("Port (smith)", [("IMG_1.JPG", "the same")], source: "ftp", event: "smith")
        #expect(try await runner([smith]).run(.once).shown == "1 delivered, exit 0")
        // Its own it takes as ever.
        let own = FakePlace("Port", [("IMG_3.JPG", "other"), ("IMG_2.JPG", "the same")], source: "ftp")
        own.state.withLock { $0.listens = true }
        let runner = runner([own], event: nil) { $0.holdsForEvent = holds }
        async let outcome = runner.run(.continuous)
        await world.hears("IMG_2.JPG: alreadySeen")
        if !holds { await world.hears("IMG_3.JPG: delivered") }
        runner.stop()
        _ = try await outcome
        #expect(world.result("IMG_2.JPG")?.reason?.contains("for the event smith before") == true)
        #expect(world.delivered == (holds ? [] : ["unknown/IMG_3.JPG"]) && atSmith == ["smith/IMG_1.JPG"])
        #expect(try await row(own, "IMG_2.JPG") == "smith gallery:smith")
        if holds { #expect(try await row(own, "IMG_3.JPG") == " gallery") }
    }

    /// Lets nobody pass before all are there.
    private final class Meeting: Sendable {
        private let left: Mutex<Int>, doors = AsyncStream<Never>.makeStream()
        init(_ count: Int) { left = Mutex(count) }
        func meet() async {
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { doors.continuation.finish() }
            for await _ in doors.stream {}
        }
    }

    /// Two photographers send the same frame with logins of two events, and both are read before either is delivered.
    @Test func theSameBytesAtTheSameMomentGoToOneEvent() async throws {
        let meeting = Meeting(2)
        func place(_ event: String) -> FakePlace {
            FakePlace("Port (\(event))", [("\(event).JPG", "the same")], source: "ftp", event: event) { _ in
                await meeting.meet()
            }
        }
        let outcome = try await runner([place("smith"), place("miller")]).run(.together)
        #expect(outcome.shown == "1 delivered, 1 alreadySeen, exit 0", "\(world.said)")
        #expect(atSmith.count == 1)
    }

    /// A crash leaves no copy in a folder of which nobody knows for which event it was.
    @Test func theLedgerKnowsTheEventBeforeAFolderHasTheFile() async throws {
        let folder = Asking(world.ledger), others = place("Port (smith)", "smith", ["IMG_1.JPG"])
        others.state.withLock { $0.listens = false }
        let outcome = try await runner([others], at: folder).run(.together)
        #expect(outcome.shown == "1 delivered, exit 0" && folder.known.withLock { $0 } == [["smith"]])
    }

    /// Two ports, and one event at both.
    @Test func placesOfOneEventShareItsPlan() async throws {
        let places = ["Port 1 (smith)", "Port 2 (smith)"].map { place($0, "smith", ["IMG_1.JPG"]) }
        for one in places { one.state.withLock { $0.listens = false } }
        let outcome = try await runner(places).run(.together)
        #expect(outcome.shown == "2 delivered, exit 0" && plans.built.withLock { $0 } == ["smith"], "\(world.said)")
    }

    /// The run's own event needs no second plan.
    @Test func filesOfTheRunsOwnEventAreItsOwn() async throws {
        let own = place("Port (jones)", "jones", ["IMG_1.JPG"])
        own.state.withLock { $0.listens = false }
        let outcome = try await runner([own]).run(.together)
        #expect(outcome.shown == "1 delivered, exit 0" && world.delivered == ["jones/IMG_1.JPG"])
        #expect(plans.built.withLock { $0 } == [])
    }
}
