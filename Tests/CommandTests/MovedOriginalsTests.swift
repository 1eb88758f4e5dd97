import Foundation
import TestThreads
import Testing

/// `take: move`: originals go when their copies are proven, and only in a run that was meant to.
@Suite(.ownThreads) struct MovedOriginalsTests {
    private func pipeline(_ table: Table, take: String) throws -> String {
        try table.write(
            "hot.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))", take: \(take), settle: 0ms, companions: 0ms } } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)", verify: reread } } }
            """)
    }

    /// A pool and the disk below it, which is the folder that is watched: what the target shows is the original itself.
    @Test(.enabled(if: Mounting.overlays)) func theOriginalSeenThroughAnotherMountIsNoCopy() throws {
        let table = try Table(), disk = table.path("disk"), pool = table.path("pool")
        for folder in [disk, pool] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        defer { Mounting.run("/usr/bin/umount", [disk]) }
        try #require(Mounting.overlay(pool, on: disk))
        defer { Mounting.run("/usr/bin/umount", [pool]) }
        let picture = Data([0xFF, 0xD8, 1, 0xFF, 0xD9])
        try table.write("disk/upper/IMG_1.JPG", picture)
        let file = try table.write(
            "pool.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(disk)/upper", take: move, settle: 0ms, companions: 0ms } } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(pool)", verify: reread } } }
            """)
        let run = try table.run(["run", file, "--once"])
        #expect(run.count("duplicate") + run.count("delivered") == 1, "\(run.output)\(run.errors)")
        #expect(FileManager.default.contents(atPath: "\(disk)/upper/IMG_1.JPG") == picture, "\(run.errors)")
    }

    private func originals(_ table: Table) -> [String] { table.files(table.path("hot")).keys.sorted() }

    /// The copies are proven, so the next run would remove the originals; a plan only says so.
    @Test func aPlanRemovesNothing() throws {
        let table = try Table()
        try table.frames("hot", count: 2, from: 0)
        let all = originals(table)
        #expect(try table.run(["run", try pipeline(table, take: "copy"), "--once"]).count("delivered") == 2)
        let moving = try pipeline(table, take: "move")
        let plan = try table.run(["plan", "--pipeline", moving])
        #expect(plan.status == 0 && plan.count("alreadySeen") == 2, "\(plan.output)\(plan.errors)")
        #expect(all.count == 2 && originals(table) == all)
        #expect(try table.run(["run", moving, "--once"]).count("alreadySeen") == 2)
        #expect(originals(table).isEmpty)
    }
}

extension Mounting {
    /// One folder can be shown through another one, by another device.
    static let overlays = works && showsOneFolderTwice()

    private static func showsOneFolderTwice() -> Bool {
        let folder = FileManager.default.temporaryDirectory.path + "/filmgate-overlay-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["disk", "pool"] {
            try? FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        let isShown = overlay(folder + "/pool", on: folder + "/disk")
        if isShown { run("/usr/bin/umount", [folder + "/pool"]) }
        run("/usr/bin/umount", [folder + "/disk"])
        return isShown
    }

    /// Mounts a disk at `disk`, and shows its folder `upper` at `pool`.
    static func overlay(_ pool: String, on disk: String) -> Bool {
        guard run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", disk]) == 0 else { return false }
        for name in ["lower", "upper", "work"] {
            try? FileManager.default.createDirectory(atPath: "\(disk)/\(name)", withIntermediateDirectories: true)
        }
        let options = "lowerdir=\(disk)/lower,upperdir=\(disk)/upper,workdir=\(disk)/work"
        return run("/usr/bin/mount", ["-t", "overlay", "-o", options, "overlay", pool]) == 0
    }
}
