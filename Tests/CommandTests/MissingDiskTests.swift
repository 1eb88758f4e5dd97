import Foundation
import TestThreads
import Testing

/// A backup disk that is not mounted: its mount point is a folder of the disk above, which nothing is copied to.
@Suite(.ownThreads) struct MissingDiskTests {
    private let files = FileManager.default

    private func mount(_ path: String) throws {
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", path]) == 0)
    }

    @Test(.enabled(if: Mounting.works)) func aBareMountPointIsNotFilled() throws {
        let table = try Table(), backup = table.path("backup")
        try table.sampleCard()
        try table.frames("CARDB", count: 2, from: 50)
        try mount(backup)
        defer { Mounting.run("/usr/bin/umount", [backup]) }
        let both = ["--to", table.archive, "--to", backup]
        #expect(try table.run(["import", table.card] + both).status == 0)
        #expect(table.files(backup).count == 16)
        try #require(Mounting.run("/usr/bin/umount", [backup]) == 0)
        // Nothing was said by the disk, so nothing is held against its copies; and the way is to mount it.
        let answer = try Program.run(["safe-to-format", table.card, "--state", table.state, "--allow", "same-device"])
        #expect(
            answer.status == 8 && answer.output.contains("not mounted") && answer.output.contains("Mount the disk"),
            "\(answer.output)")
        for words in [[table.card] + both, [table.card, "--again"] + both, [table.path("CARDB"), "--to", backup]] {
            let refused = try table.run(["import"] + words)
            #expect(refused.status == 2 && refused.output.contains("16 files"), "\(refused.output)")
            #expect(refused.output.contains("filmgate cancel --target '\(backup)' --gone"))
        }
        #expect(table.files(backup).isEmpty)
        // Another disk is another place, until somebody says that the first one is gone for good.
        try mount(backup)
        #expect(try table.run(["import", table.path("CARDB"), "--to", backup]).status == 2)
        #expect(try table.run(["cancel", "--yes", "--target", backup, "--gone"]).status == 0)
        #expect(try table.run(["import", table.path("CARDB"), "--to", backup]).status == 0)
        #expect(table.files(backup).count == 2)
    }

    /// Another event's folder, or a new one beside, would lie below the mount point, too; whatever else lies there.
    @Test(.enabled(if: Mounting.works)) func nothingElseGoesBelowABareMountPoint() throws {
        let table = try Table(), backup = table.path("backup")
        for (card, first) in [("CARD", 1), ("CARDB", 50)] { try table.frames(card, count: 2, from: first) }
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [exif: {}, dedupe: {}, upload: { to: [a] }]
            targets: { a: { folder: { path: "\(backup)/{event}", verify: size } } }
            """)
        try mount(backup)
        defer { Mounting.run("/usr/bin/umount", [backup]) }
        let words = ["--pipeline", pipeline, "--event"]
        #expect(try table.run(["import", table.card] + words + ["smith"]).status == 0)
        // Used, and noted, while there was nothing to deliver.
        try files.createDirectory(atPath: table.path("EMPTY"), withIntermediateDirectories: true)
        _ = try table.run(["import", table.path("EMPTY"), "--to", backup + "/noted"])
        #expect(files.fileExists(atPath: backup + "/noted"))
        try #require(Mounting.run("/usr/bin/umount", [backup]) == 0)
        try table.write("backup/junk", "of another program")
        for wish in [
            [table.path("CARDB")] + words + ["jones"], [table.card] + words + ["jones", "--again"],
            [table.card] + words + ["smith", "--again"], [table.path("CARDB"), "--to", backup + "/new"],
            [table.path("CARDB"), "--to", backup + "/noted"],
        ] {
            let refused = try table.run(["import"] + wish)
            #expect(refused.status == 2 && refused.output.contains("2 files"), "\(wish): \(refused.output)")
        }
        #expect(table.files(backup).keys.sorted() == ["junk"])
        // Another disk was mounted there on purpose, for another event.
        try mount(backup)
        #expect(try table.run(["import", table.path("CARDB")] + words + ["jones"]).status == 0)
        #expect(table.files(backup).count == 2)
    }

    /// What the refusal names leads out of it: made anew on the disk below, the folder would be refused once more.
    @Test(.enabled(if: Mounting.works)) func aFolderOfADiskThatIsAwayIsNotToBeMadeAnew() throws {
        let table = try Table(), backup = table.path("backup"), folder = backup + "/pics"
        try table.frames("CARD", count: 2, from: 1)
        try mount(backup)
        defer { Mounting.run("/usr/bin/umount", [backup]) }
        #expect(try table.importing(to: folder).status == 0)
        try #require(Mounting.run("/usr/bin/umount", [backup]) == 0)
        try expectWayOut(table, folder, "filmgate cancel --target '\(folder)' --gone")
    }

    /// Of a ledger of before nobody knows whether it was a disk's.
    @Test(arguments: [true, false]) func aFolderThatWasRemovedHasAWayOut(isNoted: Bool) throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        if !isNoted { try table.change(ledger: "UPDATE target SET disk = NULL") }
        try files.removeItem(atPath: table.archive)
        let way = isNoted ? "create the folder again" : "filmgate cancel --target '\(table.archive)' --gone"
        try expectWayOut(table, table.archive, way)
    }

    /// The import says `way`, which is gone then; the next one is not refused.
    private func expectWayOut(_ table: Table, _ folder: String, _ way: String) throws {
        let refused = try table.importing(to: folder), makesAnew = "create the folder again"
        #expect(refused.status == 2 && refused.output.contains("is gone, and 2 files"), "\(refused.output)")
        #expect(refused.output.contains(way), "\(refused.output)")
        #expect(refused.output.contains(makesAnew) == (way == makesAnew), "\(refused.output)")
        if way == makesAnew {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } else {
            #expect(try table.run(["cancel", "--yes", "--target", folder, "--gone"]).status == 0)
        }
        #expect(try table.importing(to: folder).status == 0)
    }

    /// A run that had nothing to deliver has seen the disk, too; who gives it up says so once.
    @Test(.enabled(if: Mounting.works)) func aDiskThatNothingWasDeliveredToIsMissed() throws {
        let table = try Table(), backup = table.path("it's a disk")
        try table.frames("CARD", count: 2, from: 1)
        try files.createDirectory(atPath: table.path("EMPTY"), withIntermediateDirectories: true)
        try mount(backup)
        defer { Mounting.run("/usr/bin/umount", [backup]) }
        _ = try table.run(["import", table.path("EMPTY"), "--to", backup + "/pics"])
        try #require(Mounting.run("/usr/bin/umount", [backup]) == 0)
        for _ in 1...2 {
            let refused = try table.run(["import", table.card, "--to", backup + "/pics"])
            #expect(refused.status == 2 && refused.output.contains("none is mounted there now"), "\(refused.output)")
            // In JSON, so the backslash of the shell's word is two.
            #expect(refused.output.contains("it'\\\\''s a disk/pics' --gone`"), "\(refused.output)")
        }
        #expect(try table.run(["import", table.card, "--to", backup + "/beside"]).status == 2)
        #expect(table.files(backup).isEmpty)
        let mistyped = try table.run(["cancel", "--yes", "--target", backup + "/pisc", "--gone"])
        #expect(mistyped.status == 2 && mistyped.errors.contains("known: "), "\(mistyped.errors)")
        #expect(mistyped.errors.contains("Did you mean `\(backup)/pics`?"), "\(mistyped.errors)")
        #expect(try table.run(["cancel", "--yes", "--target", backup + "/pics", "--gone"]).status == 0)
        #expect(try table.run(["import", table.card, "--to", backup + "/pics"]).status == 0)
        #expect(table.files(backup + "/pics").count == 2)
    }

    /// A folder of a disk that is mounted by itself may be called as its mount point is: what lies beside is elsewhere.
    @Test(.enabled(if: Mounting.works)) func aFolderBesideTheMountPointOfASubvolumeIsFilled() throws {
        let table = try Table(), pics = table.path("srv/pics")
        for (card, first) in [("CARD", 1), ("CARDB", 50)] { try table.frames(card, count: 2, from: first) }
        try mount(table.path("disk"))
        defer { Mounting.run("/usr/bin/umount", [table.path("disk")]) }
        for folder in [table.path("disk/srv/pics"), pics] {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try #require(Mounting.run("/usr/bin/mount", ["--bind", table.path("disk/srv/pics"), pics]) == 0)
        defer { Mounting.run("/usr/bin/umount", [pics]) }
        #expect(try table.run(["import", table.card, "--to", pics + "/smith"]).status == 0)
        try #require(Mounting.run("/usr/bin/umount", [pics]) == 0)
        let refused = try table.run(["import", table.path("CARDB"), "--to", pics + "/jones"])
        #expect(refused.status == 2 && refused.output.contains("2 files"), "\(refused.output)")
        #expect(try table.run(["import", table.path("CARDB"), "--to", table.path("srv/beside")]).status == 0)
        #expect(table.files(pics).isEmpty && table.files(table.path("srv/beside")).count == 2)
    }

    /// The only copy is on a disk that is away, and the card is still there: what waits is read from that.
    @Test func whatWaitsIsReadFromTheCardWhereNoCopyIsAtHand() throws {
        let table = try Table(), first = try Gallery(table), file = try table.pipeline(first)
        try table.frames("CARD", count: 2, from: 1)
        first.stop()
        #expect(try table.deliver(file, ["--wait", "1s"]).count("pending") == 2)
        try files.moveItem(atPath: table.archive, toPath: table.path("away"))
        let gallery = try Gallery(table, at: first.address)
        let retry = try table.run(["retry", "--wait", "5s"], environment: Gallery.environment)
        #expect(try gallery.assets().count == 2, "\(retry.output)")
    }

    /// A memory disk or a share has another number each time; its files tell that it is the same.
    @Test(.enabled(if: Mounting.works)) func aDiskThatIsNumberedAnewIsKnownByItsFiles() throws {
        let table = try Table(), backup = table.path("backup")
        try table.sampleCard()
        try mount(backup)
        defer { Mounting.run("/usr/bin/umount", [backup]) }
        #expect(try table.importing(to: backup).status == 0)
        try files.copyItem(atPath: backup, toPath: table.path("kept"))
        try #require(Mounting.run("/usr/bin/umount", [backup]) == 0)
        try files.createDirectory(atPath: table.path("other"), withIntermediateDirectories: true)
        try mount(table.path("other"))
        defer { Mounting.run("/usr/bin/umount", [table.path("other")]) }
        try mount(backup)
        for name in try files.contentsOfDirectory(atPath: table.path("kept")) {
            try files.copyItem(atPath: table.path("kept") + "/" + name, toPath: backup + "/" + name)
        }
        let second = try table.importing(to: backup)
        #expect(second.status == 0 && second.count("delivered") == 0, "\(second.output)")
    }

    /// Another disk at the path has files, and none of the first one's: nobody removed those.
    @Test(.enabled(if: Mounting.works)) func anotherDiskIsNoReasonToCallCopiesRemoved() throws {
        let table = try Table(), backup = table.path("backup")
        try table.frames("CARD", count: 2, from: 1)
        try mount(backup)
        defer { Mounting.run("/usr/bin/umount", [backup]) }
        #expect(try table.importing(to: backup).status == 0)
        try #require(Mounting.run("/usr/bin/umount", [backup]) == 0)
        try mount(table.path("other"))
        defer { Mounting.run("/usr/bin/umount", [table.path("other")]) }
        try mount(backup)
        try table.write("backup/OTHER.JPG", "of another card")
        for named in [table.card + "/DCIM", backup] {
            let refused = try table.run(["cancel", "--yes", "--gone", named])
            #expect(refused.status == 2 && refused.output.contains("may be away as a whole"), "\(refused.output)")
        }
        #expect(try table.run(["verify"]).summary["missing"] as? Int == 2)
        let answer = try Program.run(["safe-to-format", table.card, "--state", table.state, "--allow", "same-device"])
        #expect(answer.status == 8 && answer.output.contains("not mounted"), "\(answer.output)")
    }

    /// A ledger of before has noted no disk: the refusal names what lets the files be, and the other way only where
    /// there is one.
    @Test func anInboxThatWasEmptiedIsLetBe() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        #expect(try table.importing().status == 0)
        let script =
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('UPDATE target SET disk = NULL'); db.commit()"
        try #require(Mounting.run("/usr/bin/env", ["python3", "-c", script, table.state + "/ledger.sqlite"]) == 0)
        for name in try files.contentsOfDirectory(atPath: table.archive) {
            try files.removeItem(atPath: table.archive + "/" + name)
        }
        try files.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [folder: { path: "\(table.path("hot"))" }]
            stages: [exif: {}, dedupe: {}, upload: { to: [a] }]
            targets: { a: { folder: { path: "\(table.archive)", verify: size } } }
            """)
        let way = "filmgate cancel --gone '\(table.archive)'"
        for (words, offersAgain) in [
            (["import", table.card, "--to", table.archive], true), (["run", "--once", pipeline], false),
        ] {
            let refused = try table.run(words)
            #expect(refused.status == 2 && refused.output.contains(way), "\(refused.output)")
            #expect(refused.output.contains("--again") == offersAgain)
        }
        // By the card the folder might as well be a mount point.
        #expect(try table.run(["cancel", "--yes", "--gone", table.card]).status == 2)
        let taken = try table.run(["cancel", "--yes", "--gone", table.archive])
        #expect(taken.status == 0 && taken.count("filtered") == 3, "\(taken.output)")
        let second = try table.importing()
        #expect(
            second.status == 0 && second.count("delivered") == 0 && table.files(table.archive).isEmpty,
            "\(second.output)")
        #expect(try table.importing(["--again"]).count("delivered") == 3)
    }

    /// Whoever empties a folder on the same disk is told, and `--again` fills it.
    @Test func aFolderThatWasEmptiedIsFilledOnDemand() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        #expect(try table.importing().status == 0)
        for name in try files.contentsOfDirectory(atPath: table.archive) {
            try files.removeItem(atPath: table.archive + "/" + name)
        }
        #expect(try table.importing().status == 0)
        #expect(try table.importing(["--again"]).status == 0)
        #expect(table.files(table.archive).count == 3)
    }
}
