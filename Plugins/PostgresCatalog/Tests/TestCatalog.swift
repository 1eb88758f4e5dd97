import ClusterTesting
import FilmgateCore
import FilmgateTesting
import Logging
import Synchronization
import Testing

@testable import PQKit
@testable import PostgresCatalog

/// A database with a catalogue of its own in one cluster for all tests.
final class TestCatalog: Sendable {
    let cluster: Cluster, database: String
    private static let making = Task { try await Cluster.made(settings: ["max_connections": "160"]) }
    private static let names = Numbers()

    private init(_ cluster: Cluster, _ database: String) { (self.cluster, self.database) = (cluster, database) }

    /// Empty, or with tables and the roles `desk1` … `desk4`.
    static func made(migrated: Bool = true) async throws -> TestCatalog {
        let cluster = try await making.value, database = "catalog\(names.next())"
        try await Cluster.aside { try cluster.sql("CREATE DATABASE \(database)") }
        let catalog = TestCatalog(cluster, database)
        guard migrated else { return catalog }
        #expect(try await catalog.as("postgres").migrate() == ["made the tables of version \(CatalogSchema.newest)"])
        for number in 1...4 { try await catalog.makeRole("desk\(number)") }
        return catalog
    }

    func makeRole(_ role: String) async throws {
        // Another test may make it at the same moment: roles belong to the whole cluster.
        let words =
            "DO $$ BEGIN CREATE ROLE \(role) LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        try await sql("\(words); GRANT filmgate_station TO \(role)")
    }

    /// The catalogue as that role sees it; `answer`: how long it waits for one; `fence`: what it has met of servers.
    func `as`(_ role: String, answer: String = "10s", fence: PQFence = PQFence()) throws -> PostgresCatalog {
        let values = [("url", cluster.address(role, database: database)), ("answer", answer)]
        let node = ConfigNode(
            .map(values.map { .init(.init($0.0, Mark()), ConfigNode(.scalar($0.1, quoted: true))) }))
        var errors: [ConfigError] = []
        let options = PostgresOptions.schema.decode(node, errors: &errors)
        #expect(errors.isEmpty)
        var context = ModuleContext(name: "postgres", logger: Logger(label: "test"), state: "/nonexistent")
        context.lookup.services = [fence]
        return try PostgresCatalog(options, context)
    }

    @discardableResult
    func sql(_ text: String, role: String = "postgres") async throws -> String {
        try await Cluster.aside { [cluster, database] in try cluster.sql(text, role: role, database: database) }
    }

    /// A station that has joined and has a session.
    ///
    /// `roles`: catalogues as `desk1` … `desk4` see them, which many stations share so that connections are few.
    func station(_ number: Int, name: String? = nil, roles: [PostgresCatalog] = []) async throws -> TestStation {
        let role = (number - 1) % 4, catalog = try roles.isEmpty ? self.as("desk\(role + 1)") : roles[role]
        let uuid = Digits.text(Array(Digits.sha256("\(database) \(number)").prefix(16)))
        let membership = try await catalog.join(StationIdentity(uuid: uuid, name: name ?? "desk-\(number)"))
        return TestStation(
            catalog: catalog, membership: membership, session: try await catalog.open(membership, last: nil))
    }
}

/// What waits at the server, for as long as a test likes.
extension TestCatalog {
    /// Whoever wants that content's delivery waits from now on, until `COMMIT` is run over this connection.
    func holding(_ number: Int) async throws -> PQConnection {
        let connection = try self.as("postgres", answer: "600s").live
        let row = "SELECT FROM catalog.delivery WHERE sha = '\\x\(TestStation.digest(number))'"
        try await connection.run("BEGIN; \(row) FOR UPDATE")
        return connection
    }

    func untilSomebodyWaits() async throws {
        let waiting =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        for _ in 0..<5000 {
            if try await sql(waiting) != "0" { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("Nobody waits.")
    }
}

/// One station of a test.
struct TestStation: Sendable {
    let catalog: PostgresCatalog, membership: StationMembership, session: CatalogSession
    var token: Int64 { session.token }

    /// Without the server's time; `with`: absent, the session that it began with.
    func claim(_ wishes: [ClaimWish], with other: Int64? = nil) async throws -> [ClaimAnswer] {
        try await catalog.claim(wishes, other ?? token).map(\.untimed)
    }
    func claim(_ number: Int, settles: Bool = true) async throws -> ClaimAnswer? {
        try await claim([Self.wish(number, settles: settles)]).first
    }

    static func digest(_ number: Int) -> String { Digits.text(Digits.sha256("content \(number)")) }
    static func wish(_ number: Int, at target: String = "s3|bucket", settles: Bool = true) -> ClaimWish {
        ClaimWish(
            content: ContentKey(sha256: digest(number)), target: target, targetName: "gallery", canBeSettled: settles)
    }

    static let volume = "A1F0-22C4"
    private static func origin(_ path: String) -> Origin {
        Origin(source: "card", volume: volume, root: "/media/x", path: path, size: 5, modified: 9)
    }
    /// The file of that number, as a report has it.
    static func file(_ number: Int) -> AssetID { origin("DCIM/\(number).JPG").id }

    /// A report of files that were seen and delivered.
    static func report(
        _ numbers: Range<Int>, since: Int64, upTo: Int64, shared: Bool = false, path: String = "DCIM/"
    ) -> StationReport {
        var report = StationReport(since: since, upTo: upTo)
        for number in numbers {
            let sha = digest(number)
            report.contents.append(
                ContentFact(sha256: sha, size: UInt64(number) + 1, captured: 1_700_000_000, kind: .jpeg))
            report.sightings.append(
                SightingFact(
                    origin: origin("\(path)\(number).JPG"), sha256: sha, ending: .delivered,
                    at: 1_700_000_000_000_000_000))
            var delivery = DeliveryFact(
                content: ContentKey(sha256: sha), target: "s3|bucket", targetName: "gallery", state: .done,
                proof: .server, size: 5)
            (delivery.shared, delivery.receipt) = (shared, "https://x/\(number)")
            report.deliveries.append(delivery)
        }
        return report
    }
}

final class Numbers: Sendable {
    private let last = Mutex(0)
    func next() -> Int {
        last.withLock {
            $0 += 1; return $0
        }
    }
}

/// Records an issue unless `body` throws an error with that code; returns it.
@discardableResult
func expect(
    _ code: IngestError.Code, _ body: () async throws -> some Any, at place: SourceLocation = #_sourceLocation
) async -> IngestError? {
    do {
        _ = try await body()
        Issue.record("Nothing was thrown; \(code) was expected.", sourceLocation: place)
    } catch let error as IngestError {
        #expect(error.code == code, "\(error)", sourceLocation: place)
        return error
    } catch { Issue.record("\(error)", sourceLocation: place) }
    return nil
}
