import FilmgateCore
import FilmgateLedger
import FilmgateTesting
import Testing

@testable import filmgate

/// What `status --watch` and the page's board say of targets that have one name and several events.
@Suite struct StatusTargetsTests {
    private struct CountedLedger: LedgerStandIn {
        let targets: [LedgerTotals.Target]

        func totals() async throws(IngestError) -> LedgerTotals {
            LedgerTotals(assets: [:], unfinished: 0, targets: targets)
        }
    }

    private static let address = "http:http://127.0.0.1:9/api/assets"

    private func gallery(_ event: String, done: Int, pending: Int) -> LedgerTotals.Target {
        LedgerTotals.Target(
            identity: "\(Self.address):\(event)", name: "gallery", states: [.done: done, .pending: pending],
            bytesWaiting: 0, oldestWaiting: nil, nextTry: nil, lastReason: nil)
    }

    /// As it comes over the control socket from a run for `party`.
    private func snapshot(
        _ targets: [LedgerTotals.Target], waiting: Int, sending: Int = 0
    ) async throws -> StatusSnapshot {
        var state = LiveStatus.State()
        state.queues["gallery"] = LiveStatus.Queue(waiting: waiting, sending: sending, trouble: nil)
        state.identities["gallery"] = "\(Self.address):party"
        let told = try #require(LiveStatus.State(line: state.json.finished))
        var reader = StatusReader(
            open: { () throws(IngestError) in CountedLedger(targets: targets) }, live: { told })
        return try await reader.read()
    }

    /// 8 wait: not 8 for each event.
    @Test func whatWaitsForOneEventIsNotCountedForAnother() async throws {
        let snapshot = try await snapshot(
            [gallery("smith", done: 88, pending: 0), gallery("party", done: 54, pending: 8)], waiting: 7, sending: 1)
        #expect(snapshot.targets.map(\.label) == ["gallery (smith)", "gallery (party)"])
        #expect(snapshot.targets.map(\.waiting) == [0, 8] && snapshot.targets.map(\.sending) == [nil, 1])
        let line = try #require(JSONValue(Array(StatusLine.json(snapshot).utf8))), told = line["targets"]?.items ?? []
        #expect(told.map { $0["label"]?.string } == ["gallery (smith)", "gallery (party)"])
        #expect(told.map { $0["identity"]?.string?.hasSuffix(":party") } == [false, true])
        let shown = StatusScreen(snapshot: snapshot, width: 80, height: 24).lines.map(\.text).joined(separator: "\n")
        #expect(shown.contains("gallery (smith)") && shown.contains("gallery (party)"), "\(shown)")
    }

    /// Files of another event that the run has are in its queue, too.
    @Test func aQueueOfSeveralEventsIsNoneOfTheLatestAlone() async throws {
        let snapshot = try await snapshot(
            [gallery("smith", done: 80, pending: 5), gallery("party", done: 54, pending: 3)], waiting: 8)
        #expect(snapshot.targets.map(\.waiting) == [5, 3])
    }

    /// An event is named only where there is one.
    @Test(arguments: [nil, "", "smith's"]) func whatLetsGoOfWhatWaitsForAPickNamesItsEvent(_ event: String?) {
        var target = gallery(event ?? "", done: 0, pending: 3)
        #expect(!MarksHint.concerns(target))
        target.lastReason = MarkRule.notPicked
        #expect(MarksHint.concerns(target))
        let own = TargetUse(identity: target.identity, event: event, isDelivered: false)
        let other = TargetUse(identity: "\(Self.address):other", event: "other", isDelivered: true)
        let words = event == "smith's" ? "run PIPELINE --event 'smith'\\''s'`" : "run PIPELINE`"
        let said = MarksHint.text(target, [other, own])
        #expect(said.contains("`filmgate \(words), once"), "\(said)")
    }

    /// The ledger is not asked all the time.
    @Test func whatTheLedgerDoesNotSayYetWaitsForTheRunsEvent() async throws {
        let rows = [gallery("smith", done: 88, pending: 0), gallery("party", done: 54, pending: 8)]
        #expect(try await snapshot(rows, waiting: 10).targets.map(\.waiting) == [0, 10])
        let first = try await snapshot([rows[0]], waiting: 3)
        #expect(first.targets.map(\.waiting) == [0, 3])
        #expect(first.targets.map(\.label) == ["gallery (smith)", "gallery (party)"])
        let idle = try await snapshot([rows[0]], waiting: 0)
        #expect(idle.targets.map(\.label) == ["gallery"] && idle.targets.map(\.sending) == [nil])
    }
}
