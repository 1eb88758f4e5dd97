import FilmgateCore
import Synchronization
import Testing

@testable import FilmgateEngine

/// What a session can do is asked of it, and a session that can do nothing more than list and read is taken all the
/// same.
@Suite(.timeLimit(.minutes(5))) struct SessionAbilityTests {
    private let world: RunWorld
    init() throws { world = try RunWorld() }

    private static let place = SourcePlace(source: "card", address: "memory://one", label: "One")
    private static let bytes = Array("one".utf8)
    private static let entry: SourceEntry = {
        let origin = Origin(
            source: place.source, volume: "volume", root: place.address, path: "DCIM/IMG_1.JPG",
            size: UInt64(bytes.count), modified: 1_700_000_000_000_000_000)
        return SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "dcim/img_1", stem: "IMG_1"))
    }()

    /// A source with one place.
    private struct OnePlace: SourceDriver {
        let session: any SourceSession
        var traits: SourceTraits { SourceTraits(lookEvery: nil) }
        func places() async throws(IngestError) -> [SourcePlace] { [session.place] }
        func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession { session }
    }

    /// Lists one picture and gives its bytes.
    private struct PlainSession: SourceSession {
        let place = SessionAbilityTests.place, volume = "volume"
        let traits = SessionTraits(identifiesDevice: true, parallelFetches: 1)
        func entries() async throws(IngestError) -> [SourceEntry] { [SessionAbilityTests.entry] }
        func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
            let rest = Array(SessionAbilityTests.bytes.dropFirst(Int(offset)))
            try sink.write(rest.span.bytes)
        }
        func localPath(_ origin: Origin) -> String? { nil }
        func close() async {}
    }

    /// Lists one picture that cannot be read, and remembers what it is asked.
    private final class AskedSession: WatchingSession, DiagnosingSession, ResultHandlingSession, AnsweringSession,
        ConditionReportingSession
    {
        struct Asked { var patience: [Duration] = [], failures: [String] = [], endings: [Ending] = [] }
        let place = SessionAbilityTests.place, volume = "volume"
        let traits = SessionTraits(identifiesDevice: true, parallelFetches: 1)
        let asked = Mutex(Asked())
        let unanswered: DeviceSilence?
        /// Until this is set, the picture is being read.
        private let mayFail: CancelToken?
        private let news = AsyncStream<SourceNews>.makeStream(), questions = AsyncStream<Void>.makeStream()

        init(silentSince silence: ContinuousClock.Instant? = nil, until mayFail: CancelToken? = nil) {
            unanswered = silence.map { DeviceSilence(since: $0, file: "IMG_1.JPG") }
            self.mayFail = mayFail
        }

        func entries() async throws(IngestError) -> [SourceEntry] { [SessionAbilityTests.entry] }
        func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
            await mayFail?.wait(or: CancelToken())
            throw IngestError(.unreadable, "a bad block")
        }
        func localPath(_ origin: Origin) -> String? { nil }
        func close() async {}
        func arrivals() async throws(IngestError) -> AsyncStream<SourceNews> { news.stream }
        func fate(of origin: Origin, after failure: IngestError) async throws(IngestError) -> SourceEntry.Fate? {
            asked.withLock { $0.failures.append(failure.message) }
            return .filtered("written again")
        }
        func settled(_ settled: AssetResult) { asked.withLock { $0.endings.append(settled.ending) } }
        func expectAnswers(within patience: Duration) { asked.withLock { $0.patience.append(patience) } }
        func condition() async -> DeviceCondition {
            questions.continuation.yield()
            return DeviceCondition(battery: 80)
        }

        /// Returns once somebody has asked how it fares.
        func isAskedHowItFares() async { for await _ in questions.stream { return } }
    }

    @Test(arguments: [RunMode.once, .together, .continuous]) func whatOnlyListsAndReadsIsTaken(
        _ mode: RunMode
    ) async throws {
        let runner = world.runner(OnePlace(session: PlainSession()))
        async let outcome = runner.run(mode)
        if mode == .continuous {
            // It tells nothing of what comes: the place has given all it had.
            await world.hears("One: finished")
            await world.hears("IMG_1.JPG: delivered")
            runner.stop()
        }
        #expect(try await outcome.summary.counts.filter { $0.value > 0 } == [.delivered: 1])
    }

    @Test func whatASessionCanDoIsAskedOfIt() async throws {
        let session = AskedSession(), runner = world.runner(OnePlace(session: session), verb: "run")
        async let outcome = runner.run(.continuous)
        await session.isAskedHowItFares()
        await world.hears("IMG_1.JPG: filtered")
        runner.stop()
        #expect(try await outcome.summary.counts.filter { $0.value > 0 } == [.filtered: 1])
        #expect(world.result("IMG_1.JPG")?.reason == "written again")
        let asked = session.asked.withLock(\.self)
        #expect(asked.failures == ["a bad block"] && asked.endings == [.filtered])
        #expect(asked.patience.first == CancelToken.grace)
    }

    /// A person is told what a run waits for, and the device how long it is waited for.
    @Test func aDeviceThatIsSilentIsTold() async throws {
        let mayFail = CancelToken(), session = AskedSession(silentSince: world.clock.now.instant, until: mayFail)
        let runner = world.runner(OnePlace(session: session)) { $0.wait = .seconds(120) }
        async let outcome = runner.run(.once)
        await world.clock.passing(.seconds(1)) {
            await world.hears("waiting: One has said nothing for 5 s while IMG_1.JPG is read.")
        }
        mayFail.set()
        _ = try await outcome
        #expect(session.asked.withLock(\.patience) == [.seconds(120)])
    }
}
