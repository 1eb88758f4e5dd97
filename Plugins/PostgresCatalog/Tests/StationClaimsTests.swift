import ClusterTesting
import FilmgateCore
import FilmgateLedger
import Testing

@testable import FilmgateEngine
@testable import PostgresCatalog

/// A station's claims in the session that its reporter keeps, at a real catalogue.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct StationClaimsTests {
    private static let held = """
        SELECT count(*) FROM catalog.delivery d JOIN catalog.session s USING (token) WHERE d.state = 'c' AND s.until > clock_timestamp()
        """

    @Test func claimsAreMadeInTheSessionThatIsKept() async throws {
        let test = try await TestCatalog.made(), catalog = try test.as("desk1"), ledger = try SQLiteLedger.inMemory()
        try await ledger.join(
            try await catalog.join(StationIdentity(uuid: String(repeating: "c", count: 32), name: "desk-3")))
        let claims = StationClaims(catalog, station: "desk-3", whenAway: .deliver), wish = TestStation.wish(1)
        var pace = ReportingPace()
        (pace.idle, pace.renewal, pace.first) = (.milliseconds(20), .milliseconds(100), .milliseconds(50))
        let reporter = CatalogReporter(catalog, ledger, claims: claims, pace: pace) { _ in }
        let running = Task { await reporter.run() }
        #expect(await claims.claim(wish) == .answer(.granted))
        #expect(try await test.sql(Self.held) == "1")
        // Nobody else gets it meanwhile.
        let other = try await test.station(2)
        #expect(try await other.claim([wish]) == [.held(by: "desk-3")])
        // The session is over: what is being sent is claimed in the next one, too.
        try await test.sql(
            "UPDATE catalog.session s SET until = now() - interval '1 second' WHERE token <> \(other.token)")
        while try await test.sql(Self.held) != "1" { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await other.claim([wish]) == [.held(by: "desk-3")])
        await claims.ended(wish, isDone: false)
        await claims.stop()
        // It was tried: whoever has it next asks first.
        #expect(try await other.claim([wish]) == [.takenOver])
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(60)))
    }

    /// Many who ask at one moment are one question.
    @Test func manyWishesAreFewQuestions() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        let claims = StationClaims(one.catalog, station: "desk-1", whenAway: .deliver)
        await claims.note(session: one.token, since: .now)
        _ = try await two.claim((0..<100).map { TestStation.wish($0) })
        let verdicts = await withTaskGroup(of: ClaimTable.Verdict.self) { group in
            for number in 0..<600 { group.addTask { await claims.claim(TestStation.wish(number)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(verdicts.count { $0 == .answer(.granted) } == 500)
        #expect(verdicts.count { if case .answer(.held(by: "desk-2", since: _)) = $0 { true } else { false } } == 100)
    }
}
