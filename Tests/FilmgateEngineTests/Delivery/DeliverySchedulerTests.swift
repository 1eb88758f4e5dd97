import FileKit
import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// What the ledger knows when something is sent, and what a ledger that cannot be written costs.
@Suite struct DeliverySchedulerTests {
    /// A gallery that notes what was sent to it before the ledger knew.
    private struct Gallery: UploadTarget {
        let ledger: RecordingLedger, early: Log
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

    /// A file of one byte, and a scheduler with a gallery that takes it under many names.
    private struct Bench {
        let file =
            FileManager.default.temporaryDirectory.path
            + "/filmgate-dispatcher-\(UInt64.random(in: 0...UInt64.max)).part"
        let ledger: RecordingLedger, early = Log(), statistics = RunStatistics(hub: EventHub())
        let target: PlannedTarget, scheduler: DeliveryScheduler

        init(refusing: String? = nil, sendingTo other: (any UploadTarget)? = nil) {
            ledger = RecordingLedger(refusing: refusing)
            target = PlannedTarget(
                name: "gallery", target: other ?? Gallery(ledger: ledger, early: early), workers: nil)
            scheduler = DeliveryScheduler(
                DeliverySchedulerSetup(
                    targets: [target], ledger: ledger, hub: EventHub(), statistics: statistics,
                    reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20),
                    run: 1, event: nil, backoff: Backoff(first: .milliseconds(1), cap: .milliseconds(2))))
            _ = FileManager.default.createFile(atPath: file, contents: Data([7]))
        }

        /// `again`: delivered before, and to be checked.
        func send(
            _ names: [String], staged: Bool = false, again: Bool = false, wait: Duration = .seconds(600)
        ) async {
            for name in names {
                let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
                let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
                let bytes = LocalFile(path: file, size: 1, ownership: staged ? .staged : .source)
                let content = ContentKey(rawValue: name)
                let job = UploadJob(
                    asset: asset, file: bytes, digests: Digests(sha256: name), path: name, name: name,
                    values: TemplateValues())
                var delivery = Delivery(
                    id: Delivery.ID(content: content, target: target.identity), job: job, target: target,
                    listeners: [asset.id])
                if again {
                    delivery.recheck = DeliveryRow(
                        content: content, target: target.identity, targetName: target.name,
                        receipt: Receipt(state: .done, id: "old", verified: .server), size: 1, path: name)
                }
                let assetDeliveries = AssetDeliveries(
                    asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0)
                await scheduler.submit(assetDeliveries, deliveries: [delivery])
            }
            await scheduler.drain(wait: wait)
            await scheduler.closeOut()
            try? FileManager.default.removeItem(atPath: file)
        }
    }

