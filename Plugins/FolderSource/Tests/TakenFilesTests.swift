import FileKit
import FilmgateCore
import FilmgateLedger
import FilmgateTesting
import FolderSource
import Foundation
import Testing

/// `take: move`: what is removed, and what stays.
@Suite struct TakenFilesTests {
    private static let bytes = HotFolder.jpeg(1)
    private static var sha256: String { MultiHasher.digest(of: Array(bytes), .sha256) }
    private static var now: Int64 { Int64(Date().timeIntervalSince1970) * 1_000_000_000 }

    /// A file in a hot folder, and its copy beside the folder.
    private struct Scene {
        let hot: HotFolder, entry: SourceEntry, copy: String, sha256: String
        let log: LogCollector

        init(
            _ copied: Data = TakenFilesTests.bytes, of original: Data = TakenFilesTests.bytes, lookup: Lookup = Lookup()
        ) async throws {
            (log, sha256) = (LogCollector(), MultiHasher.digest(of: Array(original), .sha256))
            hot = try await HotFolder(["a.jpg": original], lookup: lookup, logger: log.logger) { $0.take = .move }
            let facts = try #require(try FileFacts.of(hot.path + "/a.jpg"))
            let origin = Origin(
                source: "folder", volume: "v", root: hot.path, path: "a.jpg", size: facts.size,
                modified: facts.modified, inode: facts.inode)
            // One that is not whole is not listed: it is taken later.
            let late = SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "a"))
            entry = hot.listed.first ?? late
            copy = hot.path + "-archive/a.jpg"
            try HotFolder.write(copied, to: copy)
        }

        /// True when the file is still there after it ended so.
        func stays(_ ending: Ending, _ receipts: [String: Receipt]) async -> Bool {
            var asset = Asset(origin: entry.origin, kind: .jpeg, shot: entry.shot)
            asset.digests = Digests(sha256: sha256)
            asset.receipts = receipts
            var settled = AssetResult(asset: asset, ending: ending)
            settled.content = ContentKey(sha256: sha256)
            hot.session.settled(settled)
            await hot.session.concluded()
            let stays = FileManager.default.fileExists(atPath: hot.path + "/a.jpg")
            await hot.close()
            try? FileManager.default.removeItem(atPath: (copy as NSString).deletingLastPathComponent)
            return stays
        }

        func local(existed: Bool, at: Int64 = TakenFilesTests.now) -> Receipt {
            Receipt(
                state: .done, path: copy, sha256: sha256, verified: .reread, at: at, existed: existed)
        }
    }

    private static func remote(existed: Bool) -> Receipt {
        Receipt(
            state: .done, url: "https://gallery.example/1", sha256: sha256, verified: .server, at: now, existed: existed
        )
    }

    /// As many bytes, none of them right.
    private static var zeros: Data { Data(count: bytes.count) }

    @Test func whatWasJustDeliveredEverywhereIsRemoved() async throws {
        let scene = try await Scene()
        #expect(await !scene.stays(.delivered, ["a": scene.local(existed: false), "g": Self.remote(existed: false)]))
    }

    /// Its writer closed it and comes back: cut, or zeros that it has not filled in yet.
    @Test(arguments: [bytes.dropLast(2), zeros]) func whatIsNotWholeStays(_ bytes: Data) async throws {
        let original = Data(bytes), scene = try await Scene(original, of: original)
        #expect(await scene.stays(.delivered, ["a": scene.local(existed: false)]))
        #expect(scene.log.text.contains("warning `a.jpg` stays, since its writer may come back to it"))
    }

    @Test func aDuplicateIsRemovedWhenItsCopyIsStillRight() async throws {
        let scene = try await Scene()
        #expect(await !scene.stays(.duplicate, ["a": scene.local(existed: true)]))
    }

    @Test func aDuplicateWhoseCopyWasOverwrittenStays() async throws {
        let scene = try await Scene(Self.zeros)
        #expect(await scene.stays(.duplicate, ["a": scene.local(existed: true)]))
        #expect(scene.log.text.contains("warning `a.jpg` stays: `\(scene.copy)` is gone"))
    }

    @Test func aCopyThatWasMadeLongBeforeTheLastTargetHadItIsReadAgain() async throws {
        let scene = try await Scene(Self.zeros)
        let copy = scene.local(existed: false, at: Self.now - 3_600_000_000_000)
        #expect(await scene.stays(.delivered, ["a": copy, "g": Self.remote(existed: false)]))
    }

    @Test func whatOnlyAServerHadBeforeStaysAndOneLineSaysWhy() async throws {
        let scene = try await Scene()
        #expect(await scene.stays(.delivered, ["a": scene.local(existed: false), "g": Self.remote(existed: true)]))
        let said = scene.log.text
        #expect(said.contains("warning `a.jpg` stays: a server had these bytes before"), "\(said)")
        #expect(said.contains("`filmgate safe-to-format '\(scene.hot.path)' --pipeline FILE` asks it"), "\(said)")
        #expect(said.contains("after a YES remove them yourself"), "\(said)")
    }

    /// Sent in this run, and found there after the answer was lost.
    @Test func whatAServerWasAskedForInThisRunIsProven() async throws {
        let scene = try await Scene()
        var receipt = Self.remote(existed: false)
        receipt.verified = .found
        #expect(await !scene.stays(.delivered, ["a": scene.local(existed: false), "g": receipt]))
    }

    /// A server that proves nothing never lets a file go, and one line says so.
    @Test func whatNobodyProvedStaysAndOneLineSaysWhy() async throws {
        let scene = try await Scene()
        var receipt = Self.remote(existed: false)
        receipt.verified = .none
        #expect(await scene.stays(.delivered, ["a": scene.local(existed: false), "g": receipt]))
        #expect(scene.log.text.contains("warning `a.jpg` stays: a target has it, and has not proved it."))
    }

    @Test func theOriginalItselfIsNoCopy() async throws {
        let scene = try await Scene()
        var receipt = scene.local(existed: false)
        receipt.path = scene.hot.path + "/a.jpg"
        #expect(await scene.stays(.delivered, ["a": receipt]))
    }

    @Test(arguments: [true, false]) func aFileThatIsKnownIsRemovedOnlyWhenItsCopyIsReadAgain(
        _ isRight: Bool
    ) async throws {
        let ledger = try SQLiteLedger.inMemory()
        let scene = try await Scene(isRight ? Self.bytes : Self.zeros, lookup: Lookup(ledger: ledger))
        let content = ContentKey(sha256: Self.sha256)
        var row = AssetRow(origin: scene.entry.origin, run: 0, kind: .jpeg, shot: scene.entry.shot, at: 1)
        (row.content, row.digests, row.ending) = (content, Digests(sha256: Self.sha256), .delivered)
        let delivery = DeliveryRow(
            content: content, target: "folder:/archive", targetName: "archive", receipt: scene.local(existed: false),
            size: scene.entry.origin.size, path: "a.jpg")
        try await ledger.record([.asset(row), .delivery(delivery)])
        #expect(await scene.stays(.alreadySeen, [:]) == !isRight)
    }
}
