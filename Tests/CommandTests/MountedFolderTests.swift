import Foundation
import TestThreads
import Testing

/// A disk comes to lie over a watched folder, and goes again: no event in the folder tells of it.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct MountedFolderTests {
    @Test(.enabled(if: Mounting.works)) func whatLiesUnderThePathNowIsTaken() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 0)
        // Without the kernel's word, nothing would be noticed in the time of this test.
        let words = ["--take", "copy", "--settle", "50ms", "--state", table.state, "--json"]
        let run = try Background(["watch", table.card, "--to", table.archive] + words)
        defer { Mounting.run("/usr/bin/umount", [table.card]) }
        #expect(Background.within(seconds: 60) { arrived(table, "IMG_0000.JPG") })
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", table.card]) == 0)
        try table.frames("CARD", count: 1, from: 10)
        #expect(Background.within(seconds: 60) { arrived(table, "IMG_0010.JPG") })
        try #require(Mounting.run("/usr/bin/umount", [table.card]) == 0)
        try table.frames("CARD", count: 1, from: 20)
        #expect(Background.within(seconds: 60) { arrived(table, "IMG_0020.JPG") })
        run.kill(SIGINT)
        #expect(table.files(table.archive).count == 3)
    }

    private func arrived(_ table: Table, _ name: String) -> Bool {
        table.files(table.archive).keys.contains { $0.hasSuffix(name) }
    }
}
