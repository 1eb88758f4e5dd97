import FileKit
import FilmgateCore
import FilmgateLedger
import Foundation
import Testing

@testable import FilmgateEngine

/// Copies that somebody removed on purpose, and said so: the card gets its yes without them.
@Suite struct CulledFrameTests {
    private final class Scene {
        let folder: String, entry: SourceEntry, content: ContentKey, ledger: SQLiteLedger
        var card: String { folder + "/CARD/A.JPG" }

        init() async throws {
            folder =
                FileManager.default.temporaryDirectory.path + "/filmgate-culled-\(UInt64.random(in: 0...UInt64.max))"
            for place in ["CARD", "one", "two"] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(place)", withIntermediateDirectories: true)
                // A folder that holds nothing at all may be an unmounted disk's.
                for name in ["A.JPG", "B.JPG"] {
                    try Data("test".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(place)/\(name)"))
                }
            }
            let origin = Origin(
                source: "card", volume: "v", root: folder + "/CARD", path: "A.JPG", size: 4, modified: 0)
            entry = SourceEntry(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
            let sha256 = try FileCopy.hash(path: folder + "/CARD/A.JPG", algorithms: []).digests.sha256
            (content, ledger) = (ContentKey(sha256: sha256), try SQLiteLedger.inMemory())
            var asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: entry.shot, at: 1)
            (asset.content, asset.digests, asset.wanted, asset.ending) = (
                content, Digests(sha256: sha256), ["one", "two"], .delivered
            )
            let rows = ["one", "two"].map { name in
                let receipt = Receipt(
                    state: .done, path: "\(folder)/\(name)/A.JPG", sha256: sha256, verified: .reread, at: 1)
                return DeliveryRow(
                    content: content, target: name, targetName: name, receipt: receipt, size: 4, path: "A.JPG")
            }
            try await ledger.record([.asset(asset)] + rows.map { .delivery($0) })
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func proof(_ allowance: CardProof.Allowance = .sameDevice) -> CardProof {
            CardProof(reader: ledger, proofTargets: nil, allowance: allowance, exemptions: .init { _ in false })
        }

        func verdict(_ allowance: CardProof.Allowance = .sameDevice) async throws -> CardProof.Verdict {
            try await proof(allowance).examine(entry, at: card).verdict
        }

        func delivery(at target: String) async throws -> DeliveryRow {
            try #require(try await ledger.deliveries(of: content).first { $0.target == target })
        }

        func remove(_ place: String) throws { try FileManager.default.removeItem(atPath: "\(folder)/\(place)/A.JPG") }

        /// Says it of all copies that are gone; returns where those were.
        func say() async throws -> [String] {
            let cancellation = Cancellation(ledger)
            let orders = await cancellation.lost(try await cancellation.orders(gone: true))
            try await cancellation.carryOut(orders, .copiesRemoved, ledger, DeliveryLeases()) { _, _ in }
            return orders.map(\.delivery.target)
        }
    }

    @Test func theOtherCopyProvesTheFrame() async throws {
        let scene = try await Scene()
        #expect(try await scene.say() == [])
        try scene.remove("two")
        guard case .removed = try await scene.verdict() else { throw IngestError(.unexpected, "It is not missed.") }
        #expect(try await scene.say() == ["two"])
        #expect(try await scene.verdict() == .proven)
        // One that is lost without a word is missed all the same.
        try scene.remove("one")
        guard case .removed = try await scene.verdict() else { throw IngestError(.unexpected, "It is not missed.") }
    }

    @Test func aFrameWithoutCopiesIsNamedAndInNobodysWay() async throws {
        let scene = try await Scene()
        for place in ["one", "two"] { try scene.remove(place) }
        #expect(try await scene.say().sorted() == ["one", "two"])
        #expect(try await scene.verdict() == .exempt("removed on purpose: one, two"))
        // Nothing brings it back but who asks for it.
        #expect(try await scene.ledger.deliveries(of: scene.content).allSatisfy { $0.isCancelled && $0.isCulled })
    }

    /// An order that was only taken back was never there: that is no frame that somebody has seen and removed.
    @Test func whatWasTakenBackIsStillInTheWay() async throws {
        let scene = try await Scene(), cancellation = Cancellation(scene.ledger)
        try await cancellation.carryOut(
            try await cancellation.orders(gone: true), .takenBack, scene.ledger, DeliveryLeases()
        ) { _, _ in }
        guard case .problem = try await scene.verdict() else {
            throw IngestError(.unexpected, "It was taken for removed.")
        }
    }

