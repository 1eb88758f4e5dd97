import Foundation
import TestThreads
import Testing

/// Stopping takes a moment also when the camera does not answer.
@Suite(.ownThreads, .serialized) struct SilentCameraTests {
    private func pipeline(_ table: Table, _ make: String, _ port: String) throws -> String {
        try table.write(
            "silent.yaml",
            """
            version: 1
            sources: [ { \(make): { hosts: ["127.0.0.1:\(port)"], usb: false } } ]
            stages: [ { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)/{name}", verify: size } } }
            """)
    }

    @Test(arguments: [
        ("nikon", "sleep:skip=40"), ("canon", "sleep:skip=12"), ("ptp", "sleep:skip=8"),
        ("ptp", "stall:skip=2,times=9"),
    ])
    func oneSignalEndsARun(_ make: String, _ fault: String) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated(make, card: table.card, fault: fault)
        let run = try Background(
            ["run", try pipeline(table, make, camera.port), "--backlog", "all", "--state", table.state, "--json"])
        Thread.sleep(forTimeInterval: 3)
        let begun = Date(), outcome = run.kill(SIGTERM)
        #expect(outcome.status == 143, "\(outcome.errors)")
        // Promised are four; unheeded it would be forty.
        #expect(Date().timeIntervalSince(begun) < 10)
    }

    @Test func theWaitIsKept() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("canon", card: table.card, fault: "sleep:skip=16"), begun = Date()
        let outcome = try table.run(["import", "--pipeline", try pipeline(table, "canon", camera.port), "--wait", "2s"])
        #expect(outcome.status == 5, "\(outcome.errors)")
        #expect(Date().timeIntervalSince(begun) < 20)
    }
}
