import Dispatch
import FilmgateCore
import FilmgateTesting
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
    private final class SlowLedger: LedgerStandIn {
        let asked = Atomic(0), mayAnswer = Atomic(false)

        func totals() async throws(IngestError) -> LedgerTotals {
            asked.add(1, ordering: .relaxed)
            while !mayAnswer.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(2)) }
            return LedgerTotals(assets: [:], unfinished: 0, targets: [])
        }
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
