import FilmgateCore
import FilmgateLedger
import Foundation
import Testing

@testable import FilmgateEngine

/// Orders that are taken back while a run goes on.
@Suite struct CancellationTests {
    private static let content = ContentKey(sha256: String(repeating: "a", count: 64))
    private static let target = "http:https://gallery.example"

    private func row(_ state: Receipt.State) -> DeliveryRow {
        DeliveryRow(
            content: Self.content, target: Self.target, targetName: "gallery", receipt: Receipt(state: state, at: 5),
            size: 10, path: "A.JPG")
    }

    /// A ledger in which one file waits.
    private func waiting() async throws -> SQLiteLedger {
        let origin = Origin(source: "card", volume: "v", root: "/none", path: "A.JPG", size: 10, modified: 1)
        var asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"), at: 1)
        (asset.content, asset.wanted, asset.ending) = (Self.content, [Self.target], .pending)
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(asset), .delivery(row(.pending))])
        return ledger
    }

    private func delivery(_ ledger: SQLiteLedger) async throws -> DeliveryRow {
        try #require(try await ledger.deliveries(of: Self.content).first)
    }

    /// The queue moves on while the orders before it are taken back.
    @Test func whatWasDeliveredMeanwhileStaysDelivered() async throws {
        let ledger = try await waiting(), cancellation = Cancellation(ledger)
        let orders = try await cancellation.orders()
        try await ledger.record([.delivery(row(.done))])
        var outcomes: [Cancellation.Outcome] = []
        try await cancellation.carryOut(orders, .takenBack, ledger, DeliveryLeases()) { outcomes.append($1) }
        #expect(outcomes == [.underWay])
        #expect(try await delivery(ledger).receipt.state == .done)
    }

    /// The run would write what waits in it once more when it ends.
    @Test func aPlaceThatIsGoneIsRetiredInTheRunThatWaitsForIt() async throws {
        let ledger = try await waiting(), leases = DeliveryLeases(), number = leases.join()
        let id = Delivery.ID(content: Self.content, target: Self.target), ended = EndedDeliveries()
        leases.introduce(
            number,
            DeliveryLeases.Holder(tryNow: { _, _, _ in }, cede: { _, _, _ in }, cancel: { id in await ended.note(id) }))
        #expect(leases.take([id], of: id.content, by: number, since: nil)?[id] == .ours)
        var outcomes: [Cancellation.Outcome] = []
        let cancellation = Cancellation(ledger)
        try await cancellation.carryOut(try await cancellation.orders(gone: true), .placeGone, ledger, leases) {
            outcomes.append($1)
        }
        #expect(outcomes == [.cancelled])
        #expect(await ended.all == [id])
        let row = try await delivery(ledger)
        #expect(row.receipt.state == .excluded && row.attempts == DeliveryRow.retired)
    }

    /// What lies at the place of a copy may be another file by now: then the staged bytes are the last.
    @Test(arguments: [true, false]) func whatIsStagedGoesOnlyWhereACopyIsWhole(_ isWhole: Bool) async throws {
        let folder = NSTemporaryDirectory() + "cancel-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let staged = folder + "/staged", copy = folder + "/A.JPG"
        try Data("test".utf8).write(to: URL(fileURLWithPath: staged))
        try Data((isWhole ? "test" : "rest").utf8).write(to: URL(fileURLWithPath: copy))
        let content = ContentKey(sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        let origin = Origin(source: "card", volume: "v", root: "/none", path: "A.JPG", size: 4, modified: 1)
        var asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"), at: 1)
        (asset.content, asset.wanted, asset.ending) = (content, [Self.target, "folder:/a"], .pending)
        var waiting = row(.pending)
        (waiting.content, waiting.size, waiting.file, waiting.staged) = (content, 4, staged, true)
        let receipt = Receipt(state: .done, path: copy, sha256: content.sha256, verified: .reread, at: 5)
        let done = DeliveryRow(
            content: content, target: "folder:/a", targetName: "a", receipt: receipt, size: 4, path: "A.JPG")
        let ledger = try SQLiteLedger.inMemory(), cancellation = Cancellation(ledger)
        try await ledger.record([.asset(asset), .delivery(waiting), .delivery(done)])
        var outcomes: [Cancellation.Outcome] = []
        try await cancellation.carryOut(try await cancellation.orders(), .takenBack, ledger, DeliveryLeases()) {
            outcomes.append($1)
        }
        #expect(outcomes == [isWhole ? .cancelled : .kept(staged)])
        #expect(FileManager.default.fileExists(atPath: staged) == !isWhole)
    }

    private actor EndedDeliveries {
        var all: [Delivery.ID] = []
        func note(_ id: Delivery.ID) -> Bool {
            all.append(id)
            return true
        }
    }
}
