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
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("`TMPDIR=/another/folder filmgate demo`"), "\(outcome.errors)")
    }

    /// Full before anything is made, or after the card: which folder that is, and how another one is chosen.
    @Test(.enabled(if: Mounting.works), arguments: ["16k", "1m"]) func aFullFolderIsNamed(_ size: String) throws {
        let table = try Table(), small = table.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs", small]) == 0)
        defer { Mounting.run("/usr/bin/umount", [small]) }
        let outcome = try Program.run(["demo"], environment: ["TMPDIR": small])
        #expect(outcome.status == 7 && outcome.errors.contains("\(small) has "), "\(outcome.errors)")
        #expect(outcome.errors.contains("`TMPDIR=/another/folder filmgate demo`"), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: small) == [])
    }
}
