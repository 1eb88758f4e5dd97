import FileKit
import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// What the ledger knows when something is sent, and what a ledger that cannot be written costs.
@Suite struct DispatcherTests {
    /// Keeps the last state of each delivery; `refusing` names a content that cannot be written.
    private final class Notebook: Ledger {
        private let rows = Mutex<[String: Receipt.State]>([:])
        private let refusing: String?
        init(refusing: String? = nil) { self.refusing = refusing }

        func state(_ content: String) -> Receipt.State? { rows.withLock { $0[content] } }
        var states: [Receipt.State] { rows.withLock { Array($0.values) } }

        func record(_ changes: [LedgerChange]) async throws(IngestError) {
            var written: [(String, Receipt.State)] = []
            for case .delivery(let row) in changes {
                if row.content.rawValue == refusing { throw IngestError(.unexpected, "It cannot be written.") }
                written.append((row.content.rawValue, row.receipt.state))
            }
            await Task.yield()
            rows.withLock { rows in for (content, state) in written { rows[content] = state } }
        }
        func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
        func sync() async throws(IngestError) {}
        func known(volume: String) async throws(IngestError) -> [KnownFile] { [] }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] { [] }
        func twin(of content: ContentKey) async throws(IngestError) -> String? { nil }
        func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey? { nil }
        func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? { nil }
        func counter(at target: String, event: String?) async throws(IngestError) -> Int { 0 }
        func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] { [] }
        func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow] { [] }
        func assets(sha256: String) async throws(IngestError) -> [AssetRow] { [] }
        func runs(limit: Int) async throws(IngestError) -> [RunRow] { [] }
        func totals() async throws(IngestError) -> LedgerTotals { LedgerTotals(assets: [:], unfinished: 0, targets: []) }
        func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow] { [] }
    }

    /// A gallery that notes what was sent to it before the ledger knew.
    private struct Gallery: UploadTarget {
        let ledger: Notebook, early: Log
        var traits: TargetTraits { TargetTraits(identity: "gallery", parallel: 8) }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            if ledger.state(job.name) != .pending { early.add(job.name) }
            return Receipt(state: .done, id: job.name)
        }
    }

    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock(\.self) }
    }

    /// A file of one byte, and a dispatcher with a gallery that takes it under many names.
    private struct Bench {
        let file = FileManager.default.temporaryDirectory.path + "/filmgate-dispatcher-\(UInt64.random(in: 0...UInt64.max))"
        let ledger: Notebook, early = Log(), tally = Tally(hub: EventHub())
        let target: PlannedTarget, dispatcher: Dispatcher

        init(refusing: String? = nil) {
            ledger = Notebook(refusing: refusing)
            target = PlannedTarget(name: "gallery", target: Gallery(ledger: ledger, early: early), workers: nil)
            dispatcher = Dispatcher(
                DispatcherSetup(
                    targets: [target], ledger: ledger, hub: EventHub(), tally: tally, book: NameBook(), budget: ByteBudget(limit: 1 << 20),
                    run: 1, event: nil))
            _ = FileManager.default.createFile(atPath: file, contents: Data([7]))
        }

        func send(_ names: [String]) async {
            for name in names {
                let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
                let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
                let bytes = LocalFile(path: file, size: 1, ownership: .source), content = ContentKey(rawValue: name)
                let job = UploadJob(
                    asset: asset, file: bytes, digests: Digests(sha256: name), path: name, name: name, values: TemplateValues())
                let parcel = Parcel(
                    id: Parcel.ID(content: content, target: target.identity), job: job, target: target, listeners: [asset.id])
                let consignment = Consignment(
                    asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0)
                await dispatcher.submit(consignment, parcels: [parcel])
            }
            await dispatcher.drain(wait: .seconds(60))
            await dispatcher.closeOut()
            try? FileManager.default.removeItem(atPath: file)
        }
    }

    private let names = (0..<300).map { "IMG_\($0).JPG" }

    @Test func nothingIsSentBeforeTheLedgerKnowsOfIt() async {
        let bench = Bench()
        await bench.send(names)
        #expect(bench.early.all == [])
        #expect(bench.ledger.states.count(where: { $0 == .done }) == names.count)
        #expect(bench.tally.outcome(seconds: 0, signal: nil).summary[.delivered] == names.count)
    }

    @Test func whatCannotBeWrittenTakesNothingElseWithIt() async {
        let bench = Bench(refusing: names[150])
        await bench.send(names)
        #expect(bench.early.all == [])
        #expect(names.filter { bench.ledger.state($0) == nil } == [names[150]])
    }
}