    /// A disk that is away says nothing of its files.
    @Test func aFolderThatIsAwayWasNotEmptied() async throws {
        let scene = try await Scene()
        try FileManager.default.moveItem(atPath: scene.folder + "/two", toPath: scene.folder + "/away")
        #expect(try await scene.say() == [])
    }

    /// Another disk at its path, with files of its own, says nothing of them either: to nobody who asks.
    @Test func anotherDiskAtThePathIsNoWordOnTheCopies() async throws {
        let scene = try await Scene(), root = scene.folder + "/two"
        try scene.remove("two")
        try await scene.ledger.record([.disk("another disk:two", target: "two", name: "two")])
        #expect(try await scene.say() == [])
        guard case .removed(let why, isAway: true) = try await scene.verdict() else {
            throw IngestError(.unexpected, "It is not missed.")
        }
        #expect(why.contains("removed since, or its disk is not mounted"))
        let heard = TargetStatements(), delivery = try await scene.delivery(at: "two")
        #expect(await CopyCheck(scene.ledger, heard).examine(delivery) == .missing)
        #expect(heard.all.isEmpty)
        #expect(await !delivery.isLost(scene.ledger))
        // It is the same disk: then it was removed.
        try await scene.ledger.record([.disk(try #require(FolderDisk(of: root)).text, target: "two", name: "two")])
        #expect(await CopyCheck(scene.ledger, heard).examine(delivery) == .missing)
        #expect(heard.all.count == 1)
        #expect(try await scene.say() == ["two"])
    }

    /// An empty folder whose disk was never noted may be a mount point, unless somebody names the folder itself.
    @Test func anEmptyFolderIsBelievedByItsName() async throws {
        let scene = try await Scene(), orders = try await Cancellation(scene.ledger).orders(gone: true)
        for name in ["A.JPG", "B.JPG"] { try FileManager.default.removeItem(atPath: "\(scene.folder)/two/\(name)") }
        func lost(_ named: String...) async -> [String] {
            await Cancellation(scene.ledger, named: named).lost(orders).map(\.delivery.target)
        }
        for named in ["/CARD", "", "/one"] { #expect(await lost(scene.folder + named) == []) }
        for named in ["/two", "/two/A.JPG"] { #expect(await lost(scene.folder + named) == ["two"]) }
        let disk = try #require(FolderDisk(of: scene.folder + "/two")).text
        try await scene.ledger.record([.disk(disk, target: "two", name: "two")])
        #expect(await lost(scene.card) == ["two"])
        try FileManager.default.removeItem(atPath: scene.folder + "/two")
        #expect(await lost(scene.folder + "/two") == [])
    }

    /// Somebody was asked, and meanwhile the copy came back, or was delivered anew and lost again.
    @Test(arguments: [Cancellation.Meaning.copiesRemoved, .placeGone], [false, true])
    func whatChangedWhileSomebodyWasAskedStays(_ meaning: Cancellation.Meaning, isDeliveredAnew: Bool) async throws {
        let scene = try await Scene(), cancellation = Cancellation(scene.ledger)
        try scene.remove("two")
        let orders = await cancellation.lost(try await cancellation.orders(gone: true))
        #expect(orders.count == 1)
        if isDeliveredAnew {
            var row = try await scene.delivery(at: "two")
            row.receipt.at += 1
            try await scene.ledger.record([.delivery(row)])
        } else {
            try Data("test".utf8).write(to: URL(fileURLWithPath: scene.folder + "/two/A.JPG"))
        }
        var outcomes: [Cancellation.Outcome] = []
        try await cancellation.carryOut(orders, meaning, scene.ledger, DeliveryLeases()) { outcomes.append($1) }
        #expect(outcomes == [.underWay])
        #expect(try await scene.delivery(at: "two").receipt.state == .done)
    }

    /// Set aside, and taken off the list when it was gone: no rule has left it out.
    @Test func whatWasTakenOffTheListAndIsBackIsInTheWay() async throws {
        let scene = try await Scene(), cancellation = Cancellation(scene.ledger)
        var row = try #require(try await scene.ledger.assets(sha256: scene.content.sha256).first)
        (row.ending, row.wanted, row.run) = (.setAside, [], 2)
        try await scene.ledger.record([.asset(row)])
        try await cancellation.dismiss([row], scene.ledger)
        guard case .problem(let why, _) = try await scene.verdict([.sameDevice, .filtered]) else {
            throw IngestError(.unexpected, "It was taken for filtered.")
        }
        #expect(why.contains("--again"))
        // The same bytes from elsewhere, which were delivered, prove it.
        var other = row
        (other.origin.volume, other.ending, other.wanted) = ("w", .delivered, ["one", "two"])
        try await scene.ledger.record([.asset(other)])
        #expect(try await scene.verdict() == .proven)
    }
}
