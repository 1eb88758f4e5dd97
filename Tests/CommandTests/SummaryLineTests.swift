import FilmgateCore
import FilmgateEngine
import Testing

@testable import filmgate

/// The end of a run, for people and for programs.
@Suite struct SummaryLineTests {
    private func outcome(byOthers count: Int) -> RunOutcome {
        var outcome = RunOutcome(summary: RunSummary())
        (outcome.summary.counts, outcome.byOthers) = ([.delivered: 2, .duplicate: 3], count)
        return outcome
    }

    private func lines(_ outcome: RunOutcome) -> [Substring] {
        SummaryLine.human(outcome, exit: .complete, plan: false).split(separator: "\n")
    }

    /// Where nobody else delivered anything, nothing is said of others.
    @Test func itSaysWhatOthersDeliveredMeanwhile() {
        #expect(lines(outcome(byOthers: 0)).count == 2)
        let said = lines(outcome(byOthers: 3))
        #expect(said.first == "5 files seen: 2 delivered, 3 duplicate" && said.count == 3)
        #expect(said.dropFirst().first == "3 were delivered by others meanwhile")
        #expect(lines(outcome(byOthers: 1)).dropFirst().first == "1 was delivered by others meanwhile")
    }

    /// Bytes that are told belong to files that are told: those that wait for one target and go to another.
    @Test(arguments: [
        (3, " (all of them to deliver to other targets)"), (1, " (1 of them to deliver to other targets)"),
    ])
    func whatWaitsAndGoesElsewhereIsSaid(count: Int, _ words: String) {
        var outcome = RunOutcome(summary: RunSummary(counts: [.pending: 3], bytes: 18))
        #expect(lines(outcome).first == "3 files seen: 0 delivered, 3 pending")
        outcome.partly = [.pending: count]
        let plan = SummaryLine.human(outcome, exit: .notProven, plan: true).split(separator: "\n")
        #expect(plan.first == "3 files seen: 0 to deliver, 3 pending\(words)")
        // What waited before a reload has gone on.
        #expect(outcome.followed(by: RunOutcome()).partly.isEmpty)
    }

    /// They are of all that were seen, and not of those that are told last.
    @Test func damagedFilesAreCountedAmongAll() {
        var outcome = RunOutcome(summary: RunSummary(counts: [.delivered: 2, .filtered: 3]))
        outcome.damaged = 1
        #expect(lines(outcome).first == "5 files seen, 1 of them damaged: 2 delivered, 3 filtered")
    }

    @Test func programsReadTheCount() throws {
        func count(_ outcome: RunOutcome) throws -> Int64? {
            try #require(JSONValue(Array(SummaryLine.json(outcome, exit: .complete).utf8)))["by_others"]?.whole
        }
        #expect(try count(outcome(byOthers: 0)) == nil)
        #expect(try count(outcome(byOthers: 3)) == 3)
        // A run that was reloaded is one run.
        #expect(try count(outcome(byOthers: 3).followed(by: outcome(byOthers: 4))) == 7)
    }
}
