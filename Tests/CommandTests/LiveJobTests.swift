import Foundation
import TestThreads
import Testing

/// Other verbs while a run holds the state: nothing is sent by two, and what was refused once is not refused for ever.
@Suite(.ownThreads, .serialized) struct LiveJobTests {
    private func write(_ table: Table, _ gallery: String, rule: String = "", most: String = "60s") throws -> String {
        try table.hotFolderPipeline(to: gallery, rule: rule, most: most)
    }

    private func start(_ table: Table, _ pipeline: String, in folder: String? = nil) throws -> Background {
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let run = try Background(
            ["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment, in: folder)
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    private func target(_ table: Table, _ name: String = "gallery") throws -> [String: Any] {
        let status = try #require(try table.run(["status"]).items("status").first)
        return (status["targets"] as? [[String: Any]] ?? []).first { $0["name"] as? String == name } ?? [:]
    }

    private func waits(_ table: Table, _ state: String, _ count: Int, _ name: String = "gallery") throws -> Bool {
        try Background.within(seconds: 30) { try target(table, name)[state] as? Int == count }
    }

    /// All is delivered, once, and the ledger still says so when the run has ended and another has looked.
    private func isSettled(_ table: Table, _ run: Background, _ gallery: Gallery, _ pipeline: String, count: Int) throws
    {
        #expect(try waits(table, "done", count))
        #expect(run.kill(SIGTERM).status == 143)
        #expect(try target(table)["done"] as? Int == count)
        let again = try table.run(["run", pipeline, "--once"], environment: Gallery.environment)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.count("delivered") == 0)
        #expect(try gallery.assets().count == count)
    }

    @Test func aRetryLeavesToTheRunWhatTheRunHas() throws {
        let table = try Table(), first = try Gallery(table), pipeline = try write(table, first.address, most: "300ms")
        first.stop()
        let run = try start(table, pipeline)
        try table.frames("hot", count: 2, from: 0)
        #expect(try waits(table, "pending", 2))
        let retry = try table.run(["retry", "--wait", "1s"], environment: Gallery.environment)
        #expect(retry.status == 8)
        #expect(retry.count("pending") == 2)
        let gallery = try Gallery(table, at: first.address)
        try isSettled(table, run, gallery, pipeline, count: 2)
    }

    @Test func aTargetThatRefusedIsAskedAgain() throws {
        let table = try Table(), first = try Gallery(table, fault: "unauthorized")
        let pipeline = try write(table, first.address, most: "1s")
        let run = try start(table, pipeline)
        try table.frames("hot", count: 3, from: 0)
        #expect(try waits(table, "held", 3))
        #expect("\(try target(table)["reason"] ?? "")".contains("401"))
        first.stop()
        let gallery = try Gallery(table, at: first.address)
        try isSettled(table, run, gallery, pipeline, count: 3)
    }

    @Test func aRetryAsksAHeldTargetAtOnce() throws {
        let table = try Table(), first = try Gallery(table, fault: "unauthorized")
        let pipeline = try write(table, first.address)
        let run = try start(table, pipeline)
        try table.frames("hot", count: 3, from: 0)
        #expect(try waits(table, "held", 3))
        let refused = try table.run(["retry", "--wait", "20s"], environment: Gallery.environment)
        #expect(refused.status == 8 || refused.status == 4)
        #expect(refused.count("pending") == 3)
        first.stop()
        let gallery = try Gallery(table, at: first.address)
        let retry = try table.run(["retry", "--wait", "20s"], environment: Gallery.environment)
        #expect(retry.status == 0, "\(retry.errors)\(retry.output)")
        #expect(retry.count("delivered") == 3)
        try table.frames("hot", count: 1, from: 10)
        try isSettled(table, run, gallery, pipeline, count: 4)
    }

    /// The run has another standard input: what the command read of its own goes with the job.
    @Test func namesFromStandardInputAreHandedOver() throws {
        let table = try Table(), first = try Gallery(table, fault: "unauthorized")
        let pipeline = try write(table, first.address), run = try start(table, pipeline)
        try table.frames("hot", count: 3, from: 0)
        #expect(try waits(table, "held", 3))
        first.stop()
        let gallery = try Gallery(table, at: first.address)
        let retry = try table.run(
            ["retry", "--wait", "20s", "-"], environment: Gallery.environment, input: "IMG_0001.JPG\nIMG_0002.JPG\n")
        #expect(retry.status == 0 && retry.count("delivered") == 2, "\(retry.errors)\(retry.output)")
        try isSettled(table, run, gallery, pipeline, count: 3)
    }

    @Test func whatAHandedOverImportLeavesIsTheRuns() throws {
        let table = try Table(), first = try Gallery(table), pipeline = try write(table, first.address, most: "300ms")
        first.stop()
        let run = try start(table, pipeline)
        try table.frames("other", count: 2, from: 50)
        let taken = try table.run(
            ["import", table.path("other"), "--pipeline", pipeline, "--wait", "1s"], environment: Gallery.environment)
        #expect(taken.status == 8)
        // The run's own files, handed over as well: nobody sends them a second time.
        try table.frames("hot", count: 2, from: 0)
        #expect(try waits(table, "pending", 4))
        let own = try table.run(
            ["import", table.path("hot"), "--pipeline", pipeline, "--wait", "1s"], environment: Gallery.environment)
        #expect(own.status == 8)
        #expect(own.count("pending") == 2)
        let gallery = try Gallery(table, at: first.address)
        try isSettled(table, run, gallery, pipeline, count: 4)
    }

    /// What was read of a file that is nowhere else by then is not thrown away with the process that read it.
    @Test func whatAKilledRunHadReadIsSentByTheNextOne() throws {
        let table = try Table(), first = try Gallery(table), pipeline = try write(table, first.address, most: "300ms")
        first.stop()
        let killed = try start(table, pipeline)
        try table.frames("hot", count: 2, from: 0)
        #expect(try waits(table, "pending", 2))
        killed.kill(SIGKILL)
        try FileManager.default.removeItem(atPath: table.path("hot"))
        let run = try start(table, pipeline)
        let gallery = try Gallery(table, at: first.address)
        try isSettled(table, run, gallery, pipeline, count: 2)
    }

    /// Whoever stops the run has its jobs finish what is in flight, too, and they say how far they came.
    @Test func aRunThatIsStoppedStopsItsJobsWhereTheyAre() throws {
        let table = try Table(), gallery = try Gallery(table, fault: "slow")
        let pipeline = try write(table, gallery.address), run = try start(table, pipeline), count = 12
        try FileManager.default.createDirectory(atPath: table.path("other"), withIntermediateDirectories: true)
        let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        for number in 0..<count {
            let bytes = try Data([0xFF, 0xD8, 0xFF, 0xFE]) + #require(try random.read(upToCount: 800_000))
            try bytes.write(to: URL(fileURLWithPath: table.path("other/IMG_\(number).JPG")))
        }
        let words = ["import", table.path("other"), "--pipeline", pipeline, "--state", table.state, "--json"]
        let job = try Background(words, environment: Gallery.environment)
        #expect(job.line(#"{"type":"item""#) != nil)
        #expect(run.kill(SIGTERM).status == 143)
        job.process.waitUntilExit()
        let ended = job.kill(0)
        #expect(ended.status == 143, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains(#""exit":143"#), "\(ended.output)\(ended.errors)")
        let told = ended.output.split(separator: "\n").count { $0.contains(#""ending":"delivered""#) }
        #expect(try gallery.assets().count == told)
        let rest = try table.run(
            ["import", table.path("other"), "--pipeline", pipeline], environment: Gallery.environment)
        #expect(rest.status == 0, "\(rest.errors)")
        #expect(try gallery.assets().count == count)
    }

    /// A secret that is set where the job was asked for is of no use to the run that does it: it says who lacks it.
    @Test func aHandedOverJobThatLacksASecretNamesTheRun() throws {
        let table = try Table(), gallery = try Gallery(table), pipeline = try write(table, gallery.address)
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let watch = try Background([
            "watch", table.path("hot"), "--to", table.archive, "--state", table.state, "--json",
        ])
        #expect(watch.line(#"{"type":"status""#) != nil)
        try table.frames("other", count: 1, from: 0)
        let words = ["import", table.path("other"), "--pipeline", pipeline, "--wait", "5s"]
        let outcome = try table.run(words, environment: Gallery.environment)
        #expect(outcome.status == 4, "\(outcome.output)")
        let told = outcome.items("error").compactMap { $0["message"] as? String }
        #expect(told.contains { $0.contains("(process \(watch.process.processIdentifier))") }, "\(outcome.output)")
        #expect(watch.kill(SIGINT).status == 130)
        // By itself, the same job has all that it needs.
        #expect(try table.run(words, environment: Gallery.environment).status == 0)
        #expect(try gallery.assets().count == 1)
    }

    @Test func assignSendsWhatTheRunHolds() throws {
        let table = try Table()
        let pipeline = try table.write(
            "live.yaml",
            """
            version: 1
            event: { required: true, hold: true }
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive, second] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)/{event}", verify: size } }
              second: { folder: { path: "\(table.path("second"))/{event}", verify: size } }
            """)
        let run = try start(table, pipeline)
        try table.frames("hot", count: 3, from: 0)
        #expect(try waits(table, "held", 3, "archive"))
        #expect("\(try target(table, "archive")["reason"] ?? "")".contains("filmgate assign"))
        let assigned = try table.run(["assign", "smith"])
        #expect(assigned.status == 0, "\(assigned.errors)")
        #expect(assigned.count("delivered") == 3)
        // What comes afterwards waits for its own word.
        try table.frames("hot", count: 1, from: 10)
        #expect(try waits(table, "held", 1, "archive"))
        let outcome = run.kill(SIGINT)
        #expect(outcome.status == 130)
        #expect(outcome.count("delivered") == 3 && outcome.count("pending") == 1)
        #expect(try table.run(["assign", "jones"]).count("delivered") == 1)
        for folder in ["archive", "second"] {
            let files = table.files(table.path(folder)).keys.filter { !$0.hasPrefix(".") }
            #expect(
                files.count(where: { $0.hasPrefix("smith/") }) == 3
                    && files.count(where: { $0.hasPrefix("jones/") }) == 1)
        }
    }

    /// Pipelines are often called alike, and each shoot has its own folder: none may go to another shoot's target.
    @Test func aJobsPipelineIsThatOfItsFolder() throws {
        let table = try Table()
        for shoot in ["monday", "tuesday"] {
            try table.write(
                "\(shoot)/wedding.yaml",
                """
                version: 1
                sources:
                  - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms }
                stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
                targets:
                  archive: { folder: { path: "\(table.path(shoot))/archive/{name}", verify: size } }
                """)
        }
        try table.frames("CARD", count: 2, from: 0)
        let run = try start(table, "wedding.yaml", in: table.path("monday"))
        let words = ["import", table.card, "--pipeline", "wedding.yaml"]
        let job = try table.run(words, in: table.path("tuesday"))
        #expect(job.status == 0 && job.count("delivered") == 2, "\(job.errors)\(job.output)")
        #expect(table.files(table.path("tuesday/archive")).keys.count { $0.hasSuffix(".JPG") } == 2)
        #expect(!table.files(table.path("monday/archive")).keys.contains { $0.hasSuffix(".JPG") })
        #expect(run.kill(SIGTERM).status == 143)
    }
}

extension Table {
    /// From the folder `hot` to a gallery; `query` stands behind the address that files are sent to.
    func hotFolderPipeline(
        to gallery: String, query: String = "", rule: String = "", most: String = "60s"
    ) throws -> String {
        try write(
            "live.yaml",
            """
            version: 1
            \(rule)
            sources:
              - folder: { path: "\(path("hot"))", settle: 50ms, companions: 50ms }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [gallery] } } ]
            targets:
              gallery:
                http:
                  url: "\(gallery)/api/assets\(query)"
                  auth: studio
                  digest: { json: sha256 }
                  find: { url: "\(gallery)/api/assets/by-digest/{sha256}" }
            auth:
              studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } }
            retry: { first: 100ms, most: \(most) }
            """)
    }
}
