import Foundation
import TestThreads
import Testing

/// Whole staged files that no delivery waits for.
@Suite(.ownThreads, .serialized) struct StagedOrphansTests {
    private let table: Table
    init() throws {
        table = try Table()
        try table.frames("CARD", count: 2, from: 1)
    }

    private func findings(_ run: Program.Outcome) -> [[String: Any]] {
        run.items("finding").filter { $0["subject"] as? String == "staging" }
    }

    @Test func theyAreNamedWithTheirSizeAndLeftAlone() throws {
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [dedupe: {}, upload: { to: [near] }]
            targets: { near: { folder: { path: "\(table.path("NEAR"))" } } }
            """)
        #expect(try table.run(["import", table.card, "--pipeline", pipeline]).status == 0)
        #expect(findings(try table.run(["doctor", "--pipeline", pipeline])).isEmpty)
        let lost = Data([0xFF, 0xD8] + [UInt8](repeating: 3, count: 3000) + [0xFF, 0xD9])
        let first = try table.write("NEAR/.filmgate/staging/0123456789abcdef-1", lost)
        let delivered = try #require(table.files(table.card).values.first)
        try table.write("state/staging/0123456789abcdef-2", delivered)
        try table.write("state/staging/0123456789abcdef-3.part", delivered)
        let doctor = try table.run(["doctor", "--pipeline", pipeline]), found = findings(doctor)
        #expect(found.count == 2 && found.map { $0["good"] as? Bool } == [true, false], "\(doctor.output)")
        let text = found.last?["message"] as? String ?? ""
        #expect(text.contains("0123456789abcdef-1 (3.0 kB)") && text.contains("NEAR/.filmgate/staging"), "\(text)")
        let again = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(again.status == 0 && again.errors.contains("1 whole file (3.0 kB) in "), "\(again.errors)")
        #expect(FileManager.default.contents(atPath: first) == lost)
    }

    /// What waits for its target is somebody's, whatever folder it lies in.
    @Test func whatWaitsIsNoStray() throws {
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [dedupe: {}, upload: { to: [far] }]
            retry: { first: 10ms, most: 50ms }
            targets: { far: { http: { url: "http://127.0.0.1:1/in" } } }
            """)
        #expect(try table.run(["import", table.card, "--pipeline", pipeline, "--wait", "1s"]).status == 8)
        #expect(!table.files(table.state + "/staging").isEmpty)
        let doctor = try table.run(["doctor", "--pipeline", pipeline])
        #expect(findings(doctor).isEmpty, "\(findings(doctor))")
    }
}
