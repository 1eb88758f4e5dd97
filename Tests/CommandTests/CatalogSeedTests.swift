import ClusterTesting
import Foundation
import TestThreads
import Testing

/// `catalog seed` and `catalog find`, and what is known after `catalog join` alone, at a catalogue of their own.
@Suite(.ownThreads, .enabled(if: Cluster.isInstalled), .timeLimit(.minutes(5))) struct CatalogSeedTests {
    /// A station that has joined with a history of so many frames, and has told nothing yet.
    private struct StationTable {
        let table: Table, cluster: Cluster, file: String, digests: [String]

        init(frames: Int = 12) throws {
            (table, cluster) = (try Table(), try Cluster())
            try cluster.sql("CREATE ROLE desk3 LOGIN")
            file = try table.stationPipeline(cluster.address("desk3"))
            try Self.migrate(cluster, table, file)
            try cluster.sql("GRANT filmgate_station TO desk3")
            try table.frames("CARD", count: frames, from: 1)
            digests = try table.importing().items().compactMap { $0["sha256"] as? String }
            #expect(digests.count == frames)
            #expect(try table.run(["catalog", "join", "--pipeline", file]).status == 0)
        }

        static func migrate(_ cluster: Cluster, _ table: Table, _ file: String, _ database: String = "postgres") throws
        {
            let owner = ["--set", "catalog.postgres.url=\(cluster.address(database: database))"]
            let words = ["catalog", "migrate", "--pipeline", file, "--state", table.path("owner")]
            #expect(try Program.run(words + owner).status == 0)
        }

        /// Files and copies that the catalogue knows.
        func known() throws -> String {
            try cluster.sql("SELECT (SELECT count(*) FROM catalog.seen), (SELECT count(*) FROM catalog.delivery)")
        }

        func lose() throws { try cluster.sql("DELETE FROM catalog.seen; DELETE FROM catalog.delivery") }

        func seed(_ more: [String] = []) throws -> Program.Outcome { try table.run(["catalog", "seed"] + more) }

        /// What waits to be told.
        func waiting() throws -> Int? { try seed(["--dry-run"]).items("seed").first?["waiting"] as? Int }
    }

    @Test func whatACatalogueLostIsToldAnew() throws {
        let station = try StationTable()
        let dry = try station.seed(["--dry-run"])
        #expect(dry.status == 0 && dry.items("seed").first?["dry_run"] as? Bool == true, "\(dry.output)\(dry.errors)")
        for (key, number) in [("files", 12), ("copies", 12), ("waiting", 24)] {
            #expect(dry.items("seed").first?[key] as? Int == number)
        }
        #expect(try station.known() == "0|0")
        for isFirst in [true, false, false] {
            try station.lose()
            let outcome = try station.seed(), line = outcome.items("seed").first
            #expect(outcome.status == 0 && outcome.count("exit") == 0, "\(outcome.output)\(outcome.errors)")
            // Whoever has just joined has all of it to tell.
            #expect(line?["resumed"] as? Bool == isFirst && line?["waiting"] as? Int == 0)
            #expect(try station.known() == "12|12")
        }
        // What is told twice is there once.
        let plain = try Program.run(["catalog", "seed", "--state", station.table.state])
        #expect(plain.status == 0 && plain.output.hasPrefix("desk-3 has told "), "\(plain.errors)")
        #expect(plain.output.hasSuffix("/postgres all: 12 files and 12 copies.\n"), "\(plain.output)")
        #expect(try station.known() == "12|12" && station.waiting() == 0)
    }

    @Test func aCatalogueThatCannotBeToldEndsTheVerb() throws {
        let station = try StationTable()
        func refused(_ status: Int32, _ code: String, _ words: String, _ outcome: Program.Outcome) {
            let error = outcome.items("error").first, message = error?["message"] as? String ?? ""
            #expect(
                outcome.status == status && error?["code"] as? String == code && message.contains(words),
                "\(outcome.output)")
        }
        #expect(try station.seed().status == 0)
        station.cluster.stop(.fast)
        refused(5, "unavailable", "no server listens", try station.seed())
        #expect(try station.waiting() == 0)
        try station.cluster.start()
        try station.cluster.sql("CREATE DATABASE other")
        try StationTable.migrate(station.cluster, station.table, station.file, "other")
        let other = ["--set", "catalog.postgres.url=\(station.cluster.address("desk3", database: "other"))"]
        refused(2, "misconfigured", "another catalogue than desk-3 joined", try station.seed(other))
        #expect(try station.waiting() == 0)
        // One that knows this station no more.
        try station.lose()
        try station.cluster.sql("TRUNCATE catalog.station CASCADE")
        refused(2, "misconfigured", "has not joined", try station.seed())
        #expect(try station.table.run(["catalog", "join"]).status == 0)
        #expect(try station.seed().status == 0)
        #expect(try station.known() == "12|12")

        let stranger = ["--state", station.table.path("stranger"), "--pipeline", station.file, "--json"]
        refused(5, "notFound", "no state directory", try Program.run(["catalog", "seed"] + stranger))
        let importing = ["import", station.table.card, "--to", station.table.archive]
        #expect(try Program.run(importing + stranger.prefix(2)).status == 0)
        for more in [[], ["--dry-run"]] {
            refused(2, "misconfigured", "has not joined", try Program.run(["catalog", "seed"] + stranger + more))
        }
    }

    /// A run has the session: it tells, and keeps what it claims.
    @Test func aRunTellsForTheVerb() throws {
        let station = try StationTable(frames: 3), table = station.table
        let file = try table.write(
            "live.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))", settle: 0ms, companions: 0ms } } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)", verify: size } } }
            catalog: { postgres: { url: "\(station.cluster.address("desk3"))" }, station: desk-3 }
            """)
        try table.frames("hot", count: 2, from: 50)
        let run = try Background(["run", file, "--state", table.state, "--json"])
        #expect(try Background.within(seconds: 60) { try station.known() == "5|5" })
        let token = try station.cluster.sql("SELECT token FROM catalog.session")
        try station.lose()
        let outcome = try station.seed()
        #expect(outcome.status == 0 && outcome.items("seed").first?["files"] as? Int == 5, "\(outcome.output)")
        #expect(try station.known() == "5|5")
        #expect(try station.cluster.sql("SELECT token FROM catalog.session WHERE until > now()") == token)
        #expect(run.kill(SIGTERM).status == 143)
    }

    @Test func digestsAreFound() throws {
        let station = try StationTable(frames: 3), one = try #require(station.digests.first)
        let nobody = String(repeating: "0", count: 64)
        #expect(try station.seed().status == 0)
        func find(_ words: String..., verb: String = "find") throws -> Program.Outcome {
            try station.table.run(["catalog", verb] + words)
        }
        for words in [one, one.uppercased(), String(one.prefix(12))] {
            for verb in ["find", "where"] {
                let found = try find(words, verb: verb)
                #expect(found.status == 0, "\(found.output)\(found.errors)")
                let places = found.items("place")
                #expect(places.map { $0["state"] as? String } == ["seen", "done"])
                #expect(places.allSatisfy { $0["sha256"] as? String == one && $0["station"] as? String == "desk-3" })
            }
        }
        let both = try find(nobody, one)
        #expect(both.status == 0 && both.items("place").count == 2)
        let none = try find(nobody)
        #expect(none.status == 5 && none.items("place").isEmpty && none.count("exit") == 5)
        // As many as anybody asks for, each answered.
        let many = try station.table.run(["catalog", "find"] + Array(repeating: nobody, count: 40) + station.digests)
        #expect(many.status == 0 && many.items("place").count == 6)
        for (words, message) in [("12345", "too short"), ("IMG_0001.JPG", "is no SHA-256"), (one + "0", "longer than")]
        {
            let refused = try find(words), error = refused.items("error").first?["message"] as? String
            #expect(refused.status == 2 && error?.contains(message) == true, "\(refused.output)")
        }
        let strange = try find("000000000000").items("error").first
        #expect((strange?["advice"] as? String)?.contains("All 64 digits") == true)
        let words = ["catalog", "find", nobody, one, "--state", station.table.state]
        let plain = try Program.run(words).output.split(separator: "\n")
        #expect(plain.count == 5 && plain[1] == "  nobody" && plain[2].hasPrefix("\(one)  "), "\(plain)")
        #expect(plain[4].contains("desk-3  delivered to ") && plain[4].contains("(reread)"))
    }

    /// No import has used the pipeline yet.
    @Test func joiningIsEnoughToAskTheCatalogue() throws {
        let station = try StationTable(frames: 2), status = try station.table.run(["catalog", "status"])
        #expect(status.status == 0 && status.items("membership").first?["waiting"] as? Int == 4, "\(status.output)")
        #expect(status.items("station").map { $0["name"] as? String } == ["desk-3"])
        func doctor() throws -> [Substring] {
            try Program.run(["doctor", "--state", station.table.state]).output.split(separator: "\n").filter {
                $0.contains(" catalog: ")
            }
        }
        let well = try doctor()
        #expect(
            well.count == 1 && well.first?.hasPrefix("ok      catalog: desk-3: 4 changes to tell; ") == true,
            "\(well)")
        station.cluster.stop(.fast)
        let away = try station.table.run(["catalog", "status"])
        #expect(
            away.status == 5 && away.items("membership").first?["station"] as? String == "desk-3", "\(away.output)")
        let ill = try doctor()
        #expect(
            ill.count == 1 && ill.first?.hasPrefix("PROBLEM catalog: desk-3: 4 changes to tell. ") == true, "\(ill)")
    }
}
