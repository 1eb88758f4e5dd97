import FilmgateCore
import FilmgateLedger
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import FilmgateStudio

/// Cards are looked at side by side, and a look that does not come back ends a YES.
@Suite(.ownThreads, .timeLimit(.minutes(1))) struct CardProofTests {
    /// Two cards, and what is seen of their copies.
    private final class TwoCards: Sendable {
        let one = MountedCard(path: "/media/one", label: "one", visit: "1", isReadable: true)
        let other = MountedCard(path: "/media/other", label: "other", visit: "1", isReadable: true)
        private let seen = Mutex<[String: UInt8]>([:]), hanging = Mutex<Set<String>>([])
        /// Those of which somebody told, until it is heard.
        private let told = Mutex<Set<String>>([])
        /// Microseconds that a look takes.
        let slowness: UInt32

        init(slowness: UInt32 = 0) { self.slowness = slowness }

        func change(_ card: MountedCard) { seen.withLock { $0[card.path, default: 0] += 1 } }
        func tell(_ card: MountedCard) { told.withLock { _ = $0.insert(card.path) } }
        func hears(_ card: String) -> Bool { told.withLock { $0.remove(card) != nil } }
        func hang(_ card: MountedCard) { hanging.withLock { _ = $0.insert(card.path) } }
        func free() { hanging.withLock { $0 = [] } }

        func look(_ card: String) -> ProofState.Evidence {
            if slowness > 0 { usleep(slowness) }
            while hanging.withLock({ $0.contains(card) }) { usleep(5_000) }
            return ProofState.Evidence(card: [1], copies: [seen.withLock { $0[card] ?? 0 }])
        }

        func proofs(patience: Duration, longest: Duration = .seconds(60)) -> CardProofs {
            var looks = CardProofs.Looks()
            (looks.pause, looks.patience, looks.longest) = (.milliseconds(20), patience, longest)
            looks.look = { card, _, _ in self.look(card) }
            looks.hearing = { card, _ in { self.hears(card) } }
            let ledger = LedgerView(state: "/nonexistent", key: SipKey(low: 0, high: 0)), all = [one, other]
            return CardProofs(ledger, mounted: { () async throws(IngestError) in all }, looks: looks) {}
        }
    }

    /// What `safe-to-format` said of a card.
    private func prove(_ card: MountedCard, _ proofs: CardProofs) async {
        var job = Job(
            id: card.id, order: JobOrders.prove(card: card.path, pipeline: nil), by: "a", at: WallClock.nanoseconds)
        await proofs.began(card, job: job, listing: [1])
        job.hear(object: Array(#"{"type":"summary","safe":true}"#.utf8))
        job.end(0, wasStopped: false, at: WallClock.nanoseconds)
        await proofs.ended(card, job, hasPipeline: true)
    }

    private func withdrawn(_ card: MountedCard, _ proofs: CardProofs) async throws -> ProofState? {
        for _ in 0..<1000 {
            if let proof = await proofs.proof(card.id), proof.verdict == .withdrawn { return proof }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    @Test func oneThatHangsHoldsUpNoOther() async throws {
        let cards = TwoCards(), proofs = cards.proofs(patience: .seconds(600))
        defer { cards.free() }
        await prove(cards.one, proofs)
        await prove(cards.other, proofs)
        cards.hang(cards.one)
        // Until a look at it hangs.
        try await Task.sleep(for: .milliseconds(100))
        cards.change(cards.other)
        #expect(try await withdrawn(cards.other, proofs)?.reason == "A copy or a target changed.")
        #expect(await proofs.proof(cards.one.id)?.verdict == .yes)
        await proofs.end()
    }

    /// Cards that take a second each to look at are looked at every ten or twenty.
    @Test func whatIsHeardIsLookedAtBeforeItIsDue() async throws {
        let cards = TwoCards(slowness: 1_000_000), proofs = cards.proofs(patience: .seconds(600))
        await prove(cards.one, proofs)
        await prove(cards.other, proofs)
        let begun = ContinuousClock.now
        cards.change(cards.one)
        cards.change(cards.other)
        cards.tell(cards.other)
        #expect(try await withdrawn(cards.other, proofs)?.reason == "A copy or a target changed.")
        #expect(ContinuousClock.now - begun < .seconds(8))
        #expect(await proofs.proof(cards.one.id)?.verdict == .yes, "nobody told, so it is not yet due")
        await proofs.end()
    }

    @Test func aYesEndsWhoseCopiesCannotBeLookedAt() async throws {
        let cards = TwoCards(), proofs = cards.proofs(patience: .seconds(2))
        defer { cards.free() }
        await prove(cards.one, proofs)
        #expect(await proofs.proof(cards.one.id)?.verdict == .yes)
        cards.hang(cards.one)
        let reason = try await withdrawn(cards.one, proofs)?.reason
        #expect(reason?.hasPrefix("The copies could not be looked at for ") == true, "\(reason ?? "nothing")")
        // It does not come back with the disk.
        cards.free()
        try await Task.sleep(for: .milliseconds(100))
        #expect(await proofs.proof(cards.one.id)?.verdict == .withdrawn)
        await proofs.end()
    }

    /// Whoever asks is told so, also when nothing looks any more.
    @Test func theAnswerItselfCountsTheTime() async throws {
        let cards = TwoCards(), proofs = cards.proofs(patience: .milliseconds(200))
        await prove(cards.one, proofs)
        await proofs.end()
        // On a busy machine the look took long, and is waited for as much longer.
        for _ in 0..<200 {
            if await proofs.proof(cards.one.id)?.verdict == .withdrawn { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("It counts after 20 s.")
    }

    /// The proof ends, though the look at its end does not.
    @Test func aLookAtTheEndThatHangsIsNoYes() async throws {
        let cards = TwoCards(), proofs = cards.proofs(patience: .seconds(600), longest: .milliseconds(300))
        defer { cards.free() }
        cards.hang(cards.one)
        await prove(cards.one, proofs)
        #expect(await proofs.proof(cards.one.id)?.verdict == .withdrawn)
        await proofs.end()
    }
}
