import ClusterTesting
import Foundation
import TestThreads
import Testing

/// What the verbs of the catalogue say at a state directory that is the station no more that it was.
@Suite(.ownThreads, .enabled(if: Cluster.isInstalled), .timeLimit(.minutes(5))) struct CatalogMembershipTests {
    /// A station with three frames that has joined and told nothing yet, and a copy of its state directory.
    private struct CopiedStation {
        let table: Table, cluster: Cluster, file: String, copy: String

        init() throws {
            (table, cluster) = (try Table(), try Cluster())
            copy = table.path("copy")
            try cluster.sql("CREATE ROLE desk3 LOGIN")
            file = try table.stationPipeline(cluster.address("desk3"))
            #expect(try Self.asOwner(["catalog", "migrate"], table, file, cluster).status == 0)
            try cluster.sql("GRANT filmgate_station TO desk3")
            try table.frames("CARD", count: 3, from: 1)
            #expect(try table.importing().status == 0)
            #expect(try table.run(["catalog", "join", "--pipeline", file]).status == 0)
            try FileManager.default.copyItem(atPath: table.state, toPath: copy)
        }

        static func asOwner(
            _ words: [String], _ table: Table, _ file: String, _ cluster: Cluster
        ) throws -> Program.Outcome {
            try Program.run(
                words + [
                    "--pipeline", file, "--state", table.path("owner"), "--set",
                    "catalog.postgres.url=\(cluster.address())",
                ])
        }

        func run(_ words: [String], _ state: String) throws -> Program.Outcome {
            try Program.run(words + ["--state", state, "--json"])
        }

        /// All of these verbs say the same, with the same code, and `doctor` calls it a problem.
        func expectRefusal(_ status: Int32, _ words: String, of verbs: [[String]], at state: String) throws {
            for verb in verbs {
                let outcome = try run(verb, state), error = outcome.items("error").first
                #expect(outcome.status == status && outcome.items("seed").isEmpty, "\(verb): \(outcome.output)")
                #expect((error?["message"] as? String)?.contains(words) == true, "\(verb): \(outcome.output)")
            }
            let said = try doctor(state)
            #expect(said.count == 1 && said.first?.hasPrefix("PROBLEM catalog: desk-3: ") == true, "\(said)")
            #expect(said.first?.contains(words) == true, "\(said)")
        }

        func doctor(_ state: String) throws -> [Substring] {
            try Program.run(["doctor", "--state", state]).output.split(separator: "\n").filter {
                $0.contains(" catalog: ")
            }
        }
    }

    private static let verbs = [["catalog", "join"], ["catalog", "status"], ["catalog", "seed"]]

    /// It does not take the identity back by joining as if nothing had happened.
    @Test func whoWasPutOutStaysOut() throws {
        let station = try CopiedStation(), state = station.table.state
        #expect(try station.run(["catalog", "join", "--as-new"], station.copy).status == 0)
        try station.expectRefusal(
            2, "the identity of desk-3 was taken anew elsewhere", of: Self.verbs, at: state)
        let error = try station.run(["catalog", "join"], state).items("error").first
        #expect((error?["advice"] as? String)?.contains("`filmgate catalog join --as-new`") == true)
        #expect(try station.cluster.sql("SELECT epoch FROM catalog.station") == "2")
        // Whoever has it goes on, and joins as often as it likes.
        for verb in Self.verbs { #expect(try station.run(verb, station.copy).status == 0, "\(verb)") }
        #expect(try station.run(["catalog", "join", "--as-new"], state).status == 0)
        try station.expectRefusal(
            2, "the identity of desk-3 was taken anew elsewhere", of: Self.verbs, at: station.copy)
    }

    /// A database that was moved to a new cluster begins anew there; where nobody can tell the two apart, a person can.
    @Test func aCatalogueThatWasMovedIsUsed() throws {
        let station = try CopiedStation(), table = station.table, status = ["catalog", "status"]
        try table.change(ledger: "UPDATE station SET timeline = 9, cluster = 7")
        #expect(try station.run(status, table.state).status == 0)
        try table.change(ledger: "UPDATE station SET timeline = 9, cluster = NULL")
        for verb in [status, ["catalog", "join"]] {
            let refused = try station.run(verb, table.state)
            let words = "is an old primary (timeline 1, we have seen 9): not used."
            #expect(refused.status == 5 && refused.output.contains(words), "\(refused.output)")
        }
        #expect(try station.run(["catalog", "join", "--as-new"], table.state).status == 0)
        for verb in Self.verbs { #expect(try station.run(verb, table.state).status == 0, "\(verb)") }
    }

    /// Tables of before are not asked how it stands: what they answer to the join tells it.
    @Test func whoWasPutOutStaysOutAtOlderTables() throws {
        let station = try CopiedStation()
        try station.cluster.sql("DROP FUNCTION catalog.standing_v1; UPDATE catalog.meta SET schema = 3")
        #expect(try station.run(["catalog", "join", "--as-new"], station.copy).status == 0)
        let outcome = try station.run(["catalog", "join"], station.table.state)
        #expect(outcome.status == 2 && outcome.output.contains("was taken anew elsewhere"), "\(outcome.output)")
        #expect(try station.run(["catalog", "join"], station.copy).status == 0)
        #expect(try station.run(["catalog", "status"], station.table.state).status == 0)
    }

    /// The first that tells is believed; the other one hears it from every verb, not from its next import alone.
    @Test func aCopyOfOneThatHasToldMoreSaysSo() throws {
        let station = try CopiedStation()
        #expect(try station.run(["catalog", "seed"], station.table.state).status == 0)
        try station.expectRefusal(
            2, "it knows 6 of our changes, we told it 0: this state directory was restored or copied.", of: Self.verbs,
            at: station.copy)
        for verb in Self.verbs { #expect(try station.run(verb, station.table.state).status == 0, "\(verb)") }
        #expect(try station.doctor(station.table.state).first?.hasPrefix("ok ") == true)
    }

    @Test func whoWasShutOutIsToldNothing() throws {
        let station = try CopiedStation(), table = station.table, digest = String(repeating: "0", count: 64)
        let reading = [["stations"], ["catalog", "find", digest], ["catalog", "where", digest]]
        #expect(try station.run(reading[0], table.state).status == 0)
        let revoking = ["stations", "revoke", "desk-3"]
        #expect(try CopiedStation.asOwner(revoking, table, station.file, station.cluster).status == 0)
        try station.expectRefusal(
            4, "the station desk-3 was shut out", of: Self.verbs + reading, at: table.state)
        // Nor as another station.
        let anew = try station.run(["catalog", "join", "--pipeline", station.file], table.path("new"))
        #expect(anew.status == 4 && anew.output.contains("the station desk-3 was shut out"), "\(anew.output)")
        #expect(try station.cluster.sql("SELECT count(*) FROM catalog.station") == "1")
    }

    /// The session of its own run is no other process's.
    @Test func besideItsOwnRunAllIsWell() throws {
        let station = try CopiedStation(), table = station.table
        let file = try table.write(
            "live.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))", settle: 0ms, companions: 0ms } } ]
            stages: [ { exif: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)", verify: size } } }
            catalog: { postgres: { url: "\(station.cluster.address("desk3"))" }, station: desk-3 }
            """)
        try table.frames("hot", count: 2, from: 50)
        let run = try Background(["run", file, "--state", table.state, "--json"])
        let isTold = try Background.within(seconds: 60) {
            try station.cluster.sql("SELECT count(*) FROM catalog.session s JOIN catalog.seen ON true") == "5"
        }
        #expect(isTold)
        for words in [["catalog", "status"], ["catalog", "status", "--by-run"]] {
            let outcome = try station.run(words, table.state)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
        #expect(try station.doctor(table.state).first?.hasPrefix("ok ") == true)
        // To a copy it is one that is at work now.
        try station.expectRefusal(
            10, "the identity of desk-3 is in use by another process", of: Self.verbs, at: station.copy)
        #expect(run.kill(SIGTERM).status == 143)
    }
}
