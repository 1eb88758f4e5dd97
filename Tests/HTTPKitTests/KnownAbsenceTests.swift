import FilmgateCore
import HTTPKit
import Synchronization
import Testing

/// When a server that says yes is asked for bytes that nobody has.
@Suite struct KnownAbsenceTests {
    private final class Asked: Sendable {
        private let time = Mutex(ContinuousClock.now), count = Mutex(0)
        var questions: Int { count.withLock(\.self) }
        var now: ContinuousClock.Instant { time.withLock(\.self) }
        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
        func ask() { count.withLock { $0 += 1 } }
    }

    @Test func aNoCountsForAMoment() async throws {
        let asked = Asked(), absence = KnownAbsence(clock: { asked.now })
        for round in 1...3 {
            for _ in 0..<100 { try await absence.confirm { asked.ask() } }
            #expect(asked.questions == round)
            asked.pass(KnownAbsence.moment)
        }
    }

    /// The moment begins with the question: the server may have been replaced while its answer was on its way.
    @Test func itCountsFromWhenItWasAskedFor() async throws {
        let asked = Asked(), absence = KnownAbsence(clock: { asked.now })
        for _ in 0..<3 {
            try await absence.confirm {
                asked.ask()
                asked.pass(KnownAbsence.moment)
            }
        }
        #expect(asked.questions == 3)
    }

    @Test func eachLookNeedsANoOfItsOwn() async throws {
        let asked = Asked(), absence = KnownAbsence(clock: { asked.now })
        for _ in 0..<2 { for look in ["", "text/html"] { try await absence.confirm(look) { asked.ask() } } }
        #expect(asked.questions == 2)
        // Who looks different each time is asked each time, and costs no memory.
        for number in 0..<1000 { try await absence.confirm("\(number)") { asked.ask() } }
        #expect(asked.questions == 1002)
    }

    @Test func whatWasNoNoDoesNotCount() async throws {
        let asked = Asked(), absence = KnownAbsence(clock: { asked.now })
        for _ in 0..<2 {
            do throws(IngestError) {
                try await absence.confirm { () async throws(IngestError) in
                    asked.ask()
                    throw IngestError(.misconfigured, "It has everything.")
                }
                Issue.record("It was believed.")
            } catch { #expect(error.code == .misconfigured) }
        }
        #expect(asked.questions == 2)
    }

    @Test func nobodyKnowsTheBytesFromTheTimeBefore() {
        let drawn = (0..<8).map { _ in Digests.nobodys() }
        #expect(Set(drawn).count == 8 && drawn.allSatisfy { $0.sha256.count == 64 })
        #expect(drawn.allSatisfy { $0[.sha1]?.count == 40 && $0[.md5]?.count == 32 })
    }
}
