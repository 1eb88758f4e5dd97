import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import FilmgateEngine

/// Whether the catalogue knows what this ledger told, or what somebody else did in its name.
@Suite struct CatalogReporterTests {
    /// The numbers of a ledger, without what they stand for.
    private final class Numbers: StationLedger {
        struct State: Sendable {
            var last: Int64 = 0, acknowledged: Int64 = 0, telling: Int64?, history: ServerHistory?
        }
        private let state: Mutex<State>
        /// Says so much of itself; nil says nothing.
        let said: StationStatus?
        private let whenAcknowledged = Mutex<(@Sendable () async -> Void)?>(nil)
        init(_ state: State = State(), saying said: StationStatus? = nil) {
            self.state = Mutex(state)
            self.said = said
        }

        var now: State { state.withLock(\.self) }
        func add(_ changes: Int64) { state.withLock { $0.last += changes } }
        func standing() async throws(IngestError) -> StationStanding? {
            let now = now
            let membership = StationMembership(
                uuid: "a", name: "desk-3", epoch: 1, catalog: "b", applied: now.acknowledged)
            return StationStanding(
                membership: membership, session: nil, last: now.last, telling: now.telling)
        }
        func note(session: Int64, history: ServerHistory?) async throws(IngestError) {
            state.withLock { $0.history = history ?? $0.history }
        }
        func note(telling upTo: Int64) async throws(IngestError) { state.withLock { $0.telling = upTo } }
        func untold(after seq: Int64, upTo last: Int64?, limit: Int) async throws(IngestError) -> StationReport? {
            let end = min(last ?? .max, now.last, limit == .max ? .max : seq + Int64(limit))
            return end > seq ? StationReport(since: seq, upTo: end) : nil
        }
        func beforeAcknowledging(_ wait: @escaping @Sendable () async -> Void) {
            whenAcknowledged.withLock { $0 = wait }
        }
        func acknowledge(_ applied: Int64) async throws(IngestError) {
            let wait = whenAcknowledged.withLock(\.self)
            await wait?()
            state.withLock { state in
                if applied != state.acknowledged { state.telling = nil }
                state.acknowledged = applied
            }
        }
        func status() async throws(IngestError) -> StationStatus? { said }
    }

    private final class Notices: Sendable {
        private let all = Mutex<[CatalogNotice]>([])
        func note(_ notice: CatalogNotice) { all.withLock { $0.append(notice) } }
        var list: [CatalogNotice] { all.withLock(\.self) }
    }

    private static var pace: ReportingPace {
        var pace = ReportingPace()
        (pace.idle, pace.first, pace.most, pace.lines) = (.milliseconds(5), .milliseconds(5), .milliseconds(5), 30)
        pace.patience = .zero
        return pace
    }

    private func finish(_ catalog: MemoryCatalog, _ ledger: Numbers, _ notices: Notices) async -> Bool {
        await CatalogReporter(catalog, ledger, pace: Self.pace, tell: notices.note).finish(within: .seconds(60))
    }

    private func eventually(_ isSo: () -> Bool) async throws {
        for _ in 0..<2000 where !isSo() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(isSo())
    }

