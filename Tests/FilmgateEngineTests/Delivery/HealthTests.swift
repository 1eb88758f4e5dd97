import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// A service that says how it is: nothing is tried while it is not well, and no try is counted.
@Suite struct HealthTests {
    /// Answers by a list, then well; keeps what happened in order.
    private final class Ailing: HealthTarget {
        let traits = TargetTraits(identity: "gallery", parallel: 8)
        private let state: Mutex<(answers: [IngestError?], failures: Int, log: [String])>
        private let pause: Duration

        init(_ answers: [IngestError?], failures: Int = 0, pause: Duration = .zero) {
            state = Mutex((answers, failures, []))
            self.pause = pause
        }

        var log: [String] { state.withLock(\.log) }
        func check() async throws(IngestError) {}
        func health() async throws(IngestError) {
            if pause > .zero { try? await Task.sleep(for: pause) }
            let answer = state.withLock { state in
                state.log.append("health")
                return state.answers.isEmpty ? nil : state.answers.removeFirst()
            }
            if let answer { throw answer }
        }
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
            let fails = state.withLock { state in
                state.log.append("upload")
                defer { state.failures = max(0, state.failures - 1) }
                return state.failures > 0
            }
            if fails { throw IngestError(.unavailable, "Not now.") }
            return Receipt(state: .done, id: job.name)
        }
    }

    private static let ill = IngestError(.unavailable, "It says that it is not well.")

    /// What the ledger heard last of each file.
    ///
    /// `questions`: how many have been asked before anybody stops waiting, on a machine that is very busy, too.
    private func send(
        _ service: Ailing, count: Int, wait: Duration = .seconds(600), questions: Int = 0
    ) async -> [DeliveryRow] {
        let rows = RowLedger(), target = PlannedTarget(name: "gallery", target: service, workers: nil)
        let scheduler = DeliveryScheduler(
            DeliverySchedulerSetup(
                targets: [target], ledger: rows, hub: EventHub(), statistics: RunStatistics(hub: EventHub()),
                reservations: NameReservations(),
                budget: ByteBudget(limit: 1 << 20), run: 1, event: nil,
                backoff: Backoff(first: .milliseconds(1), cap: .milliseconds(2))))
        let file = FileManager.default.temporaryDirectory.path + "/filmgate-health-\(UInt64.random(in: 0...UInt64.max))"
        _ = FileManager.default.createFile(atPath: file, contents: Data([7]))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for number in 0..<count {
            let name = "IMG_\(number).JPG"
            let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 0)
            let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: name, stem: name))
            let bytes = LocalFile(path: file, size: 1, ownership: .source), content = ContentKey(rawValue: name)
            let job = UploadJob(
                asset: asset, file: bytes, digests: Digests(sha256: name), path: name, name: name,
                values: TemplateValues())
            let delivery = Delivery(
                id: Delivery.ID(content: content, target: target.identity), job: job, target: target,
                listeners: [asset.id])
            await scheduler.submit(
                AssetDeliveries(
                    asset: asset, content: content, wanted: [target], bytes: bytes, shot: ShotFacts(), budget: 0),
                deliveries: [delivery])
        }
        while service.log.count < questions { try? await Task.sleep(for: .milliseconds(5)) }
        await scheduler.drain(wait: wait)
        await scheduler.closeOut()
        return rows.all
    }

    @Test func nothingIsSentUntilItIsWell() async {
        let service = Ailing([Self.ill, Self.ill, Self.ill]), rows = await send(service, count: 20)
        #expect(rows.count == 20 && rows.allSatisfy { $0.receipt.state == .done })
        // Four questions and no upload before the last of them; then it is well for a while.
        #expect(Array(service.log.prefix(4)) == Array(repeating: "health", count: 4))
        #expect(service.log.count { $0 == "health" } == 4 && service.log.count { $0 == "upload" } == 20)
    }

    /// As an outage: what waits goes on waiting, the reason is known, and it counts as never tried.
    @Test func itUsesUpNoTries() async {
        let service = Ailing(Array(repeating: Self.ill, count: 10_000))
        let rows = await send(service, count: 5, wait: .milliseconds(300), questions: 2)
        #expect(!service.log.contains("upload"))
        #expect(rows.count == 5 && rows.allSatisfy { $0.receipt.state == .pending && $0.attempts <= 0 })
        #expect(rows.contains { $0.receipt.reason?.contains("not well") == true })
    }

    @Test func manyFilesAreOneQuestion() async {
        let service = Ailing([], pause: .milliseconds(20)), begun = ContinuousClock.now
        _ = await send(service, count: 50)
        // An answer is good for 15 seconds; a machine that is very busy needs more of them.
        let questions = 1 + Int((ContinuousClock.now - begun) / .seconds(15))
        #expect(service.log.first == "health" && service.log.count { $0 == "health" } <= questions)
    }

    /// Something went wrong: it is asked again before the next try.
    @Test func afterAFailureItIsAskedAgain() async {
        let service = Ailing([], failures: 1), rows = await send(service, count: 1)
        #expect(service.log == ["health", "upload", "health", "upload"])
        #expect(rows.first?.receipt.state == .done)
    }

    /// Whatever the answer was about, no file is set aside for it.
    @Test(arguments: [IngestError.Code.rejected, .notFound, .corruptData, .misconfigured, .unexpected])
    func noAnswerSetsAFileAside(_ code: IngestError.Code) async {
        let service = Ailing([IngestError(code, "Strange.")]), rows = await send(service, count: 3)
        #expect(rows.allSatisfy { $0.receipt.state == .done })
    }

    /// What a page or a refusal holds is held as ever.
    @Test func whatHoldsATargetHoldsIt() async {
        let service = Ailing(Array(repeating: IngestError(.untrusted, "A page answered."), count: 10_000))
        let rows = await send(service, count: 3, wait: .milliseconds(300))
        #expect(
            rows.allSatisfy { $0.receipt.state == .held || $0.receipt.state == .pending }
                && !service.log.contains("upload"))
    }
}

/// Keeps the last row of each delivery.
private final class RowLedger: Ledger, LedgerStandIn {
    private let rows = Mutex<[ContentKey: DeliveryRow]>([:])
    var all: [DeliveryRow] { rows.withLock { Array($0.values) } }

    func record(_ changes: [LedgerChange]) async throws(IngestError) {
        for case .delivery(let row) in changes { rows.withLock { $0[row.content] = row } }
    }
    func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
    func sync() async throws(IngestError) {}
}
