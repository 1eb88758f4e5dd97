import Foundation
import TestThreads
import Testing

/// `pause` and `resume`: a living run takes nothing new meanwhile, and forgets nothing.
@Suite(.ownThreads, .serialized) struct PauseTests {
    @Test func whatComesDuringAPauseIsTakenOnceAfterwards() throws {
        let table = try Table()
        try table.frames("hot", count: 2, from: 0)
        let file = try table.write(
            "live.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 0ms, companions: 0ms }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)", verify: size } }
            """)
        let run = try Background(["run", file, "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 2 })
        #expect(try table.run(["pause"]).items("status").first?["paused"] as? Bool == true)
        #expect(try table.run(["pause"]).status == 0)
        let watch = try Background(["status", "--watch", "--state", table.state, "--json"])
        #expect(watch.line(#"{"type":"status""#)?.contains(#""paused":true"#) == true)
        watch.kill(SIGINT)
        #expect(try table.run(["status"]).items("status").first?["paused"] as? Bool == true)
        #expect(try Program.run(["status", "--state", table.state]).output.contains("paused: "))
        try table.frames("hot", count: 5, from: 10)
        // One more is written over, one is taken away again: what lies there at the end counts.
        try table.frames("hot", count: 1, from: 20)
        try FileManager.default.removeItem(atPath: table.path("hot/DCIM/100TEST/IMG_0020.JPG"))
        Thread.sleep(forTimeInterval: 1)
        #expect(table.files(table.archive).count == 2)
        #expect(try table.run(["resume"]).status == 0)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 7 })
        try table.frames("hot", count: 1, from: 30)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 8 })
        let outcome = run.kill(SIGTERM)
        #expect(outcome.status == 143 && outcome.count("delivered") == 8, "\(outcome.output)")
        #expect(outcome.items("status").compactMap { $0["paused"] as? Bool } == [true, false])
        #expect(try table.run(["pause"]).status == 5)
    }

    /// A run that is stopped while it is paused ends, and the next one takes what came.
    @Test func aPausedRunCanBeStopped() throws {
        let table = try Table()
        try table.frames("hot", count: 1, from: 0)
        let arguments = [
            "watch", table.path("hot"), "--to", table.archive, "--settle", "0ms", "--state", table.state, "--json",
        ]
        let run = try Background(arguments)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 1 })
        #expect(try table.run(["pause"]).status == 0)
        try table.frames("hot", count: 3, from: 10)
        Thread.sleep(forTimeInterval: 0.5)
        #expect(run.kill(SIGTERM).status == 143)
        #expect(try Program.run(arguments + ["--once"]).count("delivered") == 3)
        #expect(table.files(table.archive).count == 4)
    }
}
