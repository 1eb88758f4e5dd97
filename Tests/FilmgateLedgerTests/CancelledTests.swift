import FilmgateCore
import Testing

@testable import FilmgateLedger

/// What was ordered stays ordered until it is done or taken back.
@Suite struct CancelledTests {
    private func row(_ ledger: SQLiteLedger, _ number: Int = 1) async throws -> AssetRow {
        try #require(try await ledger.assets(sha256: Samples.sha(number)).first)
    }

    /// A later pipeline filters the same bytes: which targets they are for is not forgotten.
    @Test func filteringForgetsNoTarget() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var filtered = Samples.asset(1, run: 2, ending: .filtered)
        filtered.wanted = []
        try await ledger.record([.asset(Samples.asset(1)), .asset(filtered)])
        #expect(try await row(ledger).wanted == [Samples.archive, Samples.gallery])
        #expect(try await row(ledger).ending == .filtered)
        // Other bytes are another matter.
        filtered.content = ContentKey(sha256: Samples.sha(9))
        try await ledger.record([.asset(filtered)])
        #expect(try await row(ledger, 9).wanted == [])
    }

    /// A run was killed before it could say what became of its orders; then another pipeline takes the card.
    @Test func aBrokenRunsOrdersOutliveTheNext() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var next = Samples.asset(1, run: 2)
        next.wanted = [Samples.gallery]
        try await ledger.record([.asset(Samples.asset(1, ending: nil)), .asset(next)])
        #expect(Set(try await row(ledger).wanted) == [Samples.archive, Samples.gallery])
        // A target that the order moved away from is none any more.
        try await ledger.record([
            .withdraw(ContentKey(sha256: Samples.sha(1)), target: Samples.archive, heir: Samples.gallery, event: nil)
        ])
        #expect(try await row(ledger).wanted == [Samples.gallery])
    }

    /// The next run writes the file's row each time one of its targets has it, and while it waits for a pick.
    @Test func aBrokenRunsOrdersOutliveEveryWriteOfTheNext() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(Samples.asset(1, ending: nil))])
        for run in Int64(2)...3 {
            for ending in [nil, Ending.pending, run == 2 ? nil : Ending.delivered] {
                var next = Samples.asset(1, run: run, ending: ending)
                next.wanted = ["folder:/mnt/new", Samples.gallery]
                try await ledger.record([.asset(next)])
            }
        }
        #expect(try await row(ledger).wanted == ["folder:/mnt/new", Samples.gallery, Samples.archive])
        // What ended is for what the last pipeline wanted.
        var last = Samples.asset(1, run: 4)
        last.wanted = [Samples.gallery]
        try await ledger.record([.asset(last)])
        #expect(try await row(ledger).wanted == [Samples.gallery])
    }

    @Test(arguments: [
        (Receipt.State.done, Ending.delivered), (.failed, .setAside), (.held, .pending), (.excluded, .filtered),
    ])
    func whatIsTakenBackEndsItsFile(other: Receipt.State, ending: Ending) async throws {
        let ledger = try SQLiteLedger.inMemory()
        let waits = Samples.delivery(1, to: Samples.gallery, state: .pending)
        try await ledger.record([
            .asset(Samples.asset(1, ending: .pending)), .delivery(Samples.delivery(1, state: other, reason: "no")),
            .delivery(waits),
        ])
        var taken = waits
        taken.receipt = Receipt(state: .excluded, reason: DeliveryRow.cancelledReason)
        try await ledger.record([.cancelled(taken, run: 2, at: 9)])
        #expect(try await row(ledger).ending == ending)
        #expect(
            try await ledger.queue([.pending, .held, .failed]).allSatisfy { $0.delivery.target != Samples.gallery })
        #expect(try await ledger.holder(of: waits.path, at: Samples.gallery) == nil)
        let known = try #require(try await ledger.known(volume: "uuid:1234").first)
        #expect(known.cancelled.contains(Samples.gallery) && !known.done.contains(Samples.gallery))
    }
}
