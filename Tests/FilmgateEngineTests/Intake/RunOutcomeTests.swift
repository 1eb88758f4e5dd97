import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Scripts format cards by the exit code: no trouble may end as success.
@Suite struct RunOutcomeTests {
    @Test(arguments: IngestError.Code.allCases) func noTroubleIsComplete(code: IngestError.Code) {
        let outcome = RunOutcome(troubles: [IngestError(code, "Something went wrong.")])
        #expect(outcome.exitCode != .complete)
    }

    @Test func theWorseOneCounts() {
        var outcome = RunOutcome(troubles: [IngestError(.unreadable, "A slot."), IngestError(.network, "A gallery.")])
        outcome.summary.counts[.setAside] = 1
        #expect(outcome.exitCode == .sourceLost)
        outcome.mismatches = 1
        #expect(outcome.exitCode == .mismatch)
        outcome.signal = .terminated
        #expect(outcome.exitCode == .terminated)
        #expect(RunOutcome().exitCode == .complete)
    }
}
