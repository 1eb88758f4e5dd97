import Foundation
import TestThreads
import Testing

/// `filmgate run`: several sources at once, as they shoot, until it is stopped.
@Suite(.ownThreads, .serialized) struct RunTests {
    @Test func framesOfThreeCamerasArriveOnceWhileTheyShoot() throws {
        let table = try Table(), makes = ["canon", "nikon", "ptp"]
        var ports: [String] = [], cameras: [Background] = []
        for (index, make) in makes.enumerated() {
            try table.frames("card-\(make)", count: 8, from: index * 100)
            let (camera, port) = try Background.camera(make, table.path("card-\(make)"), ["--shoot-every", "150ms"])
            ports.append(port)
            cameras.append(camera)
        }
        let gallery = try Gallery(table)
        let sources = zip(makes, ports).map { "- \($0): { hosts: [\"127.0.0.1:\($1)\"], backlog: all }" }
        let pipeline = try table.live("live.yaml", gallery, sources)
        let run = try Background(["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment)
        #expect(try Background.within(seconds: 60) { try gallery.assets().count == 24 })
        let outcome = run.kill(SIGINT)
        #expect(outcome.status == 130, "\(outcome.errors)")
        #expect(outcome.count("delivered") == 24, "\(outcome.output)")
        #expect(outcome.count("seen") == 24)
        try expectAll(table, makes.map { "card-\($0)" }, gallery)
        let again = try table.run(["run", pipeline, "--once"], environment: Gallery.environment)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.count("delivered") == 0)
        #expect(again.count("bytes_read") == 0)
        _ = cameras
    }

    @Test func aCameraThatWasThereBeforeGivesOnlyWhatIsNew() throws {
        let table = try Table()
        try table.frames("old", count: 5, from: 0)
        let gallery = try Gallery(table)
        var (camera, port) = try Background.camera("ptp", table.path("old"))
        let pipeline = try table.live("live.yaml", gallery, ["- ptp: { hosts: [\"127.0.0.1:\(port)\"] }"])
        func runUntil(_ count: Int) throws -> Program.Outcome {
            let run = try Background(
                ["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment)
            #expect(run.line(#"{"type":"status""#) != nil)
            #expect(try Background.within(seconds: 30) { try gallery.assets().count == count })
            return run.kill(SIGTERM)
        }
        let first = try runUntil(0)
        #expect(first.status == 143)
        #expect(first.items("status").first?["leaving"] as? Int == 5)
        #expect(first.count("seen") == 0)
        camera.kill(SIGKILL)
        try table.frames("old", count: 3, from: 50)
        camera = try Background.camera("ptp", table.path("old"), at: port)
        let second = try runUntil(3)
        #expect(second.count("delivered") == 3, "\(second.output)")
        #expect(try gallery.assets().count == 3)
    }

    @Test func aCameraThatComesLateAndGoesIsComeBackTo() throws {
        let table = try Table()
        try table.frames("card", count: 6, from: 0)
        let gallery = try Gallery(table)
        let (probe, port) = try Background.camera("ptp", table.path("card"))
        probe.kill(SIGKILL)
        let pipeline = try table.live("live.yaml", gallery, ["- ptp: { hosts: [\"127.0.0.1:\(port)\"], backlog: all }"])
        let run = try Background(["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment)
        #expect(run.line(#"{"type":"error""#) != nil)
        let early = try Background.camera("ptp", table.path("card"), at: port)
        #expect(try Background.within(seconds: 40) { try !gallery.assets().isEmpty })
        early.kill(SIGKILL)
        try table.frames("card", count: 4, from: 20)
        let late = try Background.camera("ptp", table.path("card"), at: port)
        #expect(try Background.within(seconds: 60) { try gallery.assets().count == 10 })
        let outcome = run.kill(SIGINT)
        #expect(outcome.count("delivered") == 10, "\(outcome.output)")
        #expect(outcome.count("pending") == 0)
        _ = late
    }

    @Test func aSourceThatIsNotThereEndsARunOnceWithFiveAndTheOthersAreTaken() throws {
        let table = try Table()
        try table.sampleCard()
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - ptp: { hosts: ["127.0.0.1:1"] }
              - card: { paths: ["\(table.card)"] }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)/{captured:yyyy-MM-dd}", verify: size } }
            """)
        let run = try table.run(["run", pipeline, "--once"])
        #expect(run.status == 5, "\(run.errors)")
        #expect(run.count("delivered") == table.files(table.archive).count)
        #expect(run.count("delivered") >= 15)
    }

    @Test func whatAKilledRunLeftWaitingGoesFirst() throws {
        let table = try Table()
        try table.frames("card", count: 6, from: 0)
        let slow = try Gallery(table, fault: "busy:1000")
        let (camera, port) = try Background.camera("ptp", table.path("card"))
        let pipeline = try table.live("live.yaml", slow, ["- ptp: { hosts: [\"127.0.0.1:\(port)\"], backlog: all }"])
        let run = try Background(["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment)
        #expect(Background.within(seconds: 30) { table.files(table.archive).count == 6 })
        run.kill(SIGKILL)
        slow.stop()
        camera.kill(SIGKILL)
        let healthy = try Gallery(table, at: slow.address)
        let second = try Background(
            ["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment)
        #expect(try Background.within(seconds: 30) { try healthy.assets().count == 6 })
        let outcome = second.kill(SIGINT)
        #expect(outcome.count("pending") == 0, "\(outcome.output)")
        #expect(table.files(table.archive).count == 6)
    }

    /// Every frame once, with the camera's own bytes, in the folder and at the gallery.
    private func expectAll(_ table: Table, _ folders: [String], _ gallery: Gallery) throws {
        let shot = Set(folders.flatMap { table.files(table.path($0)).values })
        let kept = table.files(table.archive)
        #expect(kept.count == shot.count)
        #expect(Set(kept.values) == shot)
        let digests = try gallery.assets().compactMap { $0["sha256"] as? String }
        #expect(digests.count == shot.count)
        #expect(Set(digests).count == shot.count)
    }
}
