import ClusterTesting
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Foundation
import Logging
import Synchronization
import Testing

@testable import PostgresCatalog

/// A ledger, what tells of it, and a real catalogue.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct TellingTests {
    final class Notices: Sendable {
        private let all = Mutex<[CatalogNotice]>([])
        func note(_ notice: CatalogNotice) { all.withLock { $0.append(notice) } }
        var list: [CatalogNotice] { all.withLock { $0 } }
    }

    private static var pace: ReportingPace {
        var pace = ReportingPace()
        (pace.idle, pace.first, pace.most, pace.lines) = (.milliseconds(20), .milliseconds(50), .milliseconds(200), 100)
        pace.patience = .zero
        return pace
    }

    private static func sha(_ number: Int) -> String { TestStation.digest(number) }

    private static func changes(_ number: Int) -> [LedgerChange] {
        let origin = Origin(
            source: "card", volume: "V", root: "/m", path: "DCIM/\(number).JPG", size: 5, modified: Int64(number))
        var row = AssetRow(
            origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "\(number)", stem: "\(number)"), at: 7)
        (row.content, row.ending, row.wanted) = (ContentKey(sha256: sha(number)), .delivered, ["folder:/p"])
        let receipt = Receipt(state: .done, path: "/p/\(number).JPG", sha256: sha(number), verified: .reread, at: 8)
        let delivery = DeliveryRow(
            content: ContentKey(sha256: sha(number)), target: "folder:/p", targetName: "archive", receipt: receipt,
            size: 5, path: "\(number).JPG")
        return [.delivery(delivery), .asset(row)]
    }

    private func joined(_ catalog: PostgresCatalog, _ ledger: SQLiteLedger, anew: Bool = false) async throws {
        let identity = StationIdentity(uuid: String(repeating: "c", count: 32), name: "desk-3", asNew: anew)
        try await ledger.join(try await catalog.join(identity))
    }

    private func eventually(_ what: String, _ isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("\(what) did not happen")
    }

    @Test func whatARunDoesIsToldWhileItRuns() async throws {
        let test = try await TestCatalog.made(), catalog = try test.as("desk1"), ledger = try SQLiteLedger.inMemory()
        let notices = Notices()
        for number in 0..<10 { try await ledger.record(Self.changes(number)) }
        try await joined(catalog, ledger)
        let reporter = CatalogReporter(catalog, ledger, pace: Self.pace, tell: notices.note)
        let running = Task { await reporter.run() }
        for number in 10..<300 { try await ledger.record(Self.changes(number)) }
        try await eventually("everything told") { try await ledger.station()?.waiting == 0 }
        await reporter.stop()
        await running.value
        #expect(await reporter.finish(within: .seconds(60)))
        #expect(try await test.sql("SELECT count(*) FROM catalog.seen") == "300")
        #expect(try await test.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'd' AND proof = 'r'") == "300")
        #expect(try await test.sql("SELECT until <= clock_timestamp() FROM catalog.session") == "t")
        #expect(notices.list == [])
        let copies = try await test.as("desk2").copies(of: [Self.sha(299)])
        #expect(copies.map(\.place) == ["DCIM/299.JPG", "archive"])
        #expect(copies.last?.detail == "/p/299.JPG")
    }

    @Test func whatIsLeftIsToldAtTheEnd() async throws {
        let test = try await TestCatalog.made(), catalog = try test.as("desk1"), ledger = try SQLiteLedger.inMemory()
        try await joined(catalog, ledger)
        for number in 0..<250 { try await ledger.record(Self.changes(number)) }
        let reporter = CatalogReporter(catalog, ledger, pace: Self.pace) { _ in }
        #expect(await reporter.finish(within: .seconds(120)))
        #expect(try await test.sql("SELECT count(*) FROM catalog.seen") == "250")
        // Whoever looks at the stations afterwards sees which card that was.
        let station = try #require(try await test.as("desk2").stations().first)
        let status = try #require(station.status.flatMap { StationStatus(json: $0) })
        #expect(!station.present && status.untold == 0 && status.cards.map(\.label) == ["m"])
    }

    /// The server is killed again and again; afterwards the catalogue has exactly what the ledger has.
    @Test func outagesLoseAndDoubleNothing() async throws {
        let cluster = try await Cluster.made(settings: ["fsync": "on", "recovery_init_sync_method": "syncfs"])
        _ = try await PostgresCatalog.at(cluster, "postgres").migrate()
        try await Cluster.aside { try cluster.sql("CREATE ROLE desk1 LOGIN; GRANT filmgate_station TO desk1") }
        let catalog = try PostgresCatalog.at(cluster, "desk1"), ledger = try SQLiteLedger.inMemory()
        let notices = Notices()
        try await joined(catalog, ledger)
        let reporter = CatalogReporter(catalog, ledger, pace: Self.pace, tell: notices.note)
        let running = Task { await reporter.run() }
        let killer = Task {
            for _ in 0..<4 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...400)))
                try await Cluster.aside { cluster.kill() }
                try await Task.sleep(for: .milliseconds(150))
                try await Cluster.aside { try cluster.start() }
            }
        }
        for number in 0..<1500 {
            try await ledger.record(Self.changes(number))
            if number % 10 == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
        try await killer.value
        try await eventually("everything told") {
            // A session whose token was lost with the server keeps the identity for a minute; here nobody waits for
            // that.
            if notices.list.contains(where: { if case .refused = $0 { true } else { false } }) {
                try await Cluster.aside {
                    try cluster.sql("UPDATE catalog.session SET until = now() - interval '1 second'")
                }
            }
            return try await ledger.station()?.waiting == 0
        }
        await reporter.stop()
        await running.value
        _ = await reporter.finish(within: .seconds(60))
        let text = try await Cluster.aside {
            try cluster.sql(
                "SELECT (SELECT count(*) FROM catalog.content), (SELECT count(*) FROM catalog.seen), (SELECT count(*) FROM catalog.delivery), (SELECT applied FROM catalog.station)"
            )
        }
        #expect(text == "1500|1500|1500|3000")
        #expect(notices.list.contains { if case .away = $0 { true } else { false } })
        #expect(notices.list.contains { if case .back = $0 { true } else { false } })
    }

    @Test func aCatalogueFromLastNightIsToldTheRest() async throws {
        let test = try await TestCatalog.made(), catalog = try test.as("desk1"), ledger = try SQLiteLedger.inMemory()
        let notices = Notices()
        var small = Self.pace
        // So that what was told up to 40 came in reports of its own, as in a dump of that moment.
        small.lines = 20
        try await joined(catalog, ledger)
        for number in 0..<50 { try await ledger.record(Self.changes(number)) }
        _ = await CatalogReporter(catalog, ledger, pace: small, tell: notices.note).finish(
            within: .seconds(20))
        try await test.sql(
            "DELETE FROM catalog.seen WHERE seq > 40; DELETE FROM catalog.delivery WHERE seq > 40; UPDATE catalog.station SET applied = 40"
        )
        _ = await CatalogReporter(catalog, ledger, pace: small, tell: notices.note).finish(
            within: .seconds(20))
        #expect(
            try await test.sql("SELECT count(*), (SELECT applied FROM catalog.station) FROM catalog.seen") == "50|100")
        #expect(notices.list == [.setBack(had: 100, has: 40)])
    }

    @Test func aRestoredStateDirectoryTellsNothing() async throws {
        let test = try await TestCatalog.made(), catalog = try test.as("desk1"), notices = Notices()
        let ledger = try SQLiteLedger.inMemory(), older = try SQLiteLedger.inMemory()
        try await joined(catalog, ledger)
        try await joined(catalog, older)
        for number in 0..<50 { try await ledger.record(Self.changes(number)) }
        for number in 50..<60 { try await older.record(Self.changes(number)) }
        _ = await CatalogReporter(catalog, ledger, pace: Self.pace) { _ in }.finish(
            within: .seconds(120))
        _ = await CatalogReporter(catalog, older, pace: Self.pace, tell: notices.note).finish(
            within: .seconds(60))
        #expect(notices.list == [.ahead(known: 100, told: 0)])
        // Nor once it has made more changes than the catalogue knows.
        for number in 60..<120 { try await older.record(Self.changes(number)) }
        _ = await CatalogReporter(catalog, older, pace: Self.pace, tell: notices.note).finish(
            within: .seconds(60))
        #expect(notices.list == [.ahead(known: 100, told: 0), .ahead(known: 100, told: 0)])
        #expect(try await test.sql("SELECT count(*) FROM catalog.seen") == "50")
        // Taken anew, it goes on behind what is known.
        try await joined(catalog, older, anew: true)
        #expect(
            await CatalogReporter(catalog, older, pace: Self.pace) { _ in }.finish(
                within: .seconds(120)))
        #expect(try await test.sql("SELECT count(*) FROM catalog.seen") == "120")
    }

    @Test func aCatalogueThatIsAwayIsToldOnce() async throws {
        let nowhere = try PostgresCatalog.url("postgresql://desk1@127.0.0.1:\(Cluster.freePort())/x")
        let ledger = try SQLiteLedger.inMemory(), notices = Notices()
        try await ledger.join(
            StationMembership(uuid: String(repeating: "c", count: 32), name: "d", epoch: 1, catalog: "x", applied: 0))
        let reporter = CatalogReporter(nowhere, ledger, pace: Self.pace, tell: notices.note)
        let running = Task { await reporter.run() }
        try await eventually("a word about it") { !notices.list.isEmpty }
        try await Task.sleep(for: .milliseconds(500))
        await reporter.stop()
        await running.value
        let began = ContinuousClock.now
        #expect(await reporter.finish(within: .seconds(120)) == false)
        // Nobody waits for it once more.
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect(notices.list.count == 1)
    }

    @Test func whoHasNotJoinedTellsNothing() async throws {
        let test = try await TestCatalog.made(), ledger = try SQLiteLedger.inMemory(), notices = Notices()
        for number in 0..<5 { try await ledger.record(Self.changes(number)) }
        #expect(
            await CatalogReporter(
                try test.as("desk1"), ledger, pace: Self.pace, tell: notices.note
            ).finish(
                within: .seconds(5)))
        #expect(notices.list == [])
        #expect(try await test.sql("SELECT count(*) FROM catalog.seen") == "0")
    }
}

extension PostgresCatalog {
    static func url(_ text: String) throws -> PostgresCatalog {
        let node = ConfigNode(.map([.init(.init("url", Mark()), ConfigNode(.scalar(text, quoted: true)))]))
        var errors: [ConfigError] = []
        return try PostgresCatalog(
            PostgresOptions.schema.decode(node, errors: &errors),
            ModuleContext(name: "postgres", logger: Logger(label: "test"), state: "/nonexistent"))
    }
}
