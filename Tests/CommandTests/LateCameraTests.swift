import FilmgateTesting
import Foundation
import Testing

/// A camera that is switched on after the command was given, and what a plan of one leaves behind.
@Suite(.serialized) struct LateCameraTests {
    private func pipeline(_ table: Table, _ port: String) throws -> String {
        try table.write(
            "late.yaml",
            """
            version: 1
            sources: [{ nikon: { hosts: ["127.0.0.1:\(port)"], usb: false } }]
            stages: [{ upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
    }

    @Test(arguments: [true, false]) func aCameraThatComesWithinTheWaitIsTaken(byName: Bool) throws {
        let table = try Table(), port = String(FreePort.next())
        try table.sampleCard()
        let words =
            byName
            ? ["--camera", "127.0.0.1:\(port)", "--to", table.archive] : ["--pipeline", try pipeline(table, port)]
        let run = try Background(["import"] + words + ["--wait", "60s", "--state", table.state, "--json"])
        Thread.sleep(forTimeInterval: 1.5)
        #expect(run.process.isRunning)
        let camera = try Simulated("nikon", card: table.card, port: port)
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 0)
        #expect(table.files(table.archive).count >= 15)
        withExtendedLifetime(camera) {}
    }

    @Test(arguments: [true, false]) func oneThatDoesNotComeIsToldWhenTheWaitIsOver(byName: Bool) throws {
        let table = try Table(), port = String(FreePort.next())
        let words =
            byName
            ? ["--camera", "127.0.0.1:\(port)", "--to", table.archive] : ["--pipeline", try pipeline(table, port)]
        let begun = Date()
        #expect(try table.run(["import"] + words).status == 5)
        #expect(try table.run(["import"] + words + ["--wait", "1s"]).status == 5)
        // Without a limit of its own nothing is waited for, let alone the two minutes that deliveries have.
        #expect(Date().timeIntervalSince(begun) < 60)
    }

    /// The camera is there, and its card is put in while the import waits.
    @Test(arguments: [true, false]) func aCardThatIsPutInWithinTheWaitIsTaken(byName: Bool) throws {
        let table = try Table()
        try table.sampleCard()
        let deeds = ["0s=burst:50", "1ms=pull-card", "8s=insert-card"].flatMap { ["--at", $0] }
        let camera = try Simulated("nikon", card: table.card, more: deeds)
        let words =
            byName
            ? ["--camera", "127.0.0.1:\(camera.port)", "--to", table.archive]
            : ["--pipeline", try pipeline(table, camera.port)]
        let outcome = try table.run(["import"] + words + ["--wait", "60s"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("waiting: ") && outcome.errors.contains("has no card"), "\(outcome.errors)")
        #expect(table.files(table.archive).count >= 15)
    }

    /// Nothing that was asked for is there: that is no import of everything.
    @Test func sourcesThatFindNothingAreNoCompleteImport() throws {
        let table = try Table()
        let file = try table.write(
            "nobody.yaml",
            """
            version: 1
            sources: [{ canon: { usb: false } }, { nikon: { usb: false } }]
            stages: [{ upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
        let outcome = try table.run(["import", "--pipeline", file])
        #expect(outcome.status == 5)
        #expect(outcome.errors.contains("nothing to import") || outcome.output.contains("nothing to import"))
    }

    @Test func aPlanOfACameraLeavesNothingBehind() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("nikon", card: table.card), id = "ptpip://127.0.0.1:\(camera.port)"
        let plan = try table.run(["plan", "--camera", id, "--to", table.archive])
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.items("plan").count >= 15)
        #expect(!FileManager.default.fileExists(atPath: table.state))
        try FileManager.default.createDirectory(atPath: table.state, withIntermediateDirectories: true)
        let options = ["--set", "sources.0.nikon.thumbnails=\(table.path("thumbs"))"]
        let file = try pipeline(table, camera.port)
        for words in [["--camera", id, "--to", table.archive], ["--pipeline", file], ["--pipeline", file] + options] {
            let plan = try table.run(["plan"] + words)
            #expect(plan.status == 0, "\(plan.errors)")
            #expect(table.files(table.state).isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: table.archive))
        #expect(!FileManager.default.fileExists(atPath: table.path("thumbs")))
    }
}
