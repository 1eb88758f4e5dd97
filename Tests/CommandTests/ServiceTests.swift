import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// What a run does as a service: reloads, does other processes' jobs, tells how it fares.
@Suite(.ownThreads, .serialized) struct ServiceTests {
    private func pipeline(_ table: Table, more: String = "", to: String = "archive") throws -> String {
        try write(table, more: more, to: to)
        return table.path("live.yaml")
    }

    @discardableResult private func write(_ table: Table, more: String = "", to: String = "archive") throws -> String {
        try table.write(
            "live.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [\(to)] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)", verify: size } }
            \(more)
            """)
    }

    private func start(_ table: Table, _ pipeline: String, _ more: [String] = []) throws -> Background {
        let run = try Background(["run", pipeline, "--state", table.state, "--json"] + more)
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    @Test func aHotFolderIsDeliveredAsItFills() throws {
        let table = try Table()
        try table.frames("hot", count: 3, from: 0)
        let run = try start(table, try pipeline(table))
        try table.frames("hot", count: 4, from: 10)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 7 })
        let outcome = run.kill(SIGTERM)
        #expect(outcome.status == 143)
        #expect(outcome.count("delivered") == 7, "\(outcome.output)")
    }

    @Test func anotherProcessHandsItsJobToTheRun() throws {
        let table = try Table()
        try table.sampleCard()
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let run = try start(table, try pipeline(table))
        let imported = try table.run(["import", "CARD", "--to", "elsewhere"], in: table.root.path)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.count("delivered") >= 15)
        #expect(table.files(table.path("elsewhere")).count == imported.count("delivered"))
        #expect(try table.run(["import", "CARD", "--to", "elsewhere"], in: table.root.path).count("delivered") == 0)
        #expect(try table.run(["import", "nowhere", "--to", "elsewhere"], in: table.root.path).status == 5)
        #expect(try table.run(["run", table.path("live.yaml")]).status == 10)
        #expect(run.kill(SIGINT).status == 130)
        #expect(!FileManager.default.fileExists(atPath: table.state + "/control.sock"))
    }

    /// Killed, it can say nothing itself: whoever handed a job over must still hear what became of it.
    @Test func aJobWhoseRunWasKilledSaysSo() throws {
        let table = try Table()
        try table.sampleCard()
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let script = try table.write("slow", "#!/bin/sh\ntouch '\(table.path("begun"))'\nexec sleep 60\n")
        chmod(script, 0o755)
        let file = try write(table, more: "  slow: { exec: { command: [\"\(script)\"] } }", to: "archive, slow")
        let run = try start(table, file)
        let job = try Background(["import", table.card, "--pipeline", file, "--state", table.state])
        #expect(Background.within(seconds: 30) { FileManager.default.fileExists(atPath: table.path("begun")) })
        run.kill(SIGKILL)
        let outcome = job.kill(0)
        #expect(outcome.status == 1 && outcome.errors.contains("ended before it was done"), "\(outcome.errors)")
    }

    @Test func metricsCountWhatHappened() throws {
        let table = try Table()
        try table.frames("hot", count: 4, from: 0)
        let port = FreePort.next()
        let run = try start(table, try pipeline(table), ["--metrics", "127.0.0.1:\(port)"])
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 4 })
        var text = ""
        #expect(
            try Background.within(seconds: 10) {
                text = String(decoding: try URLRequest("http://127.0.0.1:\(port)/metrics").body(), as: UTF8.self)
                return text.contains("filmgate_assets_total{ending=\"delivered\"} 4")
            })
        #expect(text.contains("filmgate_deliveries_total{target=\"archive\"} 4"))
        #expect(text.contains("filmgate_shutter_to_delivered_seconds_count{target=\"archive\"} 4"))
        #expect(text.contains("filmgate_source_up{source=\"folder hot\"} 1"))
        run.kill(SIGINT)
    }

    @Test func movedFilesLeaveTheFolderOnlyWithProof() throws {
        let table = try Table()
        try table.frames("hot", count: 3, from: 0)
        let sized = try table.run([
            "watch", table.path("hot"), "--to", table.archive, "--take", "move", "--verify", "size", "--settle", "50ms",
            "--once",
        ])
        #expect(sized.count("delivered") == 3, "\(sized.errors)")
        #expect(table.files(table.path("hot")).count == 3)
        try table.frames("hot", count: 2, from: 10)
        let run = try Background([
            "watch", table.path("hot"), "--to", table.path("proven"), "--take", "move", "--settle", "50ms", "--state",
            table.path("other"), "--json",
        ])
        #expect(
            Background.within(seconds: 30) {
                table.files(table.path("proven")).count == 5 && table.files(table.path("hot")).isEmpty
            })
        #expect(run.kill(SIGINT).count("delivered") == 5)
    }
}
