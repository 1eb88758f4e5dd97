import Testing

@testable import FilmgateEngine

/// One file, several targets that lack it.
@Suite struct SeveralProblemsTests {
    private typealias Verdict = CardProof.Verdict

    @Test func eachTargetHasItsOwnReason() {
        let changed = Verdict.problem("near: changed.", .deliverAnew), gone = Verdict.removed("far: gone", isAway: true)
        #expect(Verdict.together([changed, gone, changed]) == .problem("near: changed; far: gone", .deliverAnew))
        #expect(Verdict.together([gone, changed]) == .removed("far: gone; near: changed", isAway: true))
    }

    @Test func oneReasonStaysAsItIs() {
        let changed = Verdict.problem("near: changed.", .deliverAnew)
        #expect(Verdict.together([changed]) == changed)
        #expect(Verdict.together([]) == nil)
    }
}
