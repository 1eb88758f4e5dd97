import Foundation
import TestThreads
import Testing

/// A pattern that matches no card: nothing was taken, and that is said.
@Suite(.ownThreads) struct AbsentCardTests {
    private func pipeline(_ table: Table, _ paths: [String], more: String = "") throws -> String {
        let list = paths.map { "\"\($0)\"" }.joined(separator: ", ")
        return try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ card: { paths: [\(list)] } }\(more)]
            stages: [{ exif: {} }, { dedupe: {} }, { upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
    }

    private func told(_ outcome: Program.Outcome) -> [String] {
        outcome.items("error").compactMap { $0["message"] as? String }
    }

    @Test(arguments: [["run", "--once"], ["import", "--pipeline"]]) func aRunThatEndsEndsWithFive(
        _ words: [String]
    ) throws {
        let table = try Table(), pattern = table.path("NO*"), file = try pipeline(table, [pattern])
        let outcome = try table.run(words + [file])
        #expect(outcome.status == 5 && told(outcome) == ["Nothing matches \(pattern)."], "\(outcome.output)")
    }

    @Test func theOtherSourcesAreTaken() throws {
        let table = try Table()
        try table.sampleCard()
        let none = table.path("NO*")
        let file = try pipeline(table, [none], more: ", { card: { paths: [\"\(table.path("CA*"))\", \"\(none)\"] } }")
        let outcome = try table.run(["run", file, "--once"])
        #expect(outcome.status == 5 && outcome.count("delivered") == 16, "\(outcome.output)")
        #expect(told(outcome).filter { $0.contains("Nothing matches") }.count == 1)
        // One of two patterns is enough.
        #expect(try table.run(["run", try pipeline(table, [none, table.path("CA*")]), "--once"]).status == 0)
    }

    /// The path of a command line is no pattern, whatever it is made of.
    @Test func aPathWithBracketsIsNamedAsItIs() throws {
        let table = try Table(), path = table.path("card [1]")
        let outcome = try table.run(["import", path, "--to", table.archive])
        #expect(outcome.status == 5 && told(outcome) == ["\(path) is not there."], "\(outcome.output)")
    }

    @Test func aRunThatGoesOnSaysItOnceAndWaits() throws {
        let table = try Table(), pattern = table.path("NO*")
        let run = try Background(["run", try pipeline(table, [pattern]), "--state", table.state, "--json"])
        let line = try #require(run.line(#"{"type":"error""#))
        #expect(line.contains("Nothing matches"))
        #expect(run.process.isRunning)
        let outcome = run.kill(SIGINT)
        #expect(outcome.status == 130 && told(outcome).count == 1, "\(outcome.output)")
    }
}
