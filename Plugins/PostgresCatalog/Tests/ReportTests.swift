import ClusterTesting
import FilmgateCore
import Logging
import PQKit
import Testing

@testable import PostgresCatalog

@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct ReportTests {
    private func counts(_ catalog: TestCatalog) async throws -> String {
        try await catalog.sql(
            "SELECT (SELECT count(*) FROM catalog.content), (SELECT count(*) FROM catalog.seen), (SELECT count(*) FROM catalog.delivery)"
        )
    }

    @Test func whatIsToldIsFound() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        #expect(try await one.catalog.tell(TestStation.report(0..<3, since: 0, upTo: 9), one.token) == 9)
        let copies = try await one.catalog.copies(of: [TestStation.digest(1)])
        #expect(copies.map(\.state) == [.seen, .done])
        #expect(copies.map(\.place) == ["DCIM/1.JPG", "gallery"])
        #expect(copies.map(\.detail) == ["delivered", "https://x/1"])
        #expect(copies.last?.proof == "server")
        #expect(copies.map(\.size) == [2, 5])
        // The target is this station's alone: nobody else has one of that name.
        #expect(copies.map(\.target) == [nil, nil] && copies.map(\.beside) == [nil, nil])
        #expect(copies.first?.at == 1_700_000_000_000_000_000)
        #expect(try await one.catalog.copies(of: [TestStation.digest(77)]) == [])
        #expect(try await one.catalog.copies(of: []) == [])
    }

    /// Each report counts once, however often it is sent, and only where it belongs.
    @Test func aReportAgainChangesNothing() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        #expect(try await one.catalog.tell(TestStation.report(0..<5, since: 0, upTo: 5), one.token) == 5)
        let before = try await catalog.sql("SELECT string_agg(d::text, ';' ORDER BY sha) FROM catalog.delivery d")
        for _ in 0..<3 {
            #expect(try await one.catalog.tell(TestStation.report(0..<5, since: 0, upTo: 5), one.token) == 5)
        }
        // One that leaves something out, and one from a later life of the ledger.
        #expect(try await one.catalog.tell(TestStation.report(5..<9, since: 7, upTo: 9), one.token) == 5)
        #expect(try await one.catalog.tell(TestStation.report(5..<9, since: 3, upTo: 9), one.token) == 5)
        #expect(try await catalog.sql("SELECT string_agg(d::text, ';' ORDER BY sha) FROM catalog.delivery d") == before)
        #expect(try await one.catalog.tell(TestStation.report(5..<9, since: 5, upTo: 9), one.token) == 9)
        #expect(try await counts(catalog) == "9|9|9")
        await expect(.rejected) { try await one.catalog.tell(TestStation.report(0..<1, since: 9, upTo: 9), one.token) }
    }

    @Test func twoStationsWithEqualPathsHaveTwoPlaces() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        for desk in [one, two] {
            #expect(try await desk.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), desk.token) == 1)
        }
        let copies = try await one.catalog.copies(of: [TestStation.digest(0)])
        #expect(copies.map(\.station) == ["desk-1", "desk-1", "desk-2", "desk-2"])
        #expect(try await counts(catalog) == "1|2|2")
    }

    @Test func atASharedTargetTheFirstStands() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        for desk in [one, two] {
            #expect(
                try await desk.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1, shared: true), desk.token) == 1
            )
        }
        let done = try await one.catalog.copies(of: [TestStation.digest(0)]).filter { $0.state == .done }
        #expect(done.map(\.station) == ["desk-1"] && done.map(\.target) == ["s3|bucket"])
        // Whoever saw that it is gone may say so.
        var gone = StationReport(since: 1, upTo: 2)
        gone.deliveries = TestStation.report(0..<1, since: 1, upTo: 2, shared: true).deliveries
        gone.deliveries[0].state = .removed
        #expect(try await two.catalog.tell(gone, two.token) == 2)
        #expect(
            try await one.catalog.copies(of: [TestStation.digest(0)]).filter { $0.state == .removed }.map(\.station)
                == ["desk-2"])
    }

    @Test func aSidecarsPictureIsNamed() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        var report = TestStation.report(0..<1, since: 0, upTo: 1, shared: true)
        report.deliveries[0].content = ContentKey(sha256: TestStation.digest(0), beside: TestStation.digest(7))
        #expect(try await one.catalog.tell(report, one.token) == 1)
        let copies = try await one.catalog.copies(of: [TestStation.digest(0)])
        #expect(copies.map(\.beside) == [nil, TestStation.digest(7)])
    }

    @Test func whatWasWithdrawnIsGone() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        #expect(try await one.catalog.tell(TestStation.report(0..<2, since: 0, upTo: 2), one.token) == 2)
        var report = StationReport(since: 2, upTo: 3)
        report.deliveries = [TestStation.report(0..<1, since: 0, upTo: 1).deliveries[0]]
        report.deliveries[0].state = .withdrawn
        #expect(try await one.catalog.tell(report, one.token) == 3)
        #expect(try await counts(catalog) == "2|2|1")
    }

    /// A process begins and claims while a report waits for a row: what the report says of a removal stands behind that.
    @Test func aRemovalEndsNoClaimOfAFreshProcess() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1)
        let patient = try (1...4).map { try test.as("desk\($0)", answer: "600s") }
        let two = try await test.station(2, roles: patient)
        let keys = [1, 2].sorted { TestStation.digest($0) < TestStation.digest($1) }
        #expect(try await one.claim(keys[0]) == .granted)
        let held = try await test.holding(keys[0])
        var report = TestStation.report(1..<3, since: 0, upTo: 1, shared: true)
        for index in report.deliveries.indices { report.deliveries[index].state = .removed }
        async let told = two.catalog.tell(report, two.token)
        try await test.untilSomebodyWaits()
        let fresh = try await test.station(3)
        #expect(try await fresh.claim(keys[1]) == .granted)
        try await held.run("COMMIT")
        #expect(try await told == 1)
        #expect(try await one.claim(keys[1]) == .held(by: "desk-3"))
        #expect(try await fresh.catalog.release([TestStation.wish(keys[1])], fresh.token) == 1)
        #expect(try await one.claim(keys[1]) == .removed(by: "desk-2"))
    }

    /// Whatever a hostile or broken station says: refused or kept in bounds, and nothing of it half.
    @Test func nonsenseIsRefusedWhole() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        var short = TestStation.report(0..<2, since: 0, upTo: 1)
        short.contents[1].sha256 = "abcd"
        await expect(.rejected) { try await one.catalog.tell(short, one.token) }
        var none = TestStation.report(0..<2, since: 0, upTo: 1)
        none.deliveries[0].content = ContentKey(rawValue: "no digest")
        await expect(.rejected) { try await one.catalog.tell(none, one.token) }
        #expect(try await counts(catalog) == "0|0|0")
        var long = TestStation.report(0..<1, since: 0, upTo: 1, path: String(repeating: "ä\0", count: 10_000))
        long.deliveries[0].targetName = String(repeating: "x", count: 10_000)
        #expect(try await one.catalog.tell(long, one.token) == 1)
        let copies = try await one.catalog.copies(of: [TestStation.digest(0)])
        #expect(copies.map { $0.place.count } == [4096, 64])
    }

    /// The server is killed again and again while stations tell: nothing is missing or double afterwards.
    @Test func killsOfTheServerLoseNothing() async throws {
        let cluster = try await Cluster.made(settings: ["fsync": "on", "recovery_init_sync_method": "syncfs"])
        let setup = try PostgresCatalog.at(cluster, "postgres")
        _ = try await setup.migrate()
        try await Cluster.aside { try cluster.sql("CREATE ROLE desk1 LOGIN; GRANT filmgate_station TO desk1") }
        let catalog = try PostgresCatalog.at(cluster, "desk1"), uuid = String(repeating: "a", count: 32)
        var membership = try await catalog.join(StationIdentity(uuid: uuid, name: "desk-1"))
        let killer = Task {
            for _ in 0..<6 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
                try await Cluster.aside {
                    cluster.kill()
                    try cluster.start()
                }
            }
        }
        var since: Int64 = 0, last: Int64?, session: CatalogSession?, sent = 0
        let end = ContinuousClock.now + .seconds(90)
        while since < 4000, ContinuousClock.now < end {
            do throws(IngestError) {
                if session == nil { session = try await catalog.open(membership, last: last) }
                guard let open = session else { continue }
                last = open.token
                sent += 1
                let report = TestStation.report(Int(since)..<Int(since) + 40, since: since, upTo: since + 40)
                guard let known = try await catalog.tell(report, open.token) else {
                    session = nil
                    continue
                }
                since = known
            } catch {
                if error.code == .stateLocked {
                    // The answer that held the token was lost with the server.
                    membership = try await catalog.join(StationIdentity(uuid: uuid, name: "desk-1", asNew: true))
                }
                session = nil
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        try await killer.value
        let copies = try await Cluster.aside {
            try cluster.sql(
                "SELECT (SELECT count(*) FROM catalog.content), (SELECT count(*) FROM catalog.seen), (SELECT count(*) FROM catalog.delivery), (SELECT applied FROM catalog.station)"
            )
        }
        #expect(copies == "4000|4000|4000|4000")
        #expect(sent >= 100)
    }
}

extension PostgresCatalog {
    static func at(_ cluster: Cluster, _ role: String) throws -> PostgresCatalog {
        let node = ConfigNode(
            .map([.init(.init("url", Mark()), ConfigNode(.scalar(cluster.address(role), quoted: true)))]))
        var errors: [ConfigError] = []
        return try PostgresCatalog(
            PostgresOptions.schema.decode(node, errors: &errors),
            ModuleContext(name: "postgres", logger: .init(label: "test"), state: "/nonexistent"))
    }
}