    /// A gallery that has what it was sent, and whose first answer to each file says something else.
    private struct Fickle: UploadTarget {
        let first: IngestError, finds: Bool, sent = Log()
        var traits: TargetTraits { TargetTraits(identity: "gallery") }
        func check() async throws(IngestError) {}
        func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
            finds && sent.all.contains(job.name)
                ? Receipt(state: .done, id: job.name, verified: .server, existed: true) : nil
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            let isAgain = sent.all.contains(job.name)
            sent.add(job.name)
            guard isAgain else { throw first }
            return Receipt(state: .done, id: job.name, existed: true)
        }
    }

    /// A gallery that never answers.
    private struct Away: UploadTarget {
        var traits: TargetTraits { TargetTraits(identity: "gallery") }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { throw IngestError(.network, "No answer.") }
        func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
            throw IngestError(.network, "No answer.")
        }
    }

    /// A gallery that has nothing any more, and takes nothing.
    private struct Emptied: UploadTarget {
        var traits: TargetTraits { TargetTraits(identity: "gallery") }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { throw IngestError(.network, "No answer.") }
        func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
            .missing
        }
    }

    /// A gallery that needs a while until it knows what it has of the first file.
    private final class Slow: UploadTarget {
        let order = Mutex<[String]>([])
        private let asked = Mutex(0)
        var traits: TargetTraits { TargetTraits(identity: "gallery") }
        func check() async throws(IngestError) {}
        func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
            guard job.name == "IMG_1.JPG" else { return nil }
            if asked.withLock({ asked in
                asked += 1
                return asked < 3
            }) {
                throw IngestError(.unavailable, "Wait.", cause: AnswerOutstanding(again: .milliseconds(20)))
            }
            order.withLock { $0.append("found") }
            return Receipt(state: .done, url: "http://a/1", verified: .server)
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            order.withLock { $0.append(job.name) }
            return Receipt(state: .done)
        }
    }

    /// What may be there is asked for again while the others are sent.
    @Test func whatATargetHasNotAnsweredYetWaitsBesideTheOthers() async {
        let target = Slow(), bench = Bench(sendingTo: target)
        await bench.send(["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"], wait: .seconds(20))
        let order = target.order.withLock(\.self)
        #expect(order.last == "found" && Set(order) == ["found", "IMG_2.JPG", "IMG_3.JPG"], "\(order)")
        #expect(["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"].allSatisfy { bench.ledger.state($0) == .done })
    }

    /// Its receipt is all that keeps a later run from sending it a second time; the run that was to look at it says
    /// that it waits.
    @Test func aCopyThatCannotBeAskedAboutKeepsItsReceipt() async {
        let bench = Bench(sendingTo: Away())
        await bench.send(["IMG_1.JPG"], staged: true, again: true, wait: .milliseconds(1))
        #expect(bench.ledger.state("IMG_1.JPG") == nil, "the row of its delivery is written over")
        #expect(bench.statistics.outcome(seconds: 0, signal: nil).summary[.pending] == 1)
    }

    /// From the target's own word on it waits to be sent, in the ledger, too.
    @Test func aCopyThatIsGoneThereWaitsToBeSentAgain() async {
        let bench = Bench(sendingTo: Emptied())
        await bench.send(["IMG_1.JPG"], again: true, wait: .milliseconds(1))
        #expect(bench.ledger.state("IMG_1.JPG") == .pending)
        #expect(bench.statistics.outcome(seconds: 0, signal: nil).summary[.pending] == 1)
    }

    /// The last try's row is written before the run is closed, or `retry` would look for the bytes under the name that
    /// they had before.
    @Test func whatWaitsStandsInTheLedgerByTheNameThatItsBytesHave() async throws {
        for _ in 0..<20 {
            let bench = Bench(sendingTo: Away())
            await bench.send(["IMG_1.JPG"], staged: true, wait: .milliseconds(1))
            // What was under way then has been written by now.
            try await Task.sleep(for: .milliseconds(20))
            let file = try #require(bench.ledger.file("IMG_1.JPG"))
            #expect(!file.hasSuffix(".part") && FileManager.default.fileExists(atPath: file))
            try? FileManager.default.removeItem(atPath: file)
        }
    }

    private let names = (0..<300).map { "IMG_\($0).JPG" }

    @Test func nothingIsSentBeforeTheLedgerKnowsOfIt() async {
        let bench = Bench()
        await bench.send(names)
        #expect(bench.early.all == [])
        #expect(bench.ledger.states.count(where: { $0 == .done }) == names.count)
        #expect(bench.statistics.outcome(seconds: 0, signal: nil).summary[.delivered] == names.count)
    }

    @Test func whatCannotBeWrittenTakesNothingElseWithIt() async {
        let bench = Bench(refusing: names[150])
        await bench.send(names)
        #expect(bench.early.all == [])
        #expect(names.filter { bench.ledger.state($0) == nil } == [names[150]])
    }

    /// It called what it got by a wrong digest, or gave no answer: what it has afterwards came from us and is nobody's
    /// duplicate.
    @Test(arguments: [IngestError.Code.corruptData, .network], [true, false])
    func whatIsThereAfterATryOfOursIsOurDelivery(_ code: IngestError.Code, _ finds: Bool) async {
        let gallery = Fickle(first: IngestError(code, "It says something else."), finds: finds)
        let bench = Bench(sendingTo: gallery)
        await bench.send(["IMG_1.JPG"])
        let summary = bench.statistics.outcome(seconds: 0, signal: nil).summary
        #expect(summary[.delivered] == 1 && summary[.duplicate] == 0)
        #expect(gallery.sent.all.count == (finds ? 1 : 2))
    }
}
