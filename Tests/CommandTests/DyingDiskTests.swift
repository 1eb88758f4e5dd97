import Foundation
import TestThreads
import Testing

/// A disk of its own that can be made to fail, where this machine allows it.
final class Disk {
    static let canDie: Bool = {
        guard getuid() == 0, let table = try? Table(), let disk = try? Disk(in: table) else { return false }
        return disk.die()
    }()

    let path: String
    private let image: String
    /// Its folder outlives the mount.
    private let table: Table

    init(in table: Table) throws {
        self.table = table
        (path, image) = (table.path("disk"), table.path("disk.image"))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(Mounting.run("/usr/bin/env", ["truncate", "-s", "400M", image]) == 0)
        try #require(Mounting.run("/usr/bin/env", ["mkfs.ext4", "-q", "-F", image]) == 0)
        try mount()
    }

    deinit { Mounting.run("/usr/bin/umount", ["-l", path]) }

    private func mount() throws { try #require(Mounting.run("/usr/bin/mount", ["-o", "loop", image, path]) == 0) }

    /// From now on reading and writing there are input/output errors.
    func die() -> Bool {
        let words =
            "import fcntl, os, sys; fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, bytes([2, 0, 0, 0]))"
        return Mounting.run("/usr/bin/env", ["python3", "-c", words, path]) == 0
    }

    /// It is pulled out: there is nothing under its path.
    func leave() -> Bool { Mounting.run("/usr/bin/umount", ["-l", path]) == 0 }

    func comeBack() throws {
        _ = leave()
        try mount()
    }
}

/// A target's disk dies while it is written to: nothing is decided about the files, and they are sent when it is back.
@Suite(.ownThreads, .serialized, .enabled(if: Disk.canDie)) struct DyingDiskTests {
    private static let count = 150

    private func card(_ table: Table) throws {
        for index in 0..<Self.count {
            var bytes = Data(count: 1 << 20)
            for at in stride(from: 0, to: bytes.count, by: 4096) { bytes[at] = UInt8.random(in: 0...255) }
            try table.write("CARD/DCIM/100AAAAA/IMG_\(1000 + index).JPG", bytes)
        }
    }

    private func arrived(_ table: Table, _ folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).filter {
            $0.hasSuffix(".JPG") && !$0.hasPrefix(".filmgate/")
        }
    }

    @Test(arguments: [(true, false), (true, true)])
    func whatWasBeingSentWaits(_ isPulled: Bool, _ hasOther: Bool) throws {
        let table = try Table(), disk = try Disk(in: table), folder = disk.path + "/out"
        try card(table)
        let words = ["import", table.card, "--to", folder] + (hasOther ? ["--to", table.archive] : [])
        let run = try Background(words + ["--wait", "5s", "--state", table.state, "--json"])
        #expect(Background.within(seconds: 60) { !arrived(table, folder).isEmpty })
        let isGone = isPulled ? disk.leave() : disk.die()
        #expect(isGone)
        #expect(Background.within(seconds: 60) { !run.process.isRunning })
        let outcome = run.kill(SIGKILL)
        #expect(
            outcome.count("setAside") == 0 && outcome.count("pending") > 0 && outcome.status == 8, "\(outcome.output)")
        #expect(outcome.count("delivered") + outcome.count("pending") == Self.count)
        if hasOther { #expect(arrived(table, table.archive).count > 0) }

        try disk.comeBack()
        let again = try table.run(words)
        #expect(again.status == 0 && again.count("setAside") == 0 && again.count("pending") == 0, "\(again.output)")
        for folder in [folder] + (hasOther ? [table.archive] : []) {
            let names = arrived(table, folder)
            #expect(names.count == Self.count && !names.contains { $0.contains("-2.") }, "\(names.sorted())")
        }
    }
}
