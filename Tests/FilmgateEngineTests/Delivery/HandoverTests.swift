import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// A job is given what a run holds, while that run ends and its ledger takes its time.
@Suite(.timeLimit(.minutes(1))) struct HandoverTests {
    /// Takes the staged file itself, as a folder on its disk does; copies nothing.
    private struct Folder: UploadTarget {
        let root: String, event: String?
        var traits: TargetTraits {
            TargetTraits(identity: "folder" + (event.map { ":" + $0 } ?? ""), localRoot: root)
        }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            let path = root + "/" + job.name
            guard job.mayTake else { throw IngestError(.rejected, "It is somebody else's file.") }
            do { try FileManager.default.moveItem(atPath: job.file.path, toPath: path) } catch {
                throw IngestError(.rejected, "There is no such file.")
            }
            return Receipt(state: .done, path: path)
        }
    }

    /// Writes nothing while it is stopped.
    private final class SlowLedger: Ledger, LedgerStandIn {
        private let rows = RecordingLedger(), isStopped = Mutex(false)
        let asked = CancelToken(), never = CancelToken(), gate = CancelToken()

        func stop() { isStopped.withLock { $0 = true } }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
            try await rows.deliveries(of: content)
        }
        func record(_ changes: [LedgerChange]) async throws(IngestError) {
            if isStopped.withLock(\.self) {
                asked.set()
                await gate.wait(or: never)
            }
            try await rows.record(changes)
        }
        func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
        func sync() async throws(IngestError) {}
    }

    private let place = FileManager.default.temporaryDirectory.path + "/filmgate-handover-\(UUID().uuidString)"
    private let ledger = SlowLedger(), leases = DeliveryLeases()
    private var part: String { place + "/staging/s0000000000000000-1.part" }
    private var root: String { place + "/archive" }

    init() throws {
        for folder in ["staging", "archive"] {
            try FileManager.default.createDirectory(atPath: "\(place)/\(folder)", withIntermediateDirectories: true)
        }
        try Data([7]).write(to: URL(fileURLWithPath: part))
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(place)/\(folder)").sorted()
    }

    private func target(_ event: String?) -> PlannedTarget {
        PlannedTarget(name: "archive", target: Folder(root: root, event: event), workers: nil, event: event)
    }

    private func scheduler(_ target: PlannedTarget, _ event: String) -> DeliveryScheduler {
        let setup = DeliverySchedulerSetup(
            targets: [target], ledger: ledger, hub: EventHub(), statistics: RunStatistics(hub: EventHub()),
            reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20), run: 1, event: event, leases: leases)
        let made = DeliveryScheduler(setup)
        made.introduce()
        return made
    }

    /// The frame, as both found it: the run when it was read, the job in the ledger.
    private func submit(
        to scheduler: DeliveryScheduler, _ target: PlannedTarget, inherits: Delivery.ID? = nil
    ) async {
        let name = "a.jpg", content = ContentKey(rawValue: name)
        let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
        let bytes = LocalFile(path: part, size: 1, ownership: .staged)
        let job = UploadJob(
            asset: asset, file: bytes, digests: Digests(sha256: name), path: name, name: name,
            values: TemplateValues(), mayTake: true)
        var delivery = Delivery(
            id: Delivery.ID(content: content, target: target.identity), job: job, target: target, listeners: [asset.id])
        delivery.inherits = inherits
        var assetDeliveries = AssetDeliveries(
            asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0)
        assetDeliveries.isRecorded = inherits != nil
        await scheduler.submit(assetDeliveries, deliveries: [delivery])
    }

    /// The staged bytes are the job's, under the whole name that the run has given them meanwhile.
    @Test func whatARunThatEndsGivesAwayLeavesNoStagedBytes() async throws {
        let held = target(nil), given = target("bob")
        let run = scheduler(held, DeliveryRow.unassigned), job = scheduler(given, "bob")
        await submit(to: run, held)
        await run.drain(wait: .seconds(600))
        ledger.stop()
        let end = Task { await run.closeOut() }
        await ledger.asked.wait(or: ledger.never)
        #expect(try files("staging") == ["s0000000000000000-1"])
        let old = Delivery.ID(content: ContentKey(rawValue: "a.jpg"), target: held.identity)
        let order = Task { await submit(to: job, given, inherits: old) }
        // Time enough for a job that does not wait.
        try await Task.sleep(for: .milliseconds(50))
        ledger.gate.set()
        await end.value
        await order.value
        await job.drain(wait: .seconds(600))
        await job.closeOut()
        #expect(try files("archive") == ["a.jpg"])
        #expect(try files("staging") == [])
        try FileManager.default.removeItem(atPath: place)
    }
}
