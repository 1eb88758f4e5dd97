import FileKit
import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// Two schedulers of one process, as a run and a job that was handed to it.
@Suite struct LeaseTests {
    /// Waits with each upload until it is let go; what came is counted.
    private final class Gallery: UploadTarget {
        private let sent = Mutex<[String]>([])
        private let gate = CancelToken()
        var traits: TargetTraits { TargetTraits(identity: "gallery", parallel: 4) }
        var uploads: [String] { sent.withLock(\.self) }

        func check() async throws(IngestError) {}
        func open() { gate.set() }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            sent.withLock { $0.append(job.name) }
            while !gate.isSet { try? await Task.sleep(for: .milliseconds(2)) }
            return Receipt(state: .done, id: job.name)
        }
    }

    private struct Bench {
        let leases = DeliveryLeases(), gallery = Gallery(), ledger = RecordingLedger()
        let file = FileManager.default.temporaryDirectory.path + "/filmgate-leases-\(UInt64.random(in: 0...UInt64.max))"
        var target: PlannedTarget { PlannedTarget(name: "gallery", target: gallery, workers: nil) }

        func scheduler() -> (scheduler: DeliveryScheduler, statistics: RunStatistics) {
            _ = FileManager.default.createFile(atPath: file, contents: Data([7]))
            let statistics = RunStatistics(hub: EventHub())
            let setup = DeliverySchedulerSetup(
                targets: [target], ledger: ledger, hub: EventHub(), statistics: statistics,
                reservations: NameReservations(), budget: ByteBudget(limit: 1 << 20),
                run: 1, event: nil, leases: leases)
            let made = DeliveryScheduler(setup)
            made.introduce()
            return (made, statistics)
        }

        func waitUntilDone(_ name: String) async {
            while ledger.state(name) != .done || leases.isTaken(ContentKey(rawValue: name)) {
                try? await Task.sleep(for: .milliseconds(2))
            }
        }

        func submit(_ name: String, to scheduler: DeliveryScheduler, isRecorded: Bool, known: Receipt.State = .pending)
            async
        {
            let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
            let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
            let bytes = LocalFile(path: file, size: 1, ownership: .source), content = ContentKey(rawValue: name)
            let job = UploadJob(
                asset: asset, file: bytes, digests: Digests(sha256: name), path: name, name: name,
                values: TemplateValues())
            let id = Delivery.ID(content: content, target: target.identity)
            var assetDeliveries = AssetDeliveries(
                asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0)
            assetDeliveries.isRecorded = isRecorded
            var delivery = Delivery(id: id, job: job, target: target, listeners: [asset.id])
            if isRecorded { (delivery.since, delivery.known) = (4, known) }
            await scheduler.submit(assetDeliveries, deliveries: [delivery])
        }

        func end(_ one: (scheduler: DeliveryScheduler, statistics: RunStatistics), wait: Duration = .seconds(600)) async
            -> RunSummary
        {
            await one.scheduler.drain(wait: wait)
            await one.scheduler.closeOut()
            return one.statistics.outcome(seconds: 0, signal: nil).summary
        }
    }

    @Test(arguments: [true, false]) func whatOneSendsTheOtherWaitsFor(_ isRecorded: Bool) async {
        let bench = Bench(), run = bench.scheduler(), job = bench.scheduler()
        await bench.submit("a.jpg", to: run.scheduler, isRecorded: false)
        await bench.submit("a.jpg", to: job.scheduler, isRecorded: isRecorded)
        bench.gallery.open()
        let (first, second) = (await bench.end(run), await bench.end(job))
        #expect(bench.gallery.uploads == ["a.jpg"])
        #expect(first[.delivered] == 1)
        #expect(second[isRecorded ? .delivered : .duplicate] == 1)
    }

    /// The job had looked into the ledger before the run's delivery was final.
    @Test func anOldAnswerOfTheLedgerSendsNothingTwice() async {
        let bench = Bench(), run = bench.scheduler(), job = bench.scheduler()
        bench.gallery.open()
        await bench.submit("a.jpg", to: run.scheduler, isRecorded: false)
        await run.scheduler.drain(wait: .seconds(600))
        await bench.submit("a.jpg", to: job.scheduler, isRecorded: true)
        #expect(await bench.end(job)[.delivered] == 1)
        #expect(await bench.end(run)[.delivered] == 1)
        #expect(bench.gallery.uploads == ["a.jpg"])
    }

    /// The job had read the whole queue before the run's delivery was final, and became one that the run knows of after.
    @Test func whatEndedBeforeTheJobBeganIsNotSentAgain() async {
        let bench = Bench(), run = bench.scheduler()
        bench.gallery.open()
        await bench.submit("a.jpg", to: run.scheduler, isRecorded: false)
        await bench.waitUntilDone("a.jpg")
        let job = bench.scheduler()
        await bench.submit("a.jpg", to: job.scheduler, isRecorded: true)
        #expect(await bench.end(job)[.delivered] == 1)
        #expect(await bench.end(run)[.delivered] == 1)
        #expect(bench.gallery.uploads == ["a.jpg"])
    }

    /// A mark lets deliveries go, and the run looks among what waited for it by a look at the ledger from before.
    @Test(arguments: [true, false]) func theRunSendsNothingTwiceByAnOldAnswer(_ isRecorded: Bool) async {
        let bench = Bench(), run = bench.scheduler()
        bench.gallery.open()
        await bench.submit("a.jpg", to: run.scheduler, isRecorded: false)
        await bench.waitUntilDone("a.jpg")
        await bench.submit("a.jpg", to: run.scheduler, isRecorded: isRecorded)
        _ = await bench.end(run)
        #expect(bench.gallery.uploads == ["a.jpg"])
    }

    /// Somebody takes a delivery back after a job has looked up what waits.
    @Test(arguments: [(known: Receipt.State.failed, isSent: false), (.excluded, true)])
    func whatWasTakenBackMeanwhileIsNotSent(_ case: (known: Receipt.State, isSent: Bool)) async throws {
        let bench = Bench(), job = bench.scheduler()
        bench.gallery.open()
        let receipt = Receipt(state: .excluded, at: 4, reason: DeliveryRow.cancelledReason)
        try await bench.ledger.record([
            .delivery(
                DeliveryRow(
                    content: ContentKey(rawValue: "a.jpg"), target: "gallery", targetName: "gallery", receipt: receipt,
                    size: 1, path: "a.jpg"))
        ])
        await bench.submit("a.jpg", to: job.scheduler, isRecorded: true, known: `case`.known)
        #expect(await bench.end(job)[.delivered] == (`case`.isSent ? 1 : 0))
        #expect(bench.gallery.uploads == (`case`.isSent ? ["a.jpg"] : []))
    }

    @Test func onlyTheLatestEndsAreRemembered() {
        func content(_ number: Int) -> ContentKey { ContentKey(rawValue: "\(number)") }
        var endings = RecentEndings()
        for number in 0..<(5 * RecentEndings.most) {
            endings.note(content(number))
            if number >= RecentEndings.most { #expect(endings[content(number - RecentEndings.most + 1)] != nil) }
        }
        #expect(endings.count <= 2 * RecentEndings.most && endings[content(0)] == nil)
    }

    @Test func whatTheOtherGivesUpStaysPending() async {
        let bench = Bench(), run = bench.scheduler(), job = bench.scheduler()
        await bench.submit("a.jpg", to: run.scheduler, isRecorded: false)
        await bench.submit("a.jpg", to: job.scheduler, isRecorded: true)
        #expect(await bench.end(job, wait: .milliseconds(100))[.pending] == 1)
        bench.gallery.open()
        #expect(await bench.end(run)[.delivered] == 1)
        #expect(bench.ledger.state("a.jpg") == .done)
        // Nobody has it any more.
        #expect(!bench.leases.isTaken(ContentKey(rawValue: "a.jpg")))
    }
}
