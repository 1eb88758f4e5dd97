import FilmgateCore
import FilmgateLedger
import Testing

@Suite struct ListTests {
    @Test func assetsNewestRunFirst() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var elsewhere = Samples.asset(5, run: 2, ending: .setAside)
        elsewhere.origin.root = "/media/bob/CARD"
        let rows = [
            Samples.asset(1, run: 1), Samples.asset(2, run: 2), Samples.asset(3, run: 1, ending: .filtered),
            Samples.asset(4, run: 2, ending: nil),
        ]
        try await ledger.record((rows + [elsewhere]).map { .asset($0) })
        func list(_ filter: AssetFilter) async throws -> [String] { try await ledger.assets(filter).map(\.origin.name) }
        #expect(
            try await list(AssetFilter()) == [
                "IMG_0002.JPG", "IMG_0004.JPG", "IMG_0005.JPG", "IMG_0001.JPG", "IMG_0003.JPG",
            ])
        #expect(try await list(AssetFilter(limit: 2)) == ["IMG_0002.JPG", "IMG_0004.JPG"])
        #expect(try await list(AssetFilter(run: 1)) == ["IMG_0001.JPG", "IMG_0003.JPG"])
        #expect(try await list(AssetFilter(endings: [.filtered, .setAside])) == ["IMG_0005.JPG", "IMG_0003.JPG"])
        #expect(try await list(AssetFilter(endings: [])) == [])
        #expect(try await list(AssetFilter(root: "/media/bob/CARD")) == ["IMG_0005.JPG"])
        #expect(
            try await list(AssetFilter(endings: [.delivered], run: 2, root: "/media/ann/CARD", limit: 9)) == [
                "IMG_0002.JPG"
            ])
        #expect(try await list(AssetFilter(limit: -1)) == [])
    }

    @Test func assetsByDigest() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var again = Samples.asset(2, run: 2), beside = Samples.asset(3), longer = Samples.asset(4)
        again.content = ContentKey(sha256: Samples.sha(1))
        beside.content = ContentKey(sha256: Samples.sha(1), beside: Samples.sha(9))
        longer.content = ContentKey(rawValue: Samples.sha(1) + "0")
        try await ledger.record([
            .asset(Samples.asset(1)), .asset(again), .asset(beside), .asset(longer), .asset(Samples.asset(5)),
        ])
        #expect(
            try await ledger.assets(sha256: Samples.sha(1)).map(\.origin.name) == [
                "IMG_0002.JPG", "IMG_0001.JPG", "IMG_0003.JPG",
            ])
        #expect(try await ledger.assets(sha256: "") == [])
        #expect(try await ledger.assets(sha256: "%") == [])
    }

    @Test func deliveredBelowAFolder() async throws {
        let ledger = try SQLiteLedger.inMemory()
        for (number, path) in ["/a/b/1", "/a/b", "/a/bc/2", "/a/b/c/3", "/a/B/4", "/a/b0", "/a/b-/5"].enumerated() {
            var row = Samples.delivery(number)
            row.receipt.path = path
            try await ledger.record([.delivery(row)])
        }
        var remote = Samples.delivery(20, to: Samples.gallery), waiting = Samples.delivery(21, state: .pending)
        (remote.receipt.path, remote.receipt.url, waiting.receipt.path) = (nil, "https://x", "/a/b/9")
        try await ledger.record([.delivery(remote), .delivery(waiting)])
        func below(_ prefix: String) async throws -> Set<String> {
            Set(try await ledger.delivered(below: prefix).compactMap(\.receipt.path))
        }
        #expect(try await below("/a/b") == ["/a/b/1", "/a/b", "/a/b/c/3"])
        #expect(try await below("/a/b/") == ["/a/b/1", "/a/b", "/a/b/c/3"])
        #expect(try await below("/a/b/c/3") == ["/a/b/c/3"])
        #expect(try await below("/").count == 7)
        #expect(try await below("/x") == [])
        #expect(try await ledger.delivered(below: "").count == 8)
    }

    @Test func notesAreKeptWithWhatTheyAreAbout() async throws {
        let ledger = try SQLiteLedger.inMemory(), row = Samples.asset(1)
        try await ledger.record([
            .note(asset: row.origin.id, at: 5, text: "read twice\n"), .note(asset: nil, at: 7, text: "clock was wrong"),
            .note(asset: Samples.origin(2).id, at: 6, text: "other"),
        ])
        #expect(
            try await ledger.notes(of: row.origin.id, limit: 9) == [
                NoteRow(asset: row.origin.id, at: 5, text: "read twice\n")
            ])
        #expect(try await ledger.notes(of: nil, limit: 2).map(\.text) == ["clock was wrong", "other"])
    }
}
