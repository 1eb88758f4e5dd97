import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// Marks count as they are made, however long it takes to read the originals of what they reject.
@Suite(.timeLimit(.minutes(2))) struct MarkingTests {
    private struct Gallery: UploadTarget {
        var traits: TargetTraits { TargetTraits(identity: "gallery") }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// Knows which pictures are rejected.
    private final class Marks: Ledger, LedgerStandIn {
        private let rows = RecordingLedger(), rejected = Mutex<Set<String>>([])

        func reject(_ sha256: String) { rejected.withLock { _ = $0.insert(sha256) } }
        func state(_ sha256: String) -> Receipt.State? { rows.state(ContentKey(sha256: sha256).rawValue) }
        func marks(of sha256s: [String]) async throws(IngestError) -> [String: PictureMark] {
            let rejected = rejected.withLock(\.self)
            var marks: [String: PictureMark] = [:]
            for sha256 in sha256s {
                var mark = PictureMark()
                if rejected.contains(sha256) { mark.pick = .rejected }
                marks[sha256] = mark
            }
            return marks
        }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
            try await rows.deliveries(of: content)
        }
        func record(_ changes: [LedgerChange]) async throws(IngestError) { try await rows.record(changes) }
        func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
        func sync() async throws(IngestError) {}
    }

    /// Finds every original, each not before it is told to.
    private final class Originals: Sendable {
        private struct State {
            var read: [String] = [], free: Set<String> = []
            var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]
        }
        private let state = Mutex(State())
        var read: [String] { state.withLock(\.read) }

        func find(_ assets: [Asset], _ sha256: String) async -> Set<AssetID> {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isFree = state.withLock { state in
                    state.read.append(sha256)
                    if state.free.contains(sha256) { return true }
                    state.waiting[sha256, default: []].append(continuation)
                    return false
                }
                if isFree { continuation.resume() }
            }
            return Set(assets.map(\.id))
        }

        func letGo(_ sha256: String) {
            let waiting = state.withLock { state in
                state.free.insert(sha256)
                return state.waiting.removeValue(forKey: sha256) ?? []
            }
            for one in waiting { one.resume() }
        }
    }

    private static func submit(
        _ sha256: String, _ file: String, _ target: PlannedTarget, _ scheduler: DeliveryScheduler
    )
        async
    {
        let name = "\(sha256.prefix(1)).JPG"
        let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
        let bytes = LocalFile(path: file, size: 1, ownership: .staged), content = ContentKey(sha256: sha256)
        let job = UploadJob(
            asset: asset, file: bytes, digests: Digests(sha256: sha256), path: name, name: name,
            values: TemplateValues())
        var delivery = Delivery(
            id: Delivery.ID(content: content, target: target.identity), job: job, target: target, listeners: [asset.id])
        delivery.gate = MarkGate([MarkRule(picks: .only)], sha256: sha256, camera: nil)
        await scheduler.submit(
            AssetDeliveries(
                asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0),
            deliveries: [delivery])
    }

    @Test func whatIsRejectedMeanwhileReadsNothingAnew() async throws {
        let pictures = ["a", "b", "c"].map { String(repeating: $0, count: 64) }
        let folder = FileManager.default.temporaryDirectory.path + "/filmgate-marking-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let ledger = Marks(), leases = DeliveryLeases(), originals = Originals()
        let target = PlannedTarget(name: "gallery", target: Gallery(), workers: nil)
        var setup = DeliverySchedulerSetup(
            targets: [target], ledger: ledger, hub: EventHub(), statistics: RunStatistics(hub: EventHub()),
            reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20), run: 1, event: nil, leases: leases)
        setup.findOriginals = { await originals.find($0, $1) }
        let scheduler = DeliveryScheduler(setup)
        scheduler.introduce()
        for (number, sha256) in pictures.enumerated() {
            let file = folder + "/s0000000000000000-\(number + 1).part"
            #expect(FileManager.default.createFile(atPath: file, contents: Data([7])))
            await Self.submit(sha256, file, target, scheduler)
        }
        var marking: [Task<Void, Never>] = []
        for (number, sha256) in pictures.enumerated() {
            ledger.reject(sha256)
            marking.append(Task { await leases.marked([sha256]) })
            while originals.read.count <= number { try await Task.sleep(for: .milliseconds(2)) }
        }
        originals.letGo(pictures[0])
        await marking[0].value
        // The first is over while the others are still read.
        #expect(pictures.map { ledger.state($0) == .excluded } == [true, false, false])
        for sha256 in pictures.dropFirst() { originals.letGo(sha256) }
        for task in marking { await task.value }
        #expect(pictures.map { ledger.state($0) } == [.excluded, .excluded, .excluded])
        #expect(originals.read == pictures, "each is read once")
        await scheduler.drain(wait: .seconds(600))
        await scheduler.closeOut()
    }
}
