import Foundation
import TestThreads
import Testing

/// What a run does when there is nothing to do, and what it finishes before it ends.
@Suite(.ownThreads, .serialized) struct QuietTests {
    private func pipeline(_ table: Table, targets: String, to: String, take: String = "copy") throws -> String {
        try table.write(
            "quiet.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 0ms, companions: 0ms, take: \(take) }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [\(to)] } } ]
            targets:
              \(targets)
            auth:
              studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } }
            """)
    }

    /// How often the threads of a process woke up so far.
    private func wakes(_ process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").reduce(0) { sum, task in
            let text = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0)
        }
    }

    /// A service whose journal is no terminal: it draws no bar, and sleeps while nothing comes.
    @Test(
        .disabled(
            if: ProcessInfo.processInfo.environment["FILMGATE_SANITIZER"] == "thread",
            "its own thread wakes ten times a second"))
    func anIdleRunWithoutATerminalSleeps() throws {
        let table = try Table()
        try table.frames("hot", count: 1, from: 0)
        let file = try pipeline(
            table, targets: "archive: { folder: { path: \"\(table.archive)\", verify: size } }", to: "archive")
        let run = try Background(["run", file, "--state", table.state])
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 1 })
        Thread.sleep(forTimeInterval: 1)
        let before = try wakes(run.process.processIdentifier)
        Thread.sleep(forTimeInterval: 3)
        let count = try wakes(run.process.processIdentifier) - before
        #expect(count < 24, "\(count) wake-ups in three seconds")
        let outcome = run.kill(SIGTERM)
        #expect(outcome.status == 143 && !outcome.errors.contains("[="), "\(outcome.errors)")
    }

    /// The gallery has the last word after the folder was left: what it proves is removed before the run ends.
    @Test func whatWasMovedIsGoneWhenARunWithAnEndEnds() throws {
        let table = try Table(), gallery = try Gallery(table)
        let web = """
            gallery:
                http:
                  url: "\(gallery.address)/api/assets"
                  auth: studio
                  digest: { json: sha256 }
                  find: { url: "\(gallery.address)/api/assets/by-digest/{sha256}" }
            """
        let file = try pipeline(table, targets: web, to: "gallery", take: "move")
        try table.frames("hot", count: 6, from: 0)
        let outcome = try table.run(["run", file, "--once"], environment: Gallery.environment)
        #expect(outcome.status == 0 && outcome.count("delivered") == 6, "\(outcome.errors)")
        #expect(table.files(table.path("hot")).isEmpty)
    }
}
