import ClusterTesting
import Foundation
import TestThreads
import Testing

/// What whoever keeps the catalogue does with it, at a catalogue of their own.
@Suite(.ownThreads, .enabled(if: Cluster.isInstalled), .timeLimit(.minutes(5))) struct StationVerbTests {
    /// A database, the role of a station, and a pipeline that names both.
    private struct TriedCatalog {
        let table: Table, cluster: Cluster, file: String

        init() throws {
            (table, cluster) = (try Table(), try Cluster())
            try cluster.sql("CREATE ROLE desk3 LOGIN")
            file = try table.stationPipeline(cluster.address("desk3"))
        }

        /// With tables, in which the state directory is the station desk-3.
        static func joined() throws -> TriedCatalog {
            let tried = try TriedCatalog()
            #expect(try tried.asOwner("catalog", "migrate").status == 0)
            try tried.cluster.sql("GRANT filmgate_station TO desk3")
            #expect(try tried.asStation("catalog", "join").status == 0)
            return tried
        }

        func asOwner(_ words: String...) throws -> Program.Outcome {
            try Program.run(
                words + [
                    "--pipeline", file, "--state", table.path("owner"), "--set",
                    "catalog.postgres.url=\(cluster.address())",
                ])
        }

        func asStation(_ words: String...) throws -> Program.Outcome {
            try table.run(words + ["--pipeline", file])
        }

        func number(_ sql: String) throws -> Int? { Int(try cluster.sql(sql)) }
    }

    /// What is printed is what would be run: whoever keeps the database may run it instead.
    @Test func theSQLThatIsPrintedMakesTheTables() throws {
        let tried = try TriedCatalog(),
            tables = "SELECT count(*) FROM pg_class WHERE relnamespace::regnamespace::text = 'catalog'"
        // A station's role may read it, too.
        let seen = try tried.asStation("catalog", "migrate", "--dry-run")
        let printed = try tried.asOwner("catalog", "migrate", "--dry-run")
        #expect(printed.status == 0 && printed.output.hasPrefix("BEGIN;\n") && printed.output.hasSuffix("COMMIT;\n"))
        #expect(seen.status == 0 && seen.output.hasPrefix(printed.output), "\(seen.output.prefix(500))\(seen.errors)")
        #expect(try tried.number(tables) == 0, "nothing is changed")
        try tried.cluster.sql(printed.output)
        #expect(try tried.number(tables) ?? 0 > 7)
        let again = try tried.asOwner("catalog", "migrate", "--dry-run")
        #expect(again.status == 0 && again.output.isEmpty && again.errors.contains("The tables are up to date."))
        #expect(try tried.asOwner("catalog", "migrate").output.contains("the tables are up to date"))
    }

    @Test func claimsOfAStationThatIsGoneAreGivenFree() throws {
        let tried = try TriedCatalog.joined(), claims = "SELECT count(*) FROM catalog.delivery WHERE state = 'c'"
        try tried.cluster.sql(
            """
            INSERT INTO catalog.target (identity, name, dumb) VALUES ('http:https://form.example/:ann', 'webform', true);
            INSERT INTO catalog.session (station, token, until, version) SELECT id, 42, now() + interval '1 hour', '0.1.0' FROM catalog.station;
            INSERT INTO catalog.delivery (token, target, station, state, sha)
                SELECT 42, t.id, s.id, 'c', decode(repeat(n, 32), 'hex') FROM catalog.target t, catalog.station s, unnest(ARRAY['01', '02']) AS n
            """)
        // It may be sending them.
        let living = try tried.asOwner("stations", "release", "desk-3")
        #expect(living.status != 0 && living.errors.contains("desk-3 is there now"), "\(living.errors)")
        #expect(try tried.number(claims) == 2)
        try tried.cluster.sql("UPDATE catalog.session SET until = now() - interval '1 second'")
        let station = try tried.asStation("stations", "release", "desk-3")
        #expect(station.status == 4 && station.items("error").first?["code"] as? String == "unauthorized")
        let unknown = try tried.asOwner("stations", "release", "desk-9")
        #expect(unknown.status != 0 && unknown.errors.contains("There is no station desk-9."))
        #expect(try tried.number(claims) == 2)
        let freed = try tried.asOwner("stations", "release", "desk-3")
        #expect(
            freed.status == 0 && freed.output == "2 claims of desk-3 given free.\n", "\(freed.output)\(freed.errors)")
        #expect(try tried.number(claims) == 0)
        #expect(try tried.asOwner("stations", "release", "desk-3").output == "0 claims of desk-3 given free.\n")
    }

    /// Beside a program: each station once, and again when something of it has changed.
    @Test func whatChangesIsShownUntilStopped() throws {
        let tried = try TriedCatalog.joined()
        let watch = try Background([
            "stations", "--watch", "--pipeline", tried.file, "--state", tried.table.state, "--json",
        ])
        func lines(_ words: String) -> Int { watch.said.split(separator: "\n").count(where: { $0.contains(words) }) }
        #expect(Background.within(seconds: 30) { lines(#""name":"desk-3""#) == 1 }, "\(watch.said)")
        try tried.cluster.sql(
            "INSERT INTO catalog.station (uuid, role, name, site) VALUES (gen_random_uuid(), 'desk4', 'van-7', 'van')")
        #expect(Background.within(seconds: 60) { lines(#""name":"van-7""#) == 1 }, "\(watch.said)")
        try tried.cluster.sql("UPDATE catalog.station SET site = 'press' WHERE name = 'van-7'")
        #expect(Background.within(seconds: 60) { lines(#""site":"press""#) == 1 }, "\(watch.said)")
        try tried.cluster.sql("DELETE FROM catalog.station WHERE name = 'van-7'")
        #expect(Background.within(seconds: 60) { lines(#""gone":true"#) == 1 }, "\(watch.said)")
        // What has not changed was not shown again.
        #expect(lines(#""name":"desk-3""#) == 1 && lines(#""name":"van-7""#) == 3, "\(watch.said)")
        // Who is shut out is told nothing more.
        #expect(try tried.asOwner("stations", "revoke", "desk-3").status == 0)
        #expect(Background.within(seconds: 60) { !watch.process.isRunning })
        let end = watch.kill(SIGTERM)
        #expect(end.status == 4 && end.output.contains(#""code":"unauthorized""#), "\(end.output)\(end.errors)")
    }
}
