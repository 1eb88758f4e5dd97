import Foundation
import TestThreads
import Testing

@testable import filmgate

/// What a new user tries first, and mistypes.
@Suite(.ownThreads) struct TrialTests {
    @Test func planAgainSaysWhatTheRunThenDoesAndNamesBrokenCopies() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let copies = table.files(table.archive).keys.sorted(), pictures = copies.filter { $0.hasSuffix(".JPG") }
        let gone = try #require(copies.first { $0.hasSuffix(".MOV") })
        let broken = table.archive + "/" + (try #require(pictures.first))
        try FileManager.default.removeItem(atPath: table.archive + "/" + gone)
        try Data("broken".utf8).write(to: URL(fileURLWithPath: broken))
        let plan = try table.run(["plan", table.card, "--to", table.archive, "--again"])
        let run = try table.importing(["--again"])
        #expect(plan.items("plan").map(Self.row).sorted() == run.items().map(Self.row).sorted())
        #expect(run.count("delivered") == 2)
        let told = run.items().compactMap { $0["reason"] as? String }
        #expect(told.contains { $0.contains(broken) && $0.contains("not what was delivered") })
        #expect(told.contains { $0.contains(gone) && $0.contains("had been removed") })
        // In the terminal, too, and in the ledger.
        #expect(try table.run(["history", "--run", "2"]).output.contains("not what was delivered"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: broken)) == Data("broken".utf8))
        // Mended is mended.
        #expect(try !table.importing(["--again"]).output.contains("had been removed"))
    }

