import FileKit
import FilmgateCore
import Foundation
import Testing

@testable import FilmgateEngine

/// What the ledger has by now counts, not what was heard of it last.
@Suite struct LatestRowsTests {
    private let folder = NSTemporaryDirectory() + "filmgate-latest-\(UInt64.random(in: 0...UInt64.max))"
    private let ledger = RecordingLedger(), content = ContentKey(rawValue: "a")
    private var latest: LatestRows { LatestRows(ledger: ledger, reservations: NameReservations()) }
    private let gallery = PlannedTarget(
        name: "gallery", target: AcceptingTarget(traits: TargetTraits(identity: "gallery")), workers: nil)

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    /// Of the three bytes of every file here.
    private static let sha256 = "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"

    private func write(_ name: String) throws -> String {
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        return "\(folder)/\(name)"
    }

    private func note(_ target: String, _ receipt: Receipt) async throws {
        try await ledger.record([
            .delivery(
                DeliveryRow(
                    content: content, target: target, targetName: target, receipt: receipt, size: 3, path: "a.jpg"))
        ])
    }

    private func asset(root: String = "/nowhere") throws -> Asset {
        let facts = try FileFacts.of("\(root)/a.jpg")
        let origin = Origin(
            source: "folder", volume: "v", root: root, path: "a.jpg", size: 3, modified: facts?.modified ?? 0)
        return Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "a"))
    }

    private func deliveries(_ asset: Asset) -> AssetDeliveries {
        AssetDeliveries(
            asset: asset, content: content, wanted: [gallery],
            bytes: LocalFile(path: "", size: 3, ownership: .delivered), shot: ShotFacts(), budget: 0)
    }

    private func delivery(of asset: Asset, from path: String, to target: PlannedTarget? = nil) -> Delivery {
        let job = UploadJob(
            asset: asset, file: LocalFile(path: path, size: 3, ownership: .delivered),
            digests: Digests(sha256: Self.sha256),
            path: "a.jpg", name: "a.jpg", values: TemplateValues())
        let target = target ?? gallery
        return Delivery(
            id: Delivery.ID(content: content, target: target.identity), job: job, target: target,
            listeners: [asset.id])
    }

    /// A frame waited for its pick while another job sent it where it had been refused before.
    @Test func whatAnotherJobSentKeepsNobodyFromItsEnd() async throws {
        var waiting = deliveries(try asset())
        waiting.receipts = ["gallery": Receipt(state: .done), "web": Receipt(state: .failed, reason: "refused")]
        try await note("web", Receipt(state: .done))
        #expect(waiting.isUnfinished)
        #expect(await latest.refreshed(waiting).ending == .delivered)
        // What the ledger keeps of earlier, and nobody could confirm now, is no delivery of this run.
        waiting.kept = ["web": Receipt(state: .done)]
        #expect(await latest.refreshed(waiting).ending == .setAside)
    }

    @Test func whatWasTakenBackHoldsNothingUp() async throws {
        var waiting = deliveries(try asset())
        waiting.receipts = ["gallery": Receipt(state: .done), "disk": Receipt(state: .held, reason: "full")]
        try await note("disk", Receipt(state: .excluded, at: 9, reason: DeliveryRow.cancelledReason))
        #expect(await latest.refreshed(waiting).ending == .delivered)
    }

    /// The disk of the first copy was pulled: the second one is whole.
    @Test func anotherCopyIsSentWhereTheFirstIsGone() async throws {
        let other = try write("other.jpg"), gone = delivery(of: try asset(), from: "\(folder)/gone.jpg")
        try await note("archive", Receipt(state: .done, path: other))
        let found = try #require(await latest.substitute(for: gone)).job
        #expect(found.file == LocalFile(path: other, size: 3, ownership: .delivered) && !found.mayTake)
        let there = delivery(of: try asset(), from: try write("there.jpg"))
        #expect(await latest.substitute(for: there) == nil)
        // Somebody worked on it.
        try Data([3, 2, 1]).write(to: URL(fileURLWithPath: other))
        #expect(await latest.substitute(for: gone) == nil)
    }

    /// Bytes that were made for one target are no copy; and a folder that took the file itself may have it.
    @Test func whatIsNoCopyOrMayBeTheDeliveryIsNotSent() async throws {
        let made = try write("made.jpg")
        try await note("archive", Receipt(state: .done, path: made, sha256: "of something else"))
        let disk = PlannedTarget(
            name: "disk", target: AcceptingTarget(traits: TargetTraits(identity: "disk", localRoot: folder)),
            workers: nil)
        var gone = delivery(of: try asset(), from: "\(folder)/gone.jpg", to: disk)
        #expect(await latest.substitute(for: gone) == nil)
        try await note("archive", Receipt(state: .done, path: made))
        (gone.mayHaveArrived, gone.job.mayTake) = (true, true)
        #expect(await latest.substitute(for: gone) == nil)
    }

    /// A run that has ended gave the staged file its whole name after a job had looked it up.
    @Test func aStagedFileIsSentUnderTheNameThatItHasByNow() async throws {
        let whole = try write("s-1"), gone = delivery(of: try asset(), from: whole + ".part")
        var row = DeliveryRow(
            content: content, target: "web", targetName: "web", receipt: Receipt(state: .pending), size: 3, path: "")
        (row.file, row.staged) = (whole + ".part", true)
        try await ledger.record([.delivery(row)])
        #expect(await latest.substitute(for: gone)?.job.file.path == whole)
        #expect(row.stagedBytes == nil && row.found(in: []).stagedBytes?.path == whole)
        #expect(row.names(staged: whole) && !row.names(staged: "\(folder)/s-2"))
    }

    /// What a folder has need not wait in staging; a copy that somebody worked on is none.
    @Test func aWholeCopyInAFolderTakesThePlaceOfStagedBytes() async throws {
        let copy = try write("copy.jpg"), staged = try write("s-1.part")
        let disk = PlannedTarget(
            name: "disk", target: AcceptingTarget(traits: TargetTraits(identity: "disk", localRoot: folder)),
            workers: nil)
        var read = try asset()
        read.digests = Digests(sha256: Self.sha256)
        let bytes = LocalFile(path: staged, size: 3, ownership: .staged)
        var waiting = AssetDeliveries(
            asset: read, content: content, wanted: [gallery, disk], bytes: bytes, shot: ShotFacts(), budget: 3)
        waiting.receipts = ["disk": Receipt(state: .done, path: copy)]
        let found = try #require(await latest.copy(of: waiting))
        var deliveries = [delivery(of: read, from: staged)]
        deliveries[0].job.mayTake = true
        let freed = waiting.read(found, for: &deliveries)
        #expect(freed == 3 && waiting.budget == 0 && waiting.bytes.path == copy)
        #expect(deliveries[0].job.file.path == copy && !deliveries[0].job.mayTake)
        #expect(!FileManager.default.fileExists(atPath: staged))
        try Data([3, 2, 1]).write(to: URL(fileURLWithPath: copy))
        #expect(await latest.copy(of: waiting) == nil)
    }

    @Test func theSourceIsReadWhereNoCopyIsLeft() async throws {
        let source = try write("a.jpg"), gone = delivery(of: try asset(root: folder), from: "\(folder)/gone.jpg")
        #expect(await latest.substitute(for: gone)?.job.file.path == source)
        // It is another file by now.
        try Data([1, 2, 3, 4]).write(to: URL(fileURLWithPath: source))
        #expect(await latest.substitute(for: gone) == nil)
    }

    /// The bytes that the ledger names are whoever's that ended the delivery, or has another one of them.
    @Test func whatHasEndedLeavesItsBytesToWhoeverEndedIt() async throws {
        let asset = try asset(), late = delivery(of: asset, from: "/spool/a.jpg")
        var waiting = deliveries(asset)
        (waiting.isRecorded, waiting.bytes.ownership) = (true, .staged)
        await latest.adopt([late], into: &waiting)
        #expect(waiting.receipts.isEmpty && waiting.bytes.ownership == .staged)
        try await note("gallery", Receipt(state: .done, id: "1"))
        await latest.adopt([late], into: &waiting)
        #expect(waiting.receipts["gallery"]?.id == "1" && waiting.bytes.ownership == .delivered)
    }

    @Test func anEndIsOneOnlySinceItWasPlanned() throws {
        var one = delivery(of: try asset(), from: "")
        func row(_ state: Receipt.State, at: Int64 = 9) -> DeliveryRow {
            DeliveryRow(
                content: content, target: "gallery", targetName: "gallery", receipt: Receipt(state: state, at: at),
                size: 3, path: "")
        }
        #expect(one.isEnded(by: row(.done)) && !one.isEnded(by: row(.excluded)) && !one.isEnded(by: row(.failed)))
        one.known = .failed
        #expect(one.isEnded(by: row(.excluded)))
        // Taken back for its event, and then ordered anew without one.
        (one.since, one.replaces) = (9, "gallery without an event")
        #expect(!one.isEnded(by: row(.excluded)) && one.isEnded(by: row(.excluded, at: 10)))
        (one.known, one.replaces) = (.excluded, nil)
        #expect(!one.isEnded(by: row(.excluded)) && one.isEnded(by: row(.excluded, at: 10)))
        one.recheck = row(.done)
        #expect(!one.isEnded(by: row(.done)) && one.isEnded(by: row(.done, at: 10)))
    }
}
