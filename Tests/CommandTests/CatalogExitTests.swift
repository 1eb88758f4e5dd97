import ClusterTesting
import Foundation
import TestThreads
import Testing

/// One fault of the catalogue ends all of its verbs with one exit code.
@Suite(.ownThreads) struct CatalogExitTests {
    private static let digest = String(repeating: "0", count: 64)
    private static let verbs = [["check"], ["join"], ["migrate"], ["where", digest], ["find", digest]]

    private func expect(_ status: Int32, _ code: String, of verb: [String], _ table: Table, _ file: String) throws {
        let outcome = try table.run(["catalog"] + verb + ["--pipeline", file])
        #expect(
            outcome.status == status && outcome.items("error").first?["code"] as? String == code,
            "\(verb): \(outcome.status) \(outcome.output)")
        #expect(outcome.count("exit") == Int(status))
    }

    /// Nobody listens there.
    @Test func oneThatIsAway() throws {
        let table = try Table(), file = try table.stationPipeline("postgresql://desk3@127.0.0.1:9/filmgate")
        for verb in Self.verbs { try expect(5, "unavailable", of: verb, table, file) }
    }

    /// Where it was looked for, and what can be done about it.
    @Test(arguments: [["catalog", "join"], ["catalog", "status"], ["stations"], ["stations", "--watch"]])
    func oneThatIsAwayIsNamedWithAdvice(_ verb: [String]) throws {
        let table = try Table(), file = try table.stationPipeline("postgresql://desk3@127.0.0.1:9/filmgate")
        // `status` reads how this station stands first.
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let said = try Program.run(verb + ["--pipeline", file, "--state", table.state])
        let lines = said.errors.split(separator: "\n").filter { !$0.contains("has not joined") }
        #expect(said.status == 5 && lines.count == 2, "\(said.errors)")
        #expect(lines.first == "error: 127.0.0.1:9: connection refused.")
        #expect(lines.last?.hasPrefix("  → Nothing listens there: is the server running?") == true, "\(said.errors)")
        #expect(lines.last?.contains("correct the host and the port in `url`") == true)
    }

    @Test(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(5))) func aRoleThatMayNot() throws {
        let table = try Table(), cluster = try Cluster()
        try cluster.sql("CREATE ROLE plain LOGIN")
        let plain = try table.stationPipeline(cluster.address("plain"))
        // Without tables there is nothing to use, whoever asks; only making them takes more than this role has.
        for verb in [Self.verbs[1], Self.verbs[3]] { try expect(2, "misconfigured", of: verb, table, plain) }
        #expect(try table.run(["catalog", "check", "--pipeline", plain]).status == 2)
        let migrating = try Program.run(["catalog", "migrate", "--pipeline", plain, "--state", table.state])
        #expect(
            migrating.status == 4 && migrating.errors.contains("the role plain may not make or change the tables at")
                && migrating.errors.contains("  → That takes a role that may make roles"), "\(migrating.errors)")
        let owner = ["--set", "catalog.postgres.url=\(cluster.address())"]
        #expect(try table.run(["catalog", "migrate", "--pipeline", plain] + owner).status == 0)
        for verb in Self.verbs { try expect(4, "unauthorized", of: verb, table, plain) }
        // With the rights of a station.
        try cluster.sql("GRANT filmgate_station TO plain")
        for verb in [["check"], ["join"], ["migrate"], ["status"]] {
            #expect(try table.run(["catalog"] + verb + ["--pipeline", plain]).status == 0, "\(verb)")
        }
        let other = ["catalog", "join", "--pipeline", plain, "--state", table.path("other"), "--json"]
        let taken = try Program.run(other)
        #expect(taken.status == 2 && taken.output.contains("another station is called desk-3"), "\(taken.output)")
    }
}
