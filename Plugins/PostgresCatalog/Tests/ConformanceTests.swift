import ClusterTesting
import FilmgateCore
import FilmgateTesting
import Testing

@testable import PostgresCatalog

/// A real catalogue and the one in memory, by which the engine is tested, give the same answers.
@Suite(.serialized, .enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct ConformanceTests {
    /// One for all cases, emptied before each: to make one takes longer than most of them.
    private static let catalog = Task { try await TestCatalog.made() }

    @Test(arguments: CatalogConformance.cases) func answersAreThoseOfTheOneInMemory(_ one: CatalogCase) async throws {
        let catalog = try await Self.catalog.value
        try await catalog.sql(
            "TRUNCATE catalog.station, catalog.session, catalog.target, catalog.content, catalog.seen, catalog.delivery"
        )
        let told = try await one.transcript(catalog.bench)
        #expect(told == one.expected)
        #expect(try await one.transcript(.inMemory()) == told)
    }
}

extension TestCatalog {
    var bench: CatalogBench {
        CatalogBench(
            station: { try self.as("desk\($0)") }, owner: { try self.as("postgres") },
            pass: { time in
                let span = "interval '\(time.components.seconds) seconds'"
                try await self.sql(
                    "UPDATE catalog.session SET until = until - \(span), heard = heard - \(span); "
                        + "UPDATE catalog.station SET joined = joined - \(span)")
            }, setAway: { try await self.set(away: $0) })
    }

    /// Nobody may connect, and whoever had is cut off.
    private func set(away isAway: Bool) async throws {
        try await Cluster.aside { [cluster, database] in
            try cluster.sql("ALTER DATABASE \(database) ALLOW_CONNECTIONS \(!isAway)")
            guard isAway else { return }
            try cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
        }
    }
}
