import Dispatch
import FilmgateCore
import Synchronization
import Testing

@testable import filmgate

/// A large ledger is not counted all the time, whoever watches.
@Suite struct SpacingTests {
    @Test func aLongAnswerGivesALongRest() {
        var spacing = Spacing()
        let start = ContinuousClock.now
        #expect(spacing.isDue(at: start))
        spacing.took(from: start, to: start + .seconds(1))
        #expect(!spacing.isDue(at: start + .seconds(9)))
        #expect(spacing.isDue(at: start + .seconds(10)))
        // The next question comes a second later: what is quick is asked each time.
        spacing.took(from: start, to: start + .milliseconds(20))
        #expect(spacing.isDue(at: start + .seconds(1)))
    }

    /// Counts how often it is asked, and does not answer before it is let.
    private final class SlowLedger: LedgerReader {
        let asked = Atomic(0), mayAnswer = Atomic(false)

        func totals() async throws(IngestError) -> LedgerTotals {
            asked.add(1, ordering: .relaxed)
            while !mayAnswer.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(2)) }
            return LedgerTotals(assets: [:], unfinished: 0, targets: [])
        }
        func uses(ofTargets prefix: String) async throws(IngestError) -> [TargetUse] { [] }
        func known(volume: String) async throws(IngestError) -> [KnownFile] { [] }
        func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] { [] }
        func twin(of content: ContentKey) async throws(IngestError) -> String? { nil }
        func neighbour(of picture: String, withSidecar sha256: String) async throws(IngestError) -> String? { nil }
        func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey? { nil }
        func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? { nil }
        func counter(at target: String, event: String?) async throws(IngestError) -> Int { 0 }
        func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] { [] }
        func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow] { [] }
        func assets(sha256: String) async throws(IngestError) -> [AssetRow] { [] }
        func runs(limit: Int) async throws(IngestError) -> [RunRow] { [] }
        func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow] { [] }
        func notes(of asset: AssetID?, limit: Int) async throws(IngestError) -> [NoteRow] { [] }
    }

    /// A scraper that gives up and comes again leaves one question behind, not one each.
    @Test func manyScrapesAskOnce() async {
        let ledger = SlowLedger(), metrics = Metrics(ledger, patience: .milliseconds(20))
        for _ in 0..<5 { _ = metrics.text }
        // The question is asked beside the scrapes.
        while ledger.asked.load(ordering: .relaxed) == 0 { await Task.yield() }
        for _ in 0..<5 { _ = metrics.text }
        #expect(ledger.asked.load(ordering: .relaxed) == 1)
        ledger.mayAnswer.store(true, ordering: .releasing)
    }
}
