import FilmgateCore
import FilmgateLedger
import TestThreads
import Testing

@testable import FilmgateStudio

/// Files that somebody would give an event that have one.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct AssignedTests {
    /// All of these were delivered: they have an event.
    @Test func filesOfAnEventNeedNoOther() async throws {
        try await StudioBench.with(fill: { ledger in
            try await ledger.record([.asset(Rows.asset(1)), .delivery(Rows.delivery(1))])
        }) { bench async throws in
            let all = #""selection":{"filter":{"kind":"jpeg"}}"#
            let given = try bench.post("assign", #"{"event":"a",\#(all)}"#)
            #expect(given.status == 404 && given.body.contains("belong to one already"), "\(given.body)")
            let sent = try bench.post("retry", "{\(all)}")
            #expect(sent.status == 404 && sent.body.contains("Nothing of this selection waits."), "\(sent.body)")
            #expect(try bench.words().isEmpty)
        }
    }
}
