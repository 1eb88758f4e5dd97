import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import FolderSource

/// `take: move` while others write: a frame that is put under the name of one that was delivered is never removed with
/// it.
@Suite final class RemovedFilesTests: Sendable {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent(
        "filmgate-removed-\(UUID().uuidString)"
    ).path
    private var path: String { root + "/Capture_0001.JPG" }

    init() throws { try HotFolder.write(HotFolder.jpeg(1), to: root + "/Capture_0001.JPG") }
    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func context(_ logger: Logger = Logger(label: "test")) -> ModuleContext {
        ModuleContext(name: "folder", logger: logger, state: "", lookup: Lookup())
    }

    private func settled(_ name: String = "Capture_0001.JPG", hasStatus: Bool = true) throws -> AssetResult {
        let facts = try #require(try FileFacts.of(root + "/" + name))
        let origin = Origin(
            source: "folder", volume: "v", root: root, path: name, size: facts.size, modified: facts.modified,
            inode: hasStatus ? facts.inode : 0, changed: hasStatus ? facts.changed : 0)
        var asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "k", stem: "Capture_0001"))
        let sha256 = MultiHasher.digest(of: Array(HotFolder.jpeg(1)), .sha256)
        asset.digests = Digests(sha256: sha256)
        let at = Int64(Date().timeIntervalSince1970) * 1_000_000_000
        asset.receipts = [
            "g": Receipt(state: .done, url: "https://gallery.example/1", sha256: sha256, verified: .server, at: at)
        ]
        return AssetResult(asset: asset, ending: .delivered)
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: root).sorted() }

    @Test func whatWasDeliveredGoesAndLeavesNothing() async throws {
        let taken = TakenFiles(root: root, context: context())
        taken.settled(try settled())
        await taken.concluded()
        #expect(try names().isEmpty)
    }

    /// A tethering program renames its next frame over the name between our look and the removal.
    @Test func theNextFrameUnderTheNameStays() async throws {
        let (root, path) = (root, path), next = HotFolder.jpeg(2)
        let taken = TakenFiles(root: root, context: context()) {
            try? HotFolder.write(next, to: root + "/new.tmp")
            rename(root + "/new.tmp", path)
        }
        taken.settled(try settled())
        await taken.concluded()
        #expect(try names() == ["Capture_0001.JPG"] && FileManager.default.contents(atPath: path) == next)
    }

    /// NFS and 9p know no exclusive renaming: the new name is a link at first, and then the old one is removed,
    /// whatever has it by then.
    @Test func theNextFrameStaysWhereNoRenamingIsExclusive() async throws {
        let (root, path) = (root, path), next = HotFolder.jpeg(2), isPut = Atomic(false)
        var calls = OpenFolder.Calls()
        calls.rename = { folder, name, other in
            guard linkat(folder, name, folder, other, 0) == 0 else { return errno }
            try? HotFolder.write(next, to: root + "/new.tmp")
            isPut.store(rename(root + "/new.tmp", path) == 0, ordering: .relaxed)
            return unlinkat(folder, name, 0) == 0 ? 0 : errno
        }
        let taken = TakenFiles(root: root, context: context(), calls: calls)
        taken.settled(try settled())
        await taken.concluded()
        #expect(try names() == (isPut.load(ordering: .relaxed) ? ["Capture_0001.JPG"] : []))
    }

    /// FAT through FUSE has no links either: a name that is looked for and then taken could be the next frame's then.
    @Test func whereNoNameCanBeTakenSafelyItGetsOneOfItsOwn() async throws {
        let (root, path) = (root, path), next = HotFolder.jpeg(2)
        let putNext = { @Sendable in
            try? HotFolder.write(next, to: root + "/new.tmp")
            _ = rename(root + "/new.tmp", path)
        }
        var calls = OpenFolder.Calls()
        calls.rename = { _, _, _ in EOPNOTSUPP }
        let taken = TakenFiles(root: root, context: context(), beforeMove: putNext, calls: calls)
        taken.settled(try settled())
        await taken.concluded()
        let names = try names(), name = try #require(names.first)
        #expect(names.count == 1 && name.hasPrefix("Capture_0001-") && name.hasSuffix(".JPG"), "\(names)")
        #expect(FileManager.default.contents(atPath: root + "/" + name) == next)
    }

    /// A rating that is written into the file, with its time given back; FAT has neither inodes nor status changes.
    @Test(arguments: [true, false]) func whatWasEditedInPlaceStays(_ hasStatus: Bool) async throws {
        let path = path, edited = HotFolder.jpeg(2)
        let taken = TakenFiles(root: root, context: context()) {
            let before = (try? FileFacts.of(path)) ?? nil
            // The kernel's clock for files is a coarse one.
            usleep(20_000)
            let file = FileHandle(forUpdatingAtPath: path)
            try? file?.write(contentsOf: edited)
            try? file?.close()
            if let before { try? FileSystem.setModified(path, before.modified) }
        }
        taken.settled(try settled(hasStatus: hasStatus))
        await taken.concluded()
        #expect(try names() == ["Capture_0001.JPG"] && FileManager.default.contents(atPath: path) == edited)
    }

    /// Nobody has touched it: the disk or share gave other bytes than it has, once, and these were delivered.
    @Test func whatWasMisreadStays() async throws {
        let log = LogCollector(), taken = TakenFiles(root: root, context: context(log.logger))
        var misread = try settled()
        let sha256 = MultiHasher.digest(of: Array(HotFolder.jpeg(9)), .sha256)
        misread.asset.digests = Digests(sha256: sha256)
        misread.asset.receipts["g"]?.sha256 = sha256
        taken.settled(misread)
        await taken.concluded()
        #expect(try names() == ["Capture_0001.JPG"])
        #expect(log.text.contains("stays: it has other bytes than were read"), "\(log.text)")
    }

    /// Its status was changed, and its bytes are the same: somebody gave it to a group.
    @Test func whatHasItsBytesStillGoes() async throws {
        let path = path
        let taken = TakenFiles(root: root, context: context()) {
            usleep(20_000)
            chmod(path, 0o640)
        }
        taken.settled(try settled())
        await taken.concluded()
        #expect(try names().isEmpty)
    }

    /// Where the kernel tells of writers.
    @Test func whatSomebodyWritesToStays() async throws {
        let path = path, writer = Mutex<Int32>(-1)
        let isTold = Writers.isOpenForWriting(path) != nil
        let taken = TakenFiles(root: root, context: context()) {
            writer.withLock { $0 = open(path, O_RDWR) }
        }
        taken.settled(try settled())
        await taken.concluded()
        #expect(try names() == (isTold ? ["Capture_0001.JPG"] : []))
        close(writer.withLock(\.self))
    }

    /// Somebody moved the pictures to a safe place, and put a link to them here, so that other programs find them.
    @Test(arguments: ["day1", ""]) func whatLiesBehindALinkStays(_ name: String) async throws {
        let safe = root + "-safe", moved = name.isEmpty ? root : root + "/" + name
        defer { try? FileManager.default.removeItem(atPath: safe) }
        try HotFolder.write(HotFolder.jpeg(1), to: root + "/day1/Capture_0001.JPG")
        let result = try settled((name.isEmpty ? "" : name + "/") + "Capture_0001.JPG")
        let taken = TakenFiles(root: root, context: context())
        try FileManager.default.moveItem(atPath: moved, toPath: safe)
        try FileManager.default.createSymbolicLink(atPath: moved, withDestinationPath: safe)
        taken.settled(result)
        await taken.concluded()
        #expect(FileManager.default.contents(atPath: safe + "/Capture_0001.JPG") == HotFolder.jpeg(1))
    }

    /// A disk and the pool that it is part of, one share by two protocols: each tells of devices and inodes of its own.
    @Test func theFileItselfThroughAnotherMountIsNoCopy() async throws {
        let alias = root + "-alias"
        try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: root)
        defer { try? FileManager.default.removeItem(atPath: alias) }
        let look = { @Sendable (path: String) -> FileFacts? in
            var facts = (try? FileFacts.of(path)) ?? nil
            facts?.device += 1
            return facts
        }
        let taken = TakenFiles(root: root, context: context(), look: look)
        var result = try settled()
        result.asset.receipts = [
            "a": Receipt(
                state: .done, path: alias + "/Capture_0001.JPG", sha256: result.asset.digests?.sha256,
                verified: .reread, existed: true)
        ]
        // Having been put back, it looks new, and ends so once more.
        for _ in 0..<2 {
            taken.settled(result)
            await taken.concluded()
            #expect(try names() == ["Capture_0001.JPG"])
        }
    }

    @Test func whatIsPutBackReplacesNothing() throws {
        let away = TakenFiles.away(path)
        #expect(TakenFiles.home(of: away) == path && TakenFiles.home(of: path) == nil)
        try DurableFile.move(path, to: away)
        try HotFolder.write(HotFolder.jpeg(3), to: path)
        try TakenFiles.putBack(Paths.name(away), as: Paths.name(path), in: OpenFolder(root))
        #expect(try names() == ["Capture_0001-2.JPG", "Capture_0001.JPG"])
        #expect(FileManager.default.contents(atPath: root + "/Capture_0001-2.JPG") == HotFolder.jpeg(1))
    }

    @Test func whatACrashLeftComesBackAtTheNextStart() throws {
        try DurableFile.move(path, to: TakenFiles.away(path))
        _ = TakenFiles(root: root, context: context())
        #expect(try names() == ["Capture_0001.JPG"])
    }

    /// Where names are given by links, one file has both for a moment.
    @Test func whatACrashLeftWithTwoNamesKeepsItsOwn() throws {
        #expect(link(path, TakenFiles.away(path)) == 0)
        _ = TakenFiles(root: root, context: context())
        #expect(try names() == ["Capture_0001.JPG"])
    }

    /// It would be out of sight until the next start; nor is it hidden again each time that it looks new.
    @Test func whatCannotBeRemovedIsSeen() async throws {
        let log = LogCollector(), tries = Atomic(0)
        var calls = OpenFolder.Calls()
        calls.remove = { _, _ in
            _ = tries.add(1, ordering: .relaxed)
            return EACCES
        }
        let taken = TakenFiles(root: root, context: context(log.logger), calls: calls)
        for _ in 0..<2 {
            taken.settled(try settled())
            await taken.concluded()
        }
        #expect(try names() == ["Capture_0001.JPG"] && tries.load(ordering: .relaxed) == 1)
        #expect(log.text.contains("warning `Capture_0001.JPG` was delivered but cannot be removed"))
    }
}