    /// How many changes it has made since does not matter: what is behind them was told by another life of it.
    @Test(arguments: [0, 5, 40, 1000] as [Int64]) func aRestoredLedgerTellsNothing(_ since: Int64) async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), notices = Notices()
        ledger.add(20)
        #expect(await finish(catalog, ledger, notices))
        let older = Numbers(ledger.now)
        ledger.add(40)
        #expect(await finish(catalog, ledger, notices))
        #expect(catalog.known(of: "desk-3") == 60 && notices.list == [])
        older.add(since)
        #expect(await finish(catalog, older, notices) == false)
        #expect(notices.list == [.ahead(known: 60, told: 20)])
        // Nor later, and a long run says it once.
        let reporter = CatalogReporter(catalog, older, pace: Self.pace, tell: notices.note)
        let running = Task { await reporter.run() }
        older.add(100)
        try await Task.sleep(for: .milliseconds(100))
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(1)) == false)
        #expect(notices.list == [.ahead(known: 60, told: 20), .ahead(known: 60, told: 20)])
        #expect(catalog.known(of: "desk-3") == 60 && older.now.acknowledged == 20)
        // The one that it was taken from goes on.
        ledger.add(3)
        #expect(await finish(catalog, ledger, notices))
        #expect(catalog.known(of: "desk-3") == 63)
    }

    /// Of two that were one, the second that tells is noticed, whichever it is.
    @Test func aCopiedLedgerIsNoticed() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), notices = Notices()
        ledger.add(20)
        #expect(await finish(catalog, ledger, notices))
        let copy = Numbers(ledger.now)
        copy.add(5)
        ledger.add(80)
        #expect(await finish(catalog, copy, notices))
        #expect(await finish(catalog, ledger, notices) == false)
        #expect(notices.list == [.ahead(known: 25, told: 20)] && catalog.known(of: "desk-3") == 25)
    }

    /// What was taken without an answer is its own, also after a crash, and whatever changed since.
    @Test(arguments: [false, true]) func aLostAnswerIsSettled(crashes: Bool) async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), notices = Notices()
        ledger.add(20)
        catalog.lose(answers: 3)
        let first = CatalogReporter(catalog, ledger, pace: Self.pace, tell: notices.note)
        if crashes {
            for _ in 0..<3 {
                _ = await CatalogReporter(catalog, ledger, pace: Self.pace, tell: notices.note).finish(
                    within: .seconds(1))
                ledger.add(50)
            }
        }
        let running = Task { await first.run() }
        if !crashes { try await eventually { !notices.list.isEmpty } }
        ledger.add(100)
        let all = ledger.now.last
        try await eventually { ledger.now.acknowledged == all }
        await first.stop()
        await running.value
        #expect(await first.finish(within: .seconds(60)))
        #expect(catalog.known(of: "desk-3") == all)
        #expect(!notices.list.contains { if case .ahead = $0 { true } else { false } })
        #expect(!notices.list.contains { if case .setBack = $0 { true } else { false } })
    }

    /// People at other stations read it while it runs, and after it has gone.
    @Test func whatAStationSaysOfItselfIsTold() async throws {
        let card = StationStatus.Card(volume: "uuid:1", label: "CARD", at: 1_760_000_000_000_000_000)
        let said = StationStatus(untold: 3, cards: [card])
        let catalog = MemoryCatalog(), ledger = Numbers(saying: said), notices = Notices()
        #expect(await finish(catalog, Numbers(), notices))
        #expect(catalog.status(of: "desk-3") == nil)
        #expect(await finish(catalog, ledger, notices))
        #expect(catalog.status(of: "desk-3").flatMap { StationStatus(json: $0) } == said)
        let other = MemoryCatalog()
        var pace = Self.pace
        pace.renewal = .milliseconds(5)
        let reporter = CatalogReporter(other, ledger, pace: pace, tell: notices.note)
        let running = Task { await reporter.run() }
        try await eventually { other.status(of: "desk-3") != nil }
        await reporter.stop()
        await running.value
    }

    /// It renews the session each time: that is no reason to send it the same report for ever without a pause.
    @Test func aCatalogueThatTakesNoReportIsGivenUp() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), notices = Notices()
        var pace = Self.pace
        (pace.patience, pace.again) = (.milliseconds(100), .milliseconds(5))
        let reporter = CatalogReporter(catalog, ledger, pace: pace, tell: notices.note)
        ledger.add(10)
        let running = Task { await reporter.run() }
        try await eventually { ledger.now.acknowledged == ledger.now.last }
        catalog.set(refusing: IngestError(.unavailable, "No answer."))
        ledger.add(10)
        try await eventually { notices.list.contains { if case .away = $0 { true } else { false } } }
        catalog.set(refusing: nil)
        try await eventually { ledger.now.acknowledged == ledger.now.last }
        await reporter.stop()
        await running.value
    }

    /// Two hundred stations that come back at one moment do not tell all at once; after a hiccup nobody waits.
    @Test func theFirstReportAfterAnOutageIsSpread() {
        let pace = ReportingPace()
        #expect(pace.quiet(after: .seconds(7200), jitter: 1) == .seconds(30))
        #expect(pace.quiet(after: .seconds(6), jitter: 0.5) == .seconds(3))
        #expect((Duration.zero...Duration.seconds(30)).contains(pace.quiet(after: .seconds(7200))))
    }

    /// A failover lost what came last: that is told again, also where more was on its way.
    @Test func aCatalogueThatWasSetBackIsNotMistakenForACopy() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), notices = Notices()
        ledger.add(50)
        #expect(await finish(catalog, ledger, notices))
        let later = Numbers(Numbers.State(last: 90, acknowledged: 70, telling: 80))
        #expect(await finish(catalog, later, notices))
        #expect(notices.list == [.setBack(had: 70, has: 50)])
        #expect(catalog.known(of: "desk-3") == 90 && later.now.telling == nil)
    }

    /// Whoever is started next does not go back to the old server, also where this process gets no new session any more.
    @Test func theServerThatTookOverIsNotedWithARenewal() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers()
        var pace = Self.pace
        pace.renewal = .milliseconds(5)
        let reporter = CatalogReporter(catalog, ledger, pace: pace) { _ in }
        catalog.failOver(to: ServerHistory(cluster: 7, timeline: 3))
        let running = Task { await reporter.run() }
        try await eventually { ledger.now.history == ServerHistory(cluster: 7, timeline: 3) }
        catalog.set(takesSessions: false)
        catalog.failOver(to: ServerHistory(cluster: 7, timeline: 4))
        try await eventually { ledger.now.history == ServerHistory(cluster: 7, timeline: 4) }
        await reporter.stop()
        await running.value
    }

    /// A server that took over may not have got what was claimed last, though it has the session: what is being sent is
    /// claimed there, too, before anybody else begins with it.
    @Test func afterAFailoverClaimsAreMadeAnew() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers()
        var pace = Self.pace
        pace.renewal = .milliseconds(5)
        let claims = StationClaims(catalog, station: "desk-3", clock: TimerQueue.shared)
        let reporter = CatalogReporter(catalog, ledger, claims: claims, pace: pace) { _ in }
        catalog.failOver(to: ServerHistory(cluster: 7, timeline: 3))
        let running = Task { await reporter.run() }
        let wish = ClaimWish(content: ContentKey(rawValue: "A"), target: "gallery", targetName: "gallery")
        #expect(await claims.claim(wish) == .answer(.granted))
        #expect(catalog.claims == ["desk-3"])
        catalog.failOver(to: ServerHistory(cluster: 7, timeline: 4), losingClaims: true)
        try await eventually { catalog.claims == ["desk-3"] }
        await claims.ended(wish, isDone: true)
        await reporter.stop()
        await running.value
    }

    /// Seconds of a busy server, or minutes of a ledger that makes lines for millions of rows: the session is renewed
    /// beside them, or it would be over, and others given what is being sent.
    @Test(arguments: [false, true]) func whatTakesLongDoesNotEndTheSession(isLedger: Bool) async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), renewed = Mutex(0)
        var pace = Self.pace
        pace.renewal = .milliseconds(5)
        let wait: @Sendable () async -> Void = {
            let before = catalog.renewals
            for _ in 0..<6000 where catalog.renewals < before + 3 { _ = try? await Task.sleep(for: .milliseconds(10)) }
            let count = catalog.renewals - before
            renewed.withLock { $0 = max($0, count) }
        }
        if isLedger { ledger.beforeAcknowledging(wait) } else { catalog.beforeReport(wait) }
        ledger.add(10)
        let reporter = CatalogReporter(catalog, ledger, pace: pace) { _ in }
        let running = Task { await reporter.run() }
        for _ in 0..<24_000 where ledger.now.acknowledged != 10 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(ledger.now.acknowledged == 10 && renewed.withLock(\.self) >= 3)
        await reporter.stop()
        await running.value
    }

    private final class Steps: Sendable {
        private let all = Mutex<[Int64]>([])
        func note(_ known: Int64) { all.withLock { $0.append(known) } }
        var list: [Int64] { all.withLock(\.self) }
    }

    private func tellAll(
        _ catalog: MemoryCatalog, _ ledger: Numbers, _ body: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async -> Result<Void, IngestError> {
        let reporter = CatalogReporter(catalog, ledger, pace: Self.pace) { _ in }
        return await Result { () async throws(IngestError) in try await reporter.tellAll(body) }
    }

    /// Report by report, and whoever waits for it hears how far it is.
    @Test func allIsToldInReports() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), steps = Steps()
        ledger.add(100)
        try await tellAll(catalog, ledger, steps.note).get()
        #expect(steps.list == [30, 60, 90, 100] && catalog.known(of: "desk-3") == 100)
        try await tellAll(catalog, ledger, steps.note).get()
        #expect(steps.list.count == 4)
    }

    /// Where it is broken off, what was told stays told, and the next one goes on there.
    @Test func whatIsBrokenOffGoesOn() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), steps = Steps()
        ledger.add(100)
        let away = await tellAll(catalog, ledger) { known in
            if known == 60 { catalog.set(away: IngestError(.unavailable, "No answer.")) }
        }
        #expect(throws: IngestError.self) { try away.get() }
        #expect(ledger.now.acknowledged == 60)
        catalog.set(away: nil)
        try await tellAll(catalog, ledger, steps.note).get()
        #expect(steps.list == [90, 100])
    }

    /// A session may be over between two reports.
    @Test func aSessionThatIsOverIsOpenedAnew() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers()
        ledger.add(100)
        try await tellAll(catalog, ledger) { _ in catalog.end(sessionsOf: "desk-3") }.get()
        #expect(catalog.known(of: "desk-3") == 100)
    }

    @Test func whatTakesNothingIsNotAskedForEver() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers()
        ledger.add(100)
        catalog.set(takesReports: false)
        let result = await tellAll(catalog, ledger)
        #expect { try result.get() } throws: { ($0 as? IngestError)?.code == .protocolViolation }
        #expect(catalog.known(of: "desk-3") == 0)
    }

    @Test func aRestoredLedgerSeedsNothing() async throws {
        let catalog = MemoryCatalog(), ledger = Numbers(), older = Numbers(Numbers.State(last: 50, acknowledged: 20))
        ledger.add(60)
        try await tellAll(catalog, ledger).get()
        let result = await tellAll(catalog, older)
        #expect { try result.get() } throws: { ($0 as? IngestError)?.advice?.contains("join --as-new") == true }
        #expect(catalog.known(of: "desk-3") == 60 && older.now.acknowledged == 20)
    }
}
