import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Scripts format cards by the exit code: no trouble may end as success.
@Suite struct RunOutcomeTests {
    @Test(arguments: IngestError.Code.allCases) func noTroubleIsComplete(code: IngestError.Code) {
        let outcome = RunOutcome(troubles: [IngestError(code, "Something went wrong.")])
        #expect(outcome.exitCode != .complete)
    }

    /// No sign-in is missing there.
    @Test func aTargetThatSaysYesToEverythingIsHeld() {
        let lie = IngestError(.misconfigured, "It has whatever it is asked for.", cause: UntruthfulAnswer())
        #expect(RunOutcome(troubles: [lie]).exitCode == .notProven)
        #expect(RunOutcome(troubles: [lie, IngestError(.unauthorized, "Another.")]).exitCode == .signIn)
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
