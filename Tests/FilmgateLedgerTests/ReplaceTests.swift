import FilmgateCore
import FilmgateLedger
import Testing

/// The same origin recorded again replaces its row; the same delivery too.
@Suite struct ReplaceTests {
    @Test func nothingOfTheOldRowStays() async throws {
        let ledger = try SQLiteLedger.inMemory(), old = Samples.full()
        var new = AssetRow(origin: old.origin, run: 2, kind: .video, shot: ShotPlace(key: "k", stem: "s"), at: 9)
        (new.origin.root, new.origin.path, new.origin.source) = ("/mnt", "DCIM/100/IMG_0007.JPG", "folder")
        new.content = ContentKey(sha256: Samples.sha(8))
        new.digests = Digests(sha256: Samples.sha(8))
        try await ledger.record([.asset(old), .asset(new)])
        #expect(try await ledger.assets(AssetFilter()) == [new])
        #expect(try await ledger.twin(of: ContentKey(sha256: Samples.sha(7))) == nil)
        #expect(try await ledger.known(volume: old.origin.volume).map(\.content) == [new.content])
    }

    @Test func anAssetCanLoseItsContent() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var row = Samples.asset(1)
        try await ledger.record([.asset(row)])
        (row.content, row.digests, row.ending) = (nil, nil, .setAside)
        try await ledger.record([.asset(row)])
        #expect(try await ledger.assets(AssetFilter()) == [row])
    }

    /// Metadata and digests belong to the bytes: a later record that did not look keeps what an earlier one found.
    @Test func factsAboutBytesAreKeptUntilBetterOnesCome() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var row = Samples.full()
        try await ledger.record([.asset(row)])
        (row.media, row.digests) = (nil, Digests(sha256: Samples.sha(7)))
        try await ledger.record([.asset(row)])
        let kept = try #require(try await ledger.assets(AssetFilter()).first)
        #expect(kept.media == Samples.media())
        #expect(kept.digests?.others == [.sha1: "aa", .md5: "bb", .xxh128: "cc"])
        row.media = MediaFacts()
        row.digests = Digests(sha256: Samples.sha(7), others: [.md5: "dd"])
        try await ledger.record([.asset(row)])
        let better = try #require(try await ledger.assets(AssetFilter()).first)
        #expect(better.media == MediaFacts())
        #expect(better.digests?.others == [.sha1: "aa", .md5: "dd", .xxh128: "cc"])
    }

    @Test func aDeliveryIsReplaced() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var waiting = Samples.delivery(1, state: .pending, path: "old", reason: "later")
        (waiting.file, waiting.staged, waiting.attempts, waiting.nextTry, waiting.event) = ("/spool/1", true, 4, 9, "e")
        let done = Samples.delivery(1, path: "new")
        try await ledger.record([.delivery(waiting)])
        try await ledger.record([.delivery(done)])
        #expect(try await ledger.deliveries(of: done.content) == [done])
        #expect(try await ledger.holder(of: "old", at: Samples.archive) == nil)
        #expect(try await ledger.queue([.pending, .held, .failed]) == [])
    }

    @Test func aTargetGoesByItsLastName() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var second = Samples.delivery(2)
        second.targetName = "backup"
        try await ledger.record([.delivery(Samples.delivery(1)), .delivery(second), .asset(Samples.asset(1))])
        #expect(try await ledger.deliveries(of: ContentKey(sha256: Samples.sha(1))).map(\.targetName) == ["backup"])
        #expect(try await ledger.totals().targets.map(\.name) == ["backup"])
    }
}
