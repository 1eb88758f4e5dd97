import FileKit
import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import FolderTarget

@Suite struct HostileTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture() }

    @Test(arguments: [
        "", "/etc/x", "../x", "a/../../x", "a/./b", "a//b", "a/", "a\0b", ".", "..",
        String(repeating: "n", count: 256) + "/x", ".filmgate/x", ".FilmGate/x",
    ])
    func pathsThatLeaveTheFolderAreRefused(path: String) async throws {
        let target = try fixture.target(), job = try fixture.job(path, [1])
        #expect(await code { try await target.upload(job) } == .rejected)
        #expect(await code { try await target.occupancy(of: path, for: job) } == .rejected)
        #expect(try FileFacts.of(fixture.root) == nil)
    }

    @Test(arguments: [
        "a\nb\u{1B}[2J.JPG", "🌄 é ＜.JPG", " leading", "-rf", "~", "{event}",
        String(repeating: "x", count: 251) + ".JPG",
    ])
    func oddNamesSurvive(name: String) async throws {
        let target = try fixture.target(), job = try fixture.job("w/" + name, [1, 2])
        _ = try await target.upload(job)
        #expect(try fixture.tree().contains("w/" + name))
    }

    @Test func bytesThatAreNotTextSurvive() async throws {
        let name = String(pathBytes: [0x49, 0xFF, 0x2E, 0x4A])
        let target = try fixture.target(), job = try fixture.job(name, [1, 2])
        let receipt = try await target.upload(job)
        #expect(try await target.verify(receipt, size: 2, sha256: job.digests.sha256) == .equal)
        #expect(try fixture.tree().contains { PathText.bytes(of: $0) == [0x49, 0xFF, 0x2E, 0x4A] })
    }

    @Test func linksMayTurnButNotLeave() async throws {
        let outside = fixture.path + "/outside"
        for folder in [fixture.root + "/real", outside] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        symlink(outside, fixture.root + "/evil")
        symlink("../outside/deeper", fixture.root + "/dangling")
        symlink("real", fixture.root + "/fine")
        let target = try fixture.target()
        for path in ["evil/x.jpg", "evil/a/b/x.jpg", "dangling/x.jpg"] {
            let job = try fixture.job(path, [1])
            #expect(await code { try await target.upload(job) } == .rejected, "\(path)")
        }
        #expect(try fixture.tree(below: outside).isEmpty)
        _ = try await target.upload(try fixture.job("fine/x.jpg", [1]))
        #expect(try bytes(fixture.root + "/real/x.jpg") == [1])
    }

    @Test func aStagingFolderThatIsALinkIsRefused() async throws {
        let outside = fixture.path + "/outside"
        for folder in [fixture.root, outside] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        symlink(outside, fixture.root + "/.filmgate")
        let target = try fixture.target()
        #expect(await code { try await target.upload(try fixture.job("x.jpg", [1])) } == .rejected)
        try await target.finishRun([])
        #expect(try fixture.tree(below: outside).isEmpty)
    }

    @Test func aFileWhereAFolderShouldBeIsRefused() async throws {
        try FileManager.default.createDirectory(atPath: fixture.root, withIntermediateDirectories: true)
        try write([1], fixture.root + "/w")
        let target = try fixture.target()
        #expect(await code { try await target.upload(try fixture.job("w/x.jpg", [1])) } == .rejected)
        #expect(try bytes(fixture.root + "/w") == [1])
    }

    /// What is told to do must be possible: a folder cannot be made where a file has the name.
    @Test(arguments: ["", "/below"]) func aFileInsteadOfTheFolderIsNamedWithWhatHelps(_ below: String) async throws {
        try write([1], fixture.root)
        let target = try fixture.target { $0.path = Template(fixture.root + below + "/{event}") }
        let result = await Result { () async throws(IngestError) in try await target.check() }
        guard case .failure(let error) = result else {
            Issue.record("accepted")
            return
        }
        #expect(error.message.contains("pictures` is a file, not a folder."), "\(error)")
        #expect(error.advice?.hasPrefix("Name a folder, or move that file") == true, "\(error)")
    }

    @Test func checkWritesNothing() async throws {
        let target = try fixture.target()
        try await target.check()
        #expect(try FileFacts.of(fixture.root) == nil)
        try write([1], fixture.root)
        #expect(await code { try await target.check() } == .misconfigured)
        let proc = try fixture.target { $0.path = Template("/proc/filmgate/{event}") }
        #expect(await code { try await proc.check() } != nil)
    }

    @Test(.enabled(if: Mount.isAllowed)) func aFullDiskPausesAndLeavesNothing() async throws {
        let mount = try Mount("size=1m", at: fixture.root)
        let target = try fixture.target(), big = try fixture.job("w/big.cr3", [UInt8](repeating: 7, count: 3 << 20))
        #expect(await code { try await target.upload(big) } == .storageFull)
        let small = try fixture.job("w/small.jpg", [1])
        _ = try await target.upload(small)
        try await target.finishRun([])
        #expect(try fixture.tree() == ["w/", "w/small.jpg"])
        #expect(try bytes(big.file.path).count == 3 << 20)
        withExtendedLifetime(mount) {}
    }

    @Test(.enabled(if: Mount.hasDisks)) func aFullDiskSaysSoBeforeTheBytesAreRead() async throws {
        let mount = try Mount(disk: fixture.root, megabytes: 8)
        let target = try fixture.target(), big = try fixture.job("w/big.cr3", [UInt8](repeating: 7, count: 16 << 20))
        #expect(await code { try await target.upload(big) } == .storageFull)
        let fits = try fixture.job("w/fits.cr3", [UInt8](repeating: 7, count: 3 << 20 | 5))
        let receipt = try await target.upload(fits)
        #expect(try await target.verify(receipt, size: 3 << 20 | 5, sha256: fits.digests.sha256) == .equal)
        try await target.finishRun([])
        #expect(try fixture.tree().filter { !$0.hasPrefix("lost+found") } == ["w/", "w/fits.cr3"])
        withExtendedLifetime(mount) {}
    }

    @Test(.enabled(if: Mount.isAllowed)) func stagingOnAnotherFileSystemIsCopied() async throws {
        let mount = try Mount("size=1m", at: fixture.root)
        let job = try fixture.job("w/x.jpg", [1, 2], take: true)
        let receipt = try await fixture.target().upload(job)
        #expect(try bytes(try #require(receipt.path)) == [1, 2])
        withExtendedLifetime(mount) {}
    }

    @Test(.enabled(if: Mount.folds)) func namesThatDifferInCaseOnlyAreOthers() async throws {
        let mount = try Mount("size=1m,casefold", at: fixture.root, folding: "w")
        let target = try fixture.target()
        _ = try await target.upload(try fixture.job("w/IMG_1.JPG", [1]))
        let twin = try fixture.job("w/img_1.jpg", [2])
        #expect(try await target.occupancy(of: twin.path, for: twin) == .other)
        #expect(await code { try await target.upload(twin) } == .nameTaken)
        let same = try fixture.job("w/img_1.jpg", [1])
        #expect(try await target.upload(same).existed)
        withExtendedLifetime(mount) {}
    }
}
