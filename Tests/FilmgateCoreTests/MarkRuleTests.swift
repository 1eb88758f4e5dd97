import Testing

@testable import FilmgateCore

/// What marks decide, and that nobody forgets it on the way to the ledger and back.
@Suite struct MarkRuleTests {
    private func mark(_ rating: Int? = nil, _ pick: PictureMark.Pick? = nil) -> PictureMark {
        var mark = PictureMark()
        if let rating { (mark.rating, mark.ratingRevision) = (rating, 1) }
        if let pick { (mark.pick, mark.pickRevision) = (pick, 1) }
        return mark
    }

    /// A person's word counts before the camera's; rejected is lower than any star.
    @Test(
        arguments: [
            (nil, nil, nil, nil), (nil, nil, 3, 3), (5, nil, 3, 5), (0, nil, 3, nil), (nil, .rejected, 3, -1),
            (4, .rejected, nil, -1), (nil, nil, -1, -1), (nil, PictureMark.Pick.none, -1, nil), (2, .picked, -1, 2),
        ] as [(Int?, PictureMark.Pick?, Int?, Int?)])
    func theRatingThatCounts(rating: Int?, pick: PictureMark.Pick?, camera: Int?, counts: Int?) {
        #expect(mark(rating, pick).rating(camera: camera) == counts)
    }

    @Test func aLaterWordReplacesAnEarlierOneAlsoWhereItSaysNothing() {
        var first = mark(3, .picked), second = PictureMark()
        (second.rating, second.ratingRevision, second.pickRevision) = (5, 2, 2)
        #expect(first.latest(second).rating == 5 && first.latest(second).pick == nil)
        #expect(first.latest(second) == second.latest(first))
        first.ratingRevision = 3
        #expect(
            PictureMark.latest(of: [second, first]).rating == 3
                && PictureMark.latest(of: [second, first]).revision == 3)
    }

    private static let picks = MarkRule(picks: .only), stars = MarkRule(picks: .any, minRating: 3, unrated: .wait)

    @Test(
        arguments: [
            (picks, nil, .none, .waits("not picked")), (picks, nil, .picked, .takes),
            (picks, nil, .rejected, .refuses("rejected")), (picks, 5, .none, .waits("not picked")),
            (stars, nil, .none, .waits("not rated")), (stars, 3, .none, .takes),
            (stars, 2, .none, .refuses("rating 2, below `min_rating: 3`")),
            (MarkRule(picks: .only, minRating: 3), 2, .picked, .refuses("rating 2, below `min_rating: 3`")),
            (MarkRule(unrated: .drop), nil, .picked, .refuses("not rated, and `unrated: drop`")),
            (MarkRule(), -1, .rejected, .takes),
        ] as [(MarkRule, Int?, PictureMark.Pick, DeliveryRule.Decision)])
    func whatARuleSays(rule: MarkRule, rating: Int?, pick: PictureMark.Pick, decision: DeliveryRule.Decision) {
        #expect(rule.decision(rating: rating, pick: pick) == decision)
        var frame = FrameFacts(kind: .jpeg, name: "A.JPG"), whole = DeliveryRule()
        (frame.rating, frame.pick) = (rating, pick)
        (whole.picks, whole.minRating, whole.unrated) = (rule.picks, rule.minRating, rule.unrated)
        #expect(whole.decision(on: frame) == decision && whole.marks == rule)
    }

    @Test func allRulesMustLetItPass() {
        let both = MarkGate([Self.picks, Self.stars], sha256: "a", camera: 4)
        #expect(both.decision(on: PictureMark()) == .waits("not picked"))
        #expect(both.decision(on: mark(nil, .picked)) == .takes)
        #expect(both.decision(on: mark(0, .picked)) == .waits("not rated"))
        #expect(both.decision(on: mark(1, .picked)) == .refuses("rating 1, below `min_rating: 3`"))
    }

    @Test(arguments: [
        MarkGate([picks], sha256: "a", camera: nil), MarkGate([picks, stars], sha256: "b", camera: -1),
        MarkGate([MarkRule(picks: .only, minRating: -1, unrated: .drop)], sha256: "c", camera: 5),
    ]) func gatesAreKeptAsText(_ gate: MarkGate) { #expect(MarkGate(gate.text, sha256: gate.sha256) == gate) }

    @Test(arguments: [
        "", "camera=", "camera=;picks=some min_rating=1 unrated=pass", "picks=only min_rating=1 unrated=pass",
        "camera=3;picks=only",
    ])
    func otherTextIsNoGate(_ text: String) { #expect(MarkGate(text, sha256: "a") == nil) }

    @Test func coloursHaveNames() {
        #expect(PictureMark.colours.map { MarkColour.name($0) } == [nil] + MarkColour.names.map { $0 })
        #expect(MarkColour.name(9) == nil && MarkColour.name(-1) == nil)
    }
}
