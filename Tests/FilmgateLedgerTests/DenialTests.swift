import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

/// What targets said against their receipts: kept beside the delivery, written beside whatever run goes on.
@Suite struct DenialTests {
    private let denied = Denial(.gone, "removed since", at: 40)

    private func row(_ reader: any LedgerReader, at target: String = Samples.gallery) async throws -> DeliveryRow {
        try #require(try await reader.deliveries(of: ContentKey(sha256: Samples.sha(1))).first { $0.target == target })
    }

    private func begin(_ state: TemporaryState) async throws -> SQLiteLedger {
        let ledger = try state.open()
        try await ledger.record([
            .asset(Samples.asset(1)), .delivery(Samples.delivery(1)),
            .delivery(Samples.delivery(1, to: Samples.gallery)),
        ])
        return ledger
    }

    /// The run that holds the state goes on, and neither waits for the other.
    @Test func itIsWrittenBesideTheRunThatHoldsTheState() async throws {
        let state = try TemporaryState(), ledger = try await begin(state)
        try await SQLiteLedger.note([TargetStatement(of: try await row(ledger), denied)], directory: state.path)
        #expect(try await row(ledger).denial == denied)
        #expect(try await row(ledger, at: Samples.archive).denial == nil)
        try await ledger.record([.delivery(Samples.delivery(2))])
        let target = try await ledger.totals().targets.first { $0.identity == Samples.gallery }
        #expect(target?.denied == 1 && target?.lastDenial == denied && target?.states[.done] == 1)
        ledger.close()
        #expect(try await row(try state.reader()).denial == denied)
        try await SQLiteLedger.note(
            [TargetStatement(of: try await row(try state.reader()), nil)], directory: state.path)
        #expect(try await row(try state.reader()).denial == nil)
    }

    /// Whoever asked before a delivery and writes after it has heard of an older copy.
    @Test func aWordAboutWhatWasReplacedMeanwhileIsDropped() async throws {
        let state = try TemporaryState(), ledger = try await begin(state), asked = try await row(ledger)
        let anew = Samples.delivery(1, to: Samples.gallery, at: 6)
        try await ledger.record([.delivery(anew), .heard(asked.content, target: asked.target, nil)])
        try await SQLiteLedger.note([TargetStatement(of: asked, denied)], directory: state.path)
        #expect(try await row(ledger).denial == nil)
        let later = Denial(.differs, "other bytes", at: 41)
        // Nor does a no from before another one replace that.
        let unaware = try await row(ledger)
        try await ledger.record([.heard(asked.content, target: asked.target, later)])
        try await SQLiteLedger.note([TargetStatement(of: unaware, denied)], directory: state.path)
        #expect(try await row(ledger).denial == later)
        try await ledger.record([.heard(asked.content, target: asked.target, denied)])
        let answered = try await row(ledger)
        try await ledger.record([.heard(asked.content, target: asked.target, later)])
        // A yes from before the last no takes nothing back.
        try await SQLiteLedger.note([TargetStatement(of: answered, nil)], directory: state.path)
        #expect(try await row(ledger).denial == later)
    }

    /// A row that is written again, as a delivery that was only believed is, takes nothing back; the target's own yes
    /// does.
    @Test func onlyAWordTakesItBack() async throws {
        let state = try TemporaryState(), ledger = try await begin(state), asked = try await row(ledger)
        try await ledger.record([.heard(asked.content, target: asked.target, denied)])
        try await ledger.record([.delivery(Samples.delivery(1, to: Samples.gallery, at: 7))])
        #expect(try await row(ledger).denial == denied)
        try await ledger.record([.heard(asked.content, target: asked.target, nil)])
        #expect(try await row(ledger).denial == nil)
    }

    @Test func nothingIsMadeWhereNoLedgerIs() async throws {
        let state = try TemporaryState()
        try await SQLiteLedger.note([TargetStatement(of: Samples.delivery(1), denied)], directory: state.path)
        #expect(try state.reader() is EmptyLedger)
    }

    @Test func copiesAreToldOncePerPathAndDenialsWithThem() async throws {
        let state = try TemporaryState(), ledger = try await begin(state)
        var far = Samples.delivery(1, to: Samples.gallery)
        far.receipt.path = nil
        try await ledger.record([
            .delivery(far), .asset(Samples.asset(2, volume: "uuid:other")), .delivery(Samples.delivery(2)),
            .heard(far.content, target: far.target, denied),
        ])
        let told = Mutex<[DeliveredCopy]>([])
        try await ledger.copies(volume: "uuid:1234", below: "DCIM") { copy in told.withLock { $0.append(copy) } }
        #expect(told.withLock { $0.map(\.targetName) } == ["gallery", "archive"])
        #expect(told.withLock { $0.map(\.denial) } == [denied, nil])
    }
}
