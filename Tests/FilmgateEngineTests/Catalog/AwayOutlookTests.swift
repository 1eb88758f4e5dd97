import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import FilmgateEngine

/// What people are told when the catalogue goes away, and when what happened meanwhile is told.
@Suite(.timeLimit(.minutes(2))) struct AwayOutlookTests {
    private static func identity(_ name: String) -> String { "http:https://\(name).example/:ann" }

    private static func remote(_ name: String, asks: Bool = false, idempotent: Bool = false) -> AcceptingTarget {
        var traits = TargetTraits(identity: identity(name))
        (traits.address, traits.answersByDigest) = ("https://\(name).example/", asks)
        traits.idempotent = idempotent
        return AcceptingTarget(traits: traits)
    }

    private static func claims(_ catalog: MemoryCatalog, whenAway: StationRule.WhenAway = .deliver) -> StationClaims {
        var rule = StationRule()
        rule.share = ["gallery", "store", "webform"].compactMap {
            try? TargetReference(node: ConfigNode(.scalar($0, quoted: false)))
        }
        let targets: [(name: String, target: any UploadTarget)] = [
            ("webform", remote("webform")), ("gallery", remote("gallery", asks: true)),
            ("store", remote("store", idempotent: true)), ("own", remote("own")),
        ]
        let claims = StationClaims(catalog, station: "desk-3", whenAway: whenAway)
        claims.add(SharedTargets(rule, targets, events: []))
        return claims
    }

    private static func open(
        _ name: String, _ waiting: Int64, event: String = "", held: Int64 = 0, failed: Int64 = 0
    ) -> OpenTarget {
        OpenTarget(
            identity: identity(name) + event,
            told: StationStatus.Target(name: name, waiting: waiting, bytes: 1, held: held), failed: failed)
    }

    @Test func eachSharedTargetIsToldApart() {
        let open = [Self.open("gallery", 1200), Self.open("gallery", 4, event: ":wedding"), Self.open("webform", 3)]
        let claims = Self.claims(MemoryCatalog())
        #expect(
            claims.outlook(of: open + [Self.open("own", 9)]).map(\.text) == [
                "1204 deliveries to gallery go on, asked by digest", "store goes on, twice without harm",
                "webform holds 3",
            ])
        #expect(
            claims.outlook(of: [Self.open("store", 1)]).map(\.text) == [
                "gallery goes on, asked by digest", "1 delivery to store goes on, twice without harm",
                "webform holds what comes",
            ])
        // The pipeline says to wait.
        #expect(Self.claims(MemoryCatalog(), whenAway: .hold).outlook(of: open).allSatisfy { $0.way == .held })
    }

    /// What waits for a person waits on, whatever the catalogue does.
    @Test func onlyWhatGoesOnIsCountedAsGoingOn() {
        let open = ["gallery", "webform"].map { Self.open($0, 9, held: 2, failed: 4) }
        #expect(
            Self.claims(MemoryCatalog()).outlook(of: open).map(\.text) == [
                "3 deliveries to gallery go on, asked by digest", "store goes on, twice without harm",
                "webform holds 5",
            ])
        let holding = Self.claims(MemoryCatalog(), whenAway: .hold).outlook(of: open)
        #expect(holding.map(\.text) == ["gallery holds 5", "store holds what comes", "webform holds 5"])
    }

    /// A ledger of so many files, each one change.
    private final class Files: StationLedger {
        private let count: Int64, acknowledged = Mutex<Int64>(0)
        init(_ count: Int64) { self.count = count }

        func standing() async throws(IngestError) -> StationStanding? {
            let membership = StationMembership(
                uuid: "a", name: "desk-3", epoch: 1, catalog: "b", applied: acknowledged.withLock(\.self))
            return StationStanding(membership: membership, session: nil, last: count)
        }
        func note(session: Int64, history: ServerHistory?) async throws(IngestError) {}
        func note(telling upTo: Int64) async throws(IngestError) {}
        func untold(after seq: Int64, upTo last: Int64?, limit: Int) async throws(IngestError) -> StationReport? {
            let end = min(last ?? .max, count, limit == .max ? .max : seq + Int64(limit))
            guard end > seq else { return nil }
            var report = StationReport(since: seq, upTo: end)
            for number in seq..<end {
                let origin = Origin(
                    source: "card", volume: "uuid:1", root: "/media/x", path: "\(number).JPG", size: 5, modified: 9)
                report.sightings.append(SightingFact(origin: origin, sha256: nil, ending: .filtered, at: 1))
            }
            return report
        }
        func acknowledge(_ applied: Int64) async throws(IngestError) { acknowledged.withLock { $0 = applied } }
        func openTargets() async throws(IngestError) -> [OpenTarget] { [AwayOutlookTests.open("gallery", 7)] }
    }

    private final class Notices: Sendable {
        private let all = Mutex<[CatalogNotice]>([])
        func note(_ notice: CatalogNotice) { all.withLock { $0.append(notice) } }
        var list: [CatalogNotice] { all.withLock(\.self) }
    }

    private static var quickPace: ReportingPace {
        var pace = ReportingPace()
        (pace.idle, pace.first, pace.most) = (.milliseconds(5), .milliseconds(5), .milliseconds(5))
        (pace.lines, pace.spread) = (15, .zero)
        return pace
    }

    /// What was said of an outage of a catalogue that a station with so many untold files met.
    private func outage(_ files: Int64) async throws -> [CatalogNotice] {
        let catalog = MemoryCatalog(), notices = Notices(), ledger = Files(files)
        catalog.set(away: IngestError(.unavailable, "No answer."))
        let reporter = CatalogReporter(
            catalog, ledger, claims: Self.claims(catalog), pace: Self.quickPace, tell: notices.note)
        let running = Task { await reporter.run() }
        try await eventually { !notices.list.isEmpty }
        catalog.set(away: nil)
        try await eventually { catalog.known(of: "desk-3") == files && notices.list.count > 1 }
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(30)))
        return notices.list
    }

    private func eventually(_ isSo: () -> Bool) async throws {
        for _ in 0..<2000 where !isSo() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(isSo())
    }

    @Test func itsEndSaysHowManyFilesWereTold() async throws {
        let said = try await outage(40), outlook = Self.claims(MemoryCatalog()).outlook(of: [Self.open("gallery", 7)])
        #expect(said.count == 3 && said.first == .away("No answer.", outlook), "\(said)")
        guard case .back? = said.dropFirst().first, case .caughtUp(let files, let seconds, 0)? = said.last else {
            Issue.record("\(said)")
            return
        }
        #expect(files == 40 && (0..<60).contains(seconds))
    }

    @Test func whereNothingHappenedNothingIsCounted() async throws {
        let said = try await outage(0)
        guard said.count == 2, case .back? = said.last else {
            Issue.record("\(said)")
            return
        }
    }

    @Test func aSecondOutageBeforeAllIsToldCountsWithTheFirst() async throws {
        let catalog = MemoryCatalog(), notices = Notices(), away = IngestError(.unavailable, "No answer.")
        var pace = Self.quickPace
        (pace.renewal, pace.patience, pace.filesPerSecond) = (.milliseconds(5), .zero, 10)
        catalog.set(away: away)
        let reporter = CatalogReporter(catalog, Files(40), pace: pace, tell: notices.note)
        let running = Task { await reporter.run() }
        try await eventually { notices.list.count == 1 }
        catalog.set(away: nil)
        try await eventually { catalog.known(of: "desk-3") == 15 }
        catalog.set(away: away)
        try await eventually { notices.list.count == 3 }
        catalog.set(away: nil)
        try await eventually { notices.list.count == 4 }
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(30)))
        guard case .caughtUp(40, _, 0)? = notices.list.last else {
            Issue.record("\(notices.list)")
            return
        }
    }

    /// A run that ends before the moment at which it would have told.
    @Test func whatIsToldEarlyTakesItsTime() async throws {
        let catalog = MemoryCatalog(), notices = Notices()
        var pace = Self.quickPace
        pace.spread = .seconds(60)
        catalog.set(away: IngestError(.unavailable, "No answer."))
        let reporter = CatalogReporter(catalog, Files(40), pace: pace, tell: notices.note)
        let running = Task { await reporter.run() }
        try await eventually { !notices.list.isEmpty }
        try await Task.sleep(for: .milliseconds(500))
        catalog.set(away: nil)
        try await eventually { notices.list.count > 1 }
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(30)))
        guard case .caughtUp(40, let seconds, 0)? = notices.list.last else {
            Issue.record("\(notices.list)")
            return
        }
        #expect(seconds > 0)
    }

    /// A ledger with so many open deliveries that counting them takes a moment.
    private final class Crowd: StationLedger {
        private let files = Files(0), counts = Mutex(0)
        var counted: Int { counts.withLock(\.self) }

        func standing() async throws(IngestError) -> StationStanding? { try await files.standing() }
        func note(session: Int64, history: ServerHistory?) async throws(IngestError) {}
        func note(telling upTo: Int64) async throws(IngestError) {}
        func untold(after seq: Int64, upTo last: Int64?, limit: Int) async throws(IngestError) -> StationReport? { nil }
        func acknowledge(_ applied: Int64) async throws(IngestError) {}
        func status() async throws(IngestError) -> StationStatus? {
            counts.withLock { $0 += 1 }
            _ = try? await Task.sleep(for: .milliseconds(50))
            return StationStatus(untold: 0, waiting: Int64(counted), cards: [])
        }
    }

    /// At its begin and its end, and between them for a part of the time.
    @Test func whatIsOpenIsNotCountedAllTheTime() async throws {
        let catalog = MemoryCatalog(), ledger = Crowd()
        var pace = Self.quickPace
        pace.renewal = .milliseconds(5)
        let reporter = CatalogReporter(catalog, ledger, pace: pace) { _ in }
        let running = Task { await reporter.run() }
        try await eventually { catalog.status(of: "desk-3") != nil }
        try await Task.sleep(for: .seconds(1))
        #expect(ledger.counted <= 2)
        let before = ledger.counted
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(30)))
        #expect(ledger.counted > before)
        let last = catalog.status(of: "desk-3").flatMap { StationStatus(json: $0) }
        #expect(last?.waiting == Int64(ledger.counted))
    }

    /// While it goes on: what is left at its end is told without a pause.
    @Test func aRunTellsNoFasterThanItMay() async throws {
        let catalog = MemoryCatalog(), ledger = Files(40)
        var pace = ReportingPace()
        (pace.idle, pace.lines, pace.filesPerSecond) = (.milliseconds(5), 15, 1)
        let reporter = CatalogReporter(catalog, ledger, pace: pace) { _ in }
        let running = Task { await reporter.run() }
        try await eventually { catalog.known(of: "desk-3") > 0 }
        try await Task.sleep(for: .milliseconds(300))
        #expect(catalog.known(of: "desk-3") == 15)
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(60)))
        #expect(catalog.known(of: "desk-3") == 40)
    }
}
