import Foundation
import TestThreads
import Testing

/// The ledger cannot be written any more while a run goes on.
@Suite(.ownThreads, .serialized) struct LostLedgerTests {
    private static let count = 120

    private func fill(_ table: Table) throws {
        for index in 0..<Self.count {
            let jpeg = Data([0xFF, 0xD8, UInt8(index)] + [UInt8](repeating: 7, count: 4000) + [0xFF, 0xD9])
            try table.write("CARD/DCIM/100AAAAA/IMG_\(1000 + index).JPG", jpeg)
        }
    }

    /// No room beside the ledger: said as what it is, and what was read in vain is not left on the archive's disk.
    @Test(.enabled(if: Mounting.works)) func aFullStateDirectoryIsNamedAndLeavesNothing() throws {
        let table = try Table()
        try FileManager.default.createDirectory(atPath: table.state, withIntermediateDirectories: true)
        try #require(
            Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", table.state]) == 0)
        defer { Mounting.run("/usr/bin/umount", [table.state]) }
        try table.write("FIRST/DCIM/100AAAAA/IMG_1.JPG", Data([0xFF, 0xD8, 1, 0xFF, 0xD9]))
        #expect(try table.run(["import", table.path("FIRST"), "--to", table.archive]).status == 0)
        try fill(table)
        let rest = table.state + "/fill"
        Mounting.run("/usr/bin/dd", ["if=/dev/zero", "of=\(rest)", "bs=4k"])
        let size = (try FileManager.default.attributesOfItem(atPath: rest)[.size] as? Int) ?? 0
        try #require(truncate(rest, size - 128 << 10) == 0)
        let full = try table.importing()
        #expect(full.status == 7, "\(full.output)")
        let errors = full.items("error")
        #expect(
            errors.contains {
                $0["code"] as? String == "storageFull" && ($0["message"] as? String)?.contains(table.state) == true
            })
        #expect(full.count("seen") == Self.count && full.items().count == Self.count)
        #expect(unlink(rest) == 0)
        let second = try table.importing()
        #expect(second.status == 0 && second.count("seen") == Self.count, "\(second.errors)")
        #expect(table.files(table.archive).count == Self.count + 1, "\(table.files(table.archive).keys)")
    }

    /// What the first start of all had begun to make is no ledger of an older Filmgate.
    @Test(.enabled(if: Mounting.works), arguments: [0, 64, 160])
    func theFirstStartOnAFullDiskSaysThatItIsFull(_ kilobytes: Int) throws {
        let table = try Table()
        try FileManager.default.createDirectory(atPath: table.state, withIntermediateDirectories: true)
        try #require(
            Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", table.state]) == 0)
        defer { Mounting.run("/usr/bin/umount", [table.state]) }
        try table.frames("CARD", count: 1, from: 0)
        let rest = table.state + "/fill"
        Mounting.run("/usr/bin/dd", ["if=/dev/zero", "of=\(rest)", "bs=4k"])
        let size = (try FileManager.default.attributesOfItem(atPath: rest)[.size] as? Int) ?? 0
        try #require(truncate(rest, size - kilobytes << 10) == 0)
        for _ in 1...2 {
            let full = try table.importing()
            #expect(full.status == 7 && full.output.contains(table.state + "/ledger.sqlite"), "\(full.output)")
            let status = try table.run(["status"])
            #expect(!status.output.contains("older Filmgate"), "\(status.output)")
        }
        #expect(unlink(rest) == 0)
        #expect(try table.importing().status == 0)
    }

    /// A run without an end that could deliver nothing any more would go on taking frames from cameras, and nobody
    /// would know.
    @Test(.enabled(if: Mounting.works)) func aRunWithoutALedgerEnds() throws {
        let table = try Table()
        try FileManager.default.createDirectory(atPath: table.state, withIntermediateDirectories: true)
        try #require(
            Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", table.state]) == 0)
        defer { Mounting.run("/usr/bin/umount", [table.state]) }
        try table.frames("CARD", count: 1, from: 0)
        let run = try Background([
            "watch", table.card, "--to", table.archive, "--settle", "50ms", "--state", table.state, "--json",
        ])
        #expect(
            Background.within(seconds: 30) { table.files(table.archive).keys.contains { $0.hasSuffix("IMG_0000.JPG") } }
        )
        Mounting.run("/usr/bin/dd", ["if=/dev/zero", "of=\(table.state)/fill", "bs=4k"])
        try table.frames("CARD", count: 100, from: 10)
        #expect(Background.within(seconds: 60) { !run.process.isRunning })
        #expect(run.kill(SIGKILL).status == 7)
    }

    /// The files are there, and counted as they were told; only what remembered them is gone.
    @Test func aStateDirectoryThatIsTakenAwayStillCounts() throws {
        let table = try Table()
        try fill(table)
        let script = try table.write("away.sh", "#!/bin/sh\nrm -rf '\(table.state)'\necho gone\n")
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [{ dedupe: {} }, { upload: { to: [a, b] } }]
            targets:
              a: { folder: { path: "\(table.archive)" } }
              b: { exec: { command: [/bin/sh, "\(script)"] } }
            """)
        let run = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(run.status == 1, "\(run.output)")
        #expect(run.count("seen") == Self.count && run.items().count == Self.count)
        #expect(run.count("delivered") == table.files(table.archive).count)
    }
}
