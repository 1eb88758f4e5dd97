import Foundation
import TestThreads
import Testing

/// `filmgate demo`, which needs neither a source tree nor a camera.
@Suite(.ownThreads) struct DemoTests {
    @Test func itEndsWithAProofAndLeavesNothing() throws {
        let table = try Table()
        let temporary = table.path("tmp")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        let outcome = try Program.run(["demo"], environment: ["TMPDIR": temporary])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let steps = outcome.output.split(separator: "\n").filter { $0.hasPrefix("$ filmgate ") }
        #expect(
            steps.map { $0.split(separator: " ")[2] } == ["sample", "import", "import", "safe-to-format"])
        // What the commands wrote stands between what the demo says, in its order.
        let parts = outcome.output.components(separatedBy: "\n$ ")
        #expect(parts.count == 6 && parts[5].contains("YES") && parts[4].contains("archive/"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
    }

    @Test func withoutAFolderItSaysSo() throws {
        let outcome = try Program.run(["demo"], environment: ["TMPDIR": "/nonexistent"])
        #expect(outcome.status == 1 && outcome.errors.contains("TMPDIR"), "\(outcome.errors)")
    }
}