    private static func row(_ item: [String: Any]) -> String {
        let receipts = item["receipts"] as? [String: [String: Any]] ?? [:]
        let places = receipts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value["path"] as? String ?? "")" }
        let ending = item["would"] as? String ?? item["ending"] as? String ?? ""
        return "\(item["path"] ?? "") \(ending) \(item["reason"] as? String ?? "") \(places)"
    }

    /// The sidecars came over a camera; the same card lies in the reader now.
    @Test func aCardWhoseSidecarsCameOverTheCameraIsSafe() throws {
        let table = try Table()
        try table.sampleCard()
        let (camera, port) = try Background.camera("ptp", table.card)
        #expect(try table.run(["import", "--camera", "127.0.0.1:\(port)", "--to", table.archive]).status == 0)
        camera.kill(SIGTERM)
        func ask() throws -> Program.Outcome {
            try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        }
        let answer = try ask()
        #expect(answer.status == 0, "\(answer.output)")
        // Edited on the card since, then beside another picture: neither copy is proof of it.
        let sidecar = try #require(table.files(table.card).first { $0.key.hasSuffix(".XMP") })
        let path = table.card + "/" + sidecar.key
        try (sidecar.value + Data("<!-- -->".utf8)).write(to: URL(fileURLWithPath: path))
        #expect(try ask().status == 8)
        try FileManager.default.removeItem(atPath: path)
        try sidecar.value.write(
            to: URL(fileURLWithPath: (path as NSString).deletingLastPathComponent + "/IMG_0003.XMP"))
        #expect(try ask().status == 8)
    }

    @Test func filesOfUnknownKindAreNamed() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        for number in 1...7 { try table.write("CARD/notes\(number).xyz", "x") }
        let run = try Program.run(["import", table.card, "--to", table.archive, "--state", table.state])
        #expect(run.status == 0)
        #expect(
            run.errors.contains("7 files of unknown kind") && run.errors.contains("notes1.xyz")
                && run.errors.contains("2 more"))
    }

    @Test func aCauseIsTheSameHoweverLongItTook() {
        let reasons = ["5", "12"].map {
            "gallery: No answer from x: Failed to connect to x port 9 after \($0) ms: Couldn't connect to server."
        }
        #expect(ReasonGroups.cause(reasons[0]) == ReasonGroups.cause(reasons[1]))
        #expect(
            ReasonGroups.cause("after 5 ms") == ReasonGroups.cause("after 6 ms")
                && ReasonGroups.cause("took 5 files") != ReasonGroups.cause("took 6 files"))
    }

    @Test func oneCauseIsToldOnce() throws {
        let table = try Table()
        try table.frames("CARD", count: 9, from: 1)
        let gallery = try Gallery(table)
        let pipeline = try table.pipeline(gallery)
        gallery.stop()
        let arguments = ["import", table.card, "--pipeline", pipeline, "--wait", "1s", "--state", table.state]
        let run = try Program.run(arguments, environment: Gallery.environment)
        #expect(run.status == 8)
        #expect(run.errors.split(separator: "\n").count { $0.hasPrefix("pending: ") } == 4)
        #expect(run.errors.contains("6 more files for the same reason"))
        let all = try Program.run(arguments + ["-v"], environment: Gallery.environment)
        #expect(all.errors.split(separator: "\n").count { $0.hasPrefix("pending: ") } == 9)
    }

    @Test func historyOfARunNamesEveryFile() throws {
        let table = try Table()
        try table.frames("CARD", count: 60, from: 1)
        #expect(try table.importing(["--verify", "size"]).status == 0)
        #expect(try table.run(["history", "--run", "1"]).items().count == 60)
        #expect(try table.run(["history", "--run", "1", "--limit", "7"]).items().count == 7)
        #expect(try table.run(["history", "--limit", "0"]).status == 2)
    }

    @Test func aWatchThatEndsCountsWhatIsNotWhole() throws {
        let table = try Table()
        try table.frames("hot", count: 2, from: 1)
        let whole = try #require(table.files(table.path("hot")).first?.value)
        try table.write("hot/part.JPG", whole.prefix(100))
        let run = try table.run(["watch", table.path("hot"), "--to", table.archive, "--once", "--settle", "100ms"])
        #expect(run.status == 8)
        #expect(run.count("delivered") == 2)
        #expect(run.count("pending") == 1 && run.count("seen") == 3)
        let left = try #require(run.items().first { $0["ending"] as? String == "pending" })
        #expect(left["path"] as? String == "part.JPG")
        #expect((left["reason"] as? String)?.contains("not whole yet") == true)
    }

    @Test func mistypedWordsAreRefused() throws {
        let table = try Table()
        try table.sampleCard()
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ card: { paths: ["\(table.card)"] } }]
            stages: [{ upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
        #expect(try table.run(["camera", "simulate", "--port", "0", "--files", table.path("nope")]).status == 5)
        #expect(try table.run(["run", pipeline, "--once", "--metrics", "foo"]).status == 2)
        #expect(!FileManager.default.fileExists(atPath: table.archive))
        #expect(try table.run(["cameras", "--host", "127.0.0.1:1"]).status == 5)
        for words in [["--to", ""], ["--to", table.archive, "--pipeline", ""]] {
            #expect(try table.run(["import", table.card] + words).status == 2)
        }
        #expect(try table.run(["profile", "show", "nope.jpg", "--pipeline", pipeline]).status == 5)
        let shown = try Program.run([
            "profile", "show", "Acme, Acme X100", "--pipeline", pipeline, "--state", table.state,
        ])
        #expect(shown.output.hasPrefix("Acme X100\n"))
        let note = try table.write("notes.txt", "nothing")
        let inspected = try Program.run(["inspect", note])
        #expect(inspected.status == 3)
        #expect(inspected.errors.contains("notes.txt is no media file"))
    }

    @Test(arguments: [
        ["check", "p.yaml"], ["events"], ["events", "list"], ["doctor"], ["modules"], ["cameras"], ["clock"],
        ["history"], ["status"],
    ])
    func jsonEndsWithASummary(_ verb: [String]) throws {
        let table = try Table()
        try table.write(
            "p.yaml",
            "version: 1\nstages: [{ upload: { to: [a] } }]\ntargets: { a: { folder: { path: \"/tmp/x\" } } }\n")
        let run = try table.run(verb, in: table.root.path)
        #expect(run.objects.count == run.output.split(separator: "\n").count)
        #expect(run.objects.last?["type"] as? String == "summary")
        #expect(run.objects.last?["exit"] as? Int == Int(run.status))
    }

    /// A run has the camera; its state's other verbs say so.
    @Test func aCameraThatTheLiveRunHasIsNotTakenTwice() throws {
        let table = try Table()
        try table.frames("card", count: 2, from: 1)
        let (camera, port) = try Background.camera("ptp", table.path("card"))
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ ptp: { hosts: ["127.0.0.1:\(port)"] } }]
            stages: [{ upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
        let run = try Background(["run", pipeline, "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { run.said.contains(#""state":"open""#) })
        for words in [
            ["--camera", "127.0.0.1:\(port)", "--to", table.path("other")], ["--pipeline", pipeline, "--wait", "2s"],
        ] {
            let second = try table.run(["import"] + words)
            #expect(second.status == 10, "\(second.output)")
            #expect(second.output.contains("The run that holds this state has the camera"))
        }
        run.kill(SIGINT)
        camera.kill(SIGTERM)
    }
}
