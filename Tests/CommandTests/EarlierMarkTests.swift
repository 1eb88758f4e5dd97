import Foundation
import TestThreads
import Testing

/// Frames that wait for a pick, and whose event a run has no more.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct EarlierMarkTests {
    private let table: Table, gallery: Gallery, pipeline: String

    init() throws {
        table = try Table()
        gallery = try Gallery(table)
        let file = try table.hotFolderPipeline(to: gallery.address, query: "?event={event}", most: "300ms")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        // The copy in the archive is what is sent later.
        let picks = text.replacing(
            "to: [gallery]", with: "to: [archive, gallery], deliver: { gallery: { picks: only } }")
        pipeline = try table.write(
            "picks.yaml",
            picks.replacing("targets:", with: "targets:\n  archive: { folder: { path: \"\(table.archive)\" } }"))
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
    }

    private func start(_ event: String) throws -> Background {
        let words = ["run", pipeline, "--event", event, "--state", table.state, "--json"]
        let run = try Background(words, environment: Gallery.environment)
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    private func waiting() throws -> Int? {
        let status = try table.run(["status"]).items("status").first ?? [:]
        let targets = status["targets"] as? [[String: Any]] ?? []
        return targets.first { $0["name"] as? String == "gallery" }?["pending"] as? Int
    }

    private func assets() -> Int? { try? gallery.assets().count }

    /// Two frames of smith wait in a run that has the event jones by now.
    private func afterSmith() throws -> (run: Background, pictures: [String]) {
        let run = try start("smith")
        try table.frames("hot", count: 2, from: 0)
        #expect(try Background.within(seconds: 30) { try waiting() == 2 })
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        let files = FileManager.default.subpaths(atPath: table.path("hot")) ?? []
        return (run, files.filter { $0.hasSuffix("JPG") }.sorted().map { table.path("hot") + "/" + $0 })
    }

    /// However long the run had nothing to send for that event.
    @Test func aPickIsSentAtOnce() throws {
        let (run, pictures) = try afterSmith()
        try #require(pictures.count == 2)
        // Tries that double their distance came after 2, 6 and 14 seconds; the next would come after 30.
        Thread.sleep(forTimeInterval: 15)
        for (number, picture) in pictures.enumerated() {
            #expect(try table.run(["mark", "--pick", picture]).status == 0)
            #expect(Background.within(seconds: 10) { assets() == number + 1 })
        }
        #expect(run.kill(SIGTERM).status == 143)
    }

    private func retries() throws -> Int {
        try table.run(["history"]).items("run").count { $0["verb"] as? String == "retry" }
    }

    /// A try that can send nothing would stand in `history` among what was done.
    @Test func nothingIsTriedThatWaitsOnlyForAPick() throws {
        let (run, pictures) = try afterSmith()
        try #require(pictures.count == 2)
        // It looks after two seconds, and would again after six.
        Thread.sleep(forTimeInterval: 8)
        #expect(try retries() == 0)
        #expect(try table.run(["mark", "--pick", pictures[1]]).status == 0)
        #expect(Background.within(seconds: 10) { assets() == 1 })
        // The other one still waits: nothing more is tried for it.
        Thread.sleep(forTimeInterval: 8)
        #expect(try retries() == 1)
        #expect(run.kill(SIGTERM).status == 143)
    }

    /// Nobody ordered frames of another event anew by taking the rule out of the pipeline: the run says who can.
    @Test func aPipelineThatNoLongerWaitsLetsGoOfItsEventOnly() throws {
        let smith = try start("smith")
        try table.frames("hot", count: 2, from: 0)
        #expect(try Background.within(seconds: 30) { try waiting() == 2 })
        #expect(smith.kill(SIGTERM).status == 143)
        let text = try String(contentsOfFile: pipeline, encoding: .utf8)
        _ = try table.write("picks.yaml", text.replacing("picks: only", with: "picks: any"))
        let status = try Program.run(["status", "--state", table.state])
        #expect(status.output.contains("filmgate run PIPELINE --event 'smith'"), "\(status.output)")
        let next = try Background(
            ["run", pipeline, "--event", "jones", "--state", table.state], environment: Gallery.environment)
        let socket = table.state + "/control.sock"
        #expect(Background.within(seconds: 30) { FileManager.default.fileExists(atPath: socket) })
        // It looks after two seconds.
        Thread.sleep(forTimeInterval: 4)
        #expect(assets() == 0)
        #expect(try table.run(["events", "use", "--now", "smith"]).status == 0)
        #expect(Background.within(seconds: 30) { assets() == 2 })
        let ended = next.kill(SIGTERM)
        #expect(ended.errors.contains("note: 2 files of the event smith wait at gallery for marks"), "\(ended.errors)")
        #expect(ended.errors.contains("`filmgate events use --now 'smith'`"), "\(ended.errors)")
    }
}
