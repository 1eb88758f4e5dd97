import FileKit
import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// What the ledger knows when something is sent, and what a ledger that cannot be written costs.
@Suite struct DispatcherTests {
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
