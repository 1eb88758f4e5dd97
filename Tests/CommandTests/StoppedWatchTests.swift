import Foundation
import TestThreads
import Testing

/// What a watched folder holds and has not given when it is stopped.
@Suite(.ownThreads) struct StoppedWatchTests {
    @Test func filesThatWaitToBeWholeAreNamed() throws {
        let table = try Table()
        try table.frames("frames", count: 2, from: 0)
        let frames = table.files(table.path("frames")).sorted { $0.key < $1.key }.map(\.value), hot = table.path("hot")
        try table.write("hot/early.jpg", frames[0].dropLast(2))
        let words = ["watch", hot, "--to", table.archive, "--settle", "50ms", "--state", table.state]
        let watch = try Background(words + ["--json"])
        #expect(watch.line(#"{"type":"status""#) != nil)
        try table.write("hot/late.jpg", frames[1].dropLast(2))
        try table.write("hot/whole.jpg", frames[1])
        #expect(
            Background.within(seconds: 30) { table.files(table.archive).keys.contains { $0.hasSuffix("whole.jpg") } })
        let outcome = watch.kill(SIGINT), left = outcome.items().filter { $0["ending"] as? String == "pending" }
        #expect(outcome.status == 130, "\(outcome.errors)")
        #expect(left.compactMap { $0["path"] as? String }.sorted() == ["early.jpg", "late.jpg"], "\(outcome.output)")
        #expect(left.allSatisfy { ($0["reason"] as? String)?.contains("not whole yet") == true }, "\(outcome.output)")
        #expect(outcome.count("pending") == 2 && outcome.count("delivered") == 1)
        let runs = try table.run(["history"]).output
        #expect(runs.contains(#""pending":2"#), "\(runs)")
    }
}
