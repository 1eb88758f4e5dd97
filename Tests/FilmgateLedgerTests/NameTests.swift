import FilmgateCore
import FilmgateLedger
import Testing

/// Who holds which name at a target.
@Suite struct NameTests {
    private func holder(of path: String, when held: String, state: Receipt.State = .done) async throws -> ContentKey? {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.delivery(Samples.delivery(1, state: state, path: held))])
        return try await ledger.holder(of: path, at: Samples.archive)
    }

    @Test(arguments: [
        ("a/IMG_1.JPG", "a/IMG_1.JPG"), ("a/img_1.jpg", "A/IMG_1.JPG"), ("caf\u{E9}", "CAFE\u{301}"),
        ("cafe\u{301}", "caf\u{E9}"), ("\u{C5}ngström", "a\u{30A}NGSTRÖM"), ("\u{212B}", "\u{E5}"),
        ("q\u{323}\u{307}", "q\u{307}\u{323}"), ("x\u{10FFE9}", "X\u{10FFE9}"),
    ]) func namesThatClashOnOtherFileSystemsAreHeld(_ asked: String, _ held: String) async throws {
        #expect(try await holder(of: asked, when: held) == ContentKey(sha256: Samples.sha(1)))
    }

    @Test(arguments: [
        ("a/IMG_1", "b/IMG_1"), ("IMG_1", "IMG_1.JPG"), ("e", "\u{E9}"), ("x\u{10FFE9}", "x\u{10FFE8}"), ("", ""),
    ])
    func otherNamesAreFree(_ asked: String, _ held: String) async throws {
        #expect(try await holder(of: asked, when: held) == nil)
    }

    @Test(arguments: [Receipt.State.done, .pending, .held, .failed]) func whatIsPromisedIsHeld(
        _ state: Receipt.State
    ) async throws {
        #expect(try await holder(of: "x", when: "x", state: state) != nil)
    }

    @Test func whatIsExcludedHoldsNothing() async throws {
        #expect(try await holder(of: "x", when: "x", state: .excluded) == nil)
    }

    @Test func eachTargetHasItsOwnNames() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.delivery(Samples.delivery(1, path: "x"))])
        #expect(try await ledger.holder(of: "x", at: Samples.gallery) == nil)
    }

    @Test func whatIsThereWinsOverWhatIsPromised() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([
            .delivery(Samples.delivery(1, state: .failed, path: "x", at: 9)),
            .delivery(Samples.delivery(2, path: "X", at: 3)),
            .delivery(Samples.delivery(3, state: .pending, path: "x", at: 7)),
        ])
        #expect(try await ledger.holder(of: "x", at: Samples.archive) == ContentKey(sha256: Samples.sha(2)))
    }

    @Test func shotNamesAndCounters() async throws {
        let ledger = try SQLiteLedger.inMemory()
        #expect(try await ledger.counter(at: Samples.archive, event: "wedding") == 0)
        #expect(try await ledger.shotName("s1", at: Samples.archive, event: "wedding") == nil)
        let first = ShotName(counter: 1, suffix: 1, base: "a/b"), third = ShotName(counter: 3, suffix: 2, base: "c\n")
        let plain = ShotName(counter: 0, suffix: 4, base: "")
        try await ledger.record([
            .shotName(third, shot: "s3", target: Samples.archive, event: "wedding"),
            .shotName(first, shot: "s1", target: Samples.archive, event: "wedding"),
            .shotName(plain, shot: "s1", target: Samples.archive, event: nil),
        ])
        #expect(try await ledger.shotName("s1", at: Samples.archive, event: "wedding") == first)
        #expect(try await ledger.shotName("s3", at: Samples.archive, event: "wedding") == third)
        #expect(try await ledger.shotName("s1", at: Samples.archive, event: nil) == plain)
        #expect(try await ledger.shotName("s3", at: Samples.gallery, event: "wedding") == nil)
        #expect(try await ledger.counter(at: Samples.archive, event: "wedding") == 3)
        #expect(try await ledger.counter(at: Samples.archive, event: nil) == 0)
        let renamed = ShotName(counter: 7, suffix: 1, base: "d")
        try await ledger.record([.shotName(renamed, shot: "s1", target: Samples.archive, event: "wedding")])
        #expect(try await ledger.shotName("s1", at: Samples.archive, event: "wedding") == renamed)
        #expect(try await ledger.counter(at: Samples.archive, event: "wedding") == 7)
    }

    @Test func theTwinIsTheEarliestFileWhateverWasRecordedSince() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var later = Samples.asset(2, run: 2)
        later.content = ContentKey(sha256: Samples.sha(1))
        (later.origin.root, later.origin.path) = ("/", "b.jpg")
        try await ledger.record([.asset(Samples.asset(1)), .asset(later), .asset(Samples.asset(1, run: 3))])
        #expect(
            try await ledger.twin(of: ContentKey(sha256: Samples.sha(1))) == "/media/ann/CARD/DCIM/100/IMG_0001.JPG")
        #expect(try await ledger.twin(of: ContentKey(sha256: Samples.sha(9))) == nil)
        var first = later
        (first.content, first.origin.volumePath) = (ContentKey(sha256: Samples.sha(5)), "c.jpg")
        try await ledger.record([.asset(first)])
        #expect(try await ledger.twin(of: ContentKey(sha256: Samples.sha(5))) == "/b.jpg")
    }
}
