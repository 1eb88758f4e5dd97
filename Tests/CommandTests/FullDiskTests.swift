import Foundation
import TestThreads
import Testing

/// Small file systems in memory, where this machine allows them.
enum Mounting {
    static let works = getuid() == 0 && run("/usr/bin/mount", ["--version"]) == 0 && mountsTmpfs()

    private static func mountsTmpfs() -> Bool {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-mount-\(UUID().uuidString)")
            .path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path]) == 0 else { return false }
        return run("/usr/bin/umount", [path]) == 0
    }

    @discardableResult static func run(_ path: String, _ arguments: [String]) -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// One of two disks is full: the other goes on, the state is clear, and it resumes when there is room.
@Suite(.ownThreads, .serialized, .enabled(if: Mounting.works)) struct FullDiskTests {
    @Test(arguments: [true, false]) func theOtherDiskIsServedAndTheFullOneLater(_ fullFirst: Bool) throws {
        let table = try Table()
        try table.sampleCard()
        let small = table.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=300k", "tmpfs", small]) == 0)
        defer { Mounting.run("/usr/bin/umount", [small]) }
        let folders = fullFirst ? [small + "/out", table.archive] : [table.archive, small + "/out"]
        let full = try table.run(["import", table.card] + folders.flatMap { ["--to", $0] })
        #expect(full.status == 7)
        #expect(table.files(table.archive).count == 16)
        #expect(full.count("pending") > 0)
        // The folder's name and what is missing there, never that of a staged file.
        let people = try Program.run(
            ["import", table.card, "--state", table.state] + folders.flatMap { ["--to", $0] })
        #expect(
            people.errors.contains("\(small)/out` is full.") && !people.errors.contains(".part"), "\(people.errors)")
        #expect(
            people.errors.split(separator: "\n").filter { $0.contains("are missing there") }.count == 1,
            "\(people.errors)")
        let other = "to\(fullFirst ? "-2" : "") (\(table.archive))"
        #expect(
            people.errors.contains("note: all that waits for \(small)/out is whole at \(other)."), "\(people.errors)")
        // One cause is not told for every file.
        let told = try Program.run(["status", "--state", table.state]).output.split(separator: "\n").filter {
            $0.hasPrefix("pending: ")
        }
        #expect(!told.isEmpty && told.count < full.count("pending"), "\(told)")
        #expect(try table.run(["safe-to-format", table.card, "--allow", "same-device"]).status == 8)
        #expect(!table.files(small).keys.contains { $0.hasSuffix(".JPG") && $0.contains(".filmgate") })
        try #require(Mounting.run("/usr/bin/mount", ["-o", "remount,size=8m", small]) == 0)
        let second = try table.run(["import", table.card] + folders.flatMap { ["--to", $0] })
        #expect(second.status == 0, "\(second.errors)")
        #expect(table.files(small + "/out").count == 16)
        #expect(table.files(table.archive).count == 16)
    }

    /// No room for a single byte when the run begins: held as if it had filled up later; alone it is said before
    /// anything is read.
    @Test(arguments: [true, false]) func aDiskThatIsFullFromTheStartKeepsNothingFromTheOther(_ fullFirst: Bool) throws {
        let table = try Table()
        try table.sampleCard()
        let small = table.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=200k", "tmpfs", small]) == 0)
        defer { Mounting.run("/usr/bin/umount", [small]) }
        Mounting.run("/usr/bin/dd", ["if=/dev/zero", "of=\(small)/fill", "bs=1k"])
        let alone = try table.run(["import", table.card, "--to", small + "/out"])
        #expect(alone.status == 7 && alone.count("seen") == 0)
        let folders = (fullFirst ? [small + "/out", table.archive] : [table.archive, small + "/out"]).flatMap {
            ["--to", $0]
        }
        let full = try table.run(["import", table.card] + folders)
        #expect(full.status == 7 && full.count("pending") == 17, "\(full.output)")
        #expect(table.files(table.archive).count == 16)
        #expect(try table.run(["safe-to-format", table.card, "--allow", "same-device"]).status == 8)
        try #require(Mounting.run("/usr/bin/mount", ["-o", "remount,size=8m", small]) == 0)
        let second = try table.run(["import", table.card] + folders)
        #expect(second.status == 0, "\(second.errors)")
        #expect(table.files(small + "/out").count == 16 && table.files(table.archive).count == 16)
    }

    /// Nothing can be staged on the first target's disk: the other target is served all the same.
    @Test func aDiskThatCannotBeStagedOnKeepsNothingFromTheOther() throws {
        let table = try Table()
        try table.sampleCard()
        let small = table.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", small]) == 0)
        defer { Mounting.run("/usr/bin/umount", [small]) }
        try FileManager.default.createDirectory(atPath: small + "/out", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: small + "/out/.filmgate", withDestinationPath: "/sys/kernel")
        let run = try table.run(["import", table.card, "--to", small + "/out", "--to", table.archive, "--wait", "1s"])
        #expect(run.status != 0 && run.count("delivered") == 0, "\(run.output)")
        #expect(table.files(table.archive).count == 16)
        #expect(try table.run(["safe-to-format", table.card, "--allow", "same-device"]).status == 8)
        try FileManager.default.removeItem(atPath: small + "/out/.filmgate")
        #expect(try table.run(["import", table.card, "--to", small + "/out", "--to", table.archive]).status == 0)
        #expect(table.files(small + "/out").count == 16 && table.files(table.archive).count == 16)
    }

    /// A stamped copy that the full disk has no room for is made on another one.
    @Test func aFullDiskSetsNothingAsideThatIsStamped() throws {
        let table = try Table()
        try table.sampleCard()
        let small = table.path("small")
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=300k", "tmpfs", small]) == 0)
        defer { Mounting.run("/usr/bin/umount", [small]) }
        let pipeline = try table.write(
            "stamp.yaml",
            """
            version: 1
            stages: [{ exif: {} }, { dedupe: {} }, { stamp: { creator: Ann, embed: [gallery] } }, { upload: { to: [archive, gallery] } }]
            targets: { archive: { folder: { path: "\(small)/out" } }, gallery: { folder: { path: "\(table.archive)" } } }
            """)
        let full = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(full.status == 7 && full.count("setAside") == 0 && full.count("pending") > 0, "\(full.output)")
        try #require(Mounting.run("/usr/bin/mount", ["-o", "remount,size=8m", small]) == 0)
        let second = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(second.status == 0, "\(second.errors)")
        #expect(table.files(small + "/out").count == 16 && table.files(table.archive).count == 16)
    }
}
