import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import FilmgateEngine

/// What tells and claims says how the station stands.
@Suite struct CatalogGaugesTests {
    /// Has one change that was not told.
    private final class OneChange: StationLedger {
        private let known = Mutex<Int64>(0)
        func standing() async throws(IngestError) -> StationStanding? {
            let known = known.withLock(\.self)
            let membership = StationMembership(uuid: "a", name: "desk-3", epoch: 1, catalog: "b", applied: known)
            return StationStanding(membership: membership, session: nil, last: 5)
        }
        func note(session: Int64, history: ServerHistory?) async throws(IngestError) {}
        func note(telling upTo: Int64) async throws(IngestError) {}
        func untold(after seq: Int64, upTo last: Int64?, limit: Int) async throws(IngestError) -> StationReport? {
            seq < 5 ? StationReport(since: seq, upTo: 5) : nil
        }
        func acknowledge(_ applied: Int64) async throws(IngestError) { known.withLock { $0 = applied } }
    }

    private static var pace: ReportingPace {
        var pace = ReportingPace()
        (pace.idle, pace.first, pace.most, pace.renewal) = (
            .milliseconds(5), .milliseconds(5), .milliseconds(5), .milliseconds(5)
        )
        return pace
    }

    private func eventually(_ isSo: () -> Bool) async throws {
        for _ in 0..<2000 where !isSo() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(isSo())
    }

    @Test func upAndDownAreSeen() async throws {
        let catalog = MemoryCatalog(), gauges = CatalogGauges()
        #expect(gauges.reading == CatalogGauges.Reading())
        let reporter = CatalogReporter(catalog, OneChange(), gauges: gauges, pace: Self.pace) { _ in }
        let running = Task { await reporter.run() }
        try await eventually { gauges.reading.isUp == true && gauges.reading.reported != nil }
        let since = try #require(gauges.reading.since)
        #expect(gauges.reading.trouble == nil)
        catalog.set(away: IngestError(.unavailable, "away"))
        try await eventually { gauges.reading.isUp == false }
        let away = gauges.reading
        #expect(away.trouble == "away" && (away.since ?? 0) > since)
        // It is still the same outage after further tries.
        try await Task.sleep(for: .milliseconds(30))
        #expect(gauges.reading.since == away.since)
        catalog.set(away: nil)
        try await eventually { gauges.reading.isUp == true }
        #expect(gauges.reading.trouble == nil)
        await reporter.stop()
        await running.value
    }

    @Test func claimsAreCountedUntilTheyAreDone() async throws {
        let catalog = MemoryCatalog(), gauges = CatalogGauges()
        let membership = try await catalog.join(StationIdentity(uuid: "a", name: "desk-3"))
        let session = try await catalog.open(membership, last: nil)
        let claims = StationClaims(catalog, station: "desk-3", whenAway: .deliver, gauges: gauges)
        await claims.note(session: session.token, since: .now)
        let wishes = ["1", "2"].map { ClaimWish(content: ContentKey(rawValue: $0), target: "t", targetName: "t") }
        for wish in wishes { #expect(await claims.claim(wish) == .answer(.granted)) }
        #expect(gauges.reading.claims == 2 && gauges.reading.answers == ["granted": 2])
        #expect((1...2).contains(gauges.reading.lookups) && gauges.reading.lookupSeconds > 0)
        await claims.ended(wishes[0], isDone: true)
        // It is tried again.
        await claims.ended(wishes[1], isDone: false)
        #expect(gauges.reading.claims == 1)
        await claims.stop()
        #expect(gauges.reading.claims == 0)
    }
}
