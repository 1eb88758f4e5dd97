import FilmgateCore
import FilmgateLedger
import Testing

/// What is written comes back, field by field.
@Suite struct RoundTripTests {
    private func assets(_ rows: [AssetRow]) async throws -> [AssetRow] {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record(rows.map { .asset($0) })
        return try await ledger.assets(AssetFilter())
    }

    private func delivery(_ row: DeliveryRow) async throws -> [DeliveryRow] {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.delivery(row)])
        return try await ledger.deliveries(of: row.content)
    }

    @Test func aFullAsset() async throws {
        let row = Samples.full()
        #expect(try await assets([row]) == [row])
    }

    @Test func anAssetOfWhichNothingIsKnownYet() async throws {
        let origin = Origin(source: "card", volume: "v", root: "/", path: "a", size: 0, modified: -1)
        let row = AssetRow(origin: origin, run: 0, kind: .other, shot: ShotPlace(key: "", stem: ""), at: 0)
        #expect(try await assets([row]) == [row])
    }

    @Test func metadataThatWasReadAndSaidNothingIsNotUnread() async throws {
        var row = Samples.asset(1)
        row.media = MediaFacts()
        #expect(try await assets([row]).first?.media == MediaFacts())
    }

    @Test(arguments: Ending.allCases) func everyEnding(_ ending: Ending) async throws {
        #expect(try await assets([Samples.asset(1, ending: ending)]).map(\.ending) == [ending])
    }

    @Test(arguments: MediaKind.allCases) func everyKind(_ kind: MediaKind) async throws {
        var row = Samples.asset(1)
        row.kind = kind
        #expect(try await assets([row]).map(\.kind) == [kind])
    }

    /// Names as cards hold them: line breaks, NUL, quotes, emoji, bytes that are no UTF-8 (as `PathText` maps them),
    /// long ones.
    @Test(arguments: [
        "a\nb", "a\u{0}b", "'\"; DROP TABLE asset; --", "📷/🎞️.jpg", "caf\u{10FFE9}.jpg", "\u{10FF80}\u{10FFFF}",
        "a\\nb\\", " ", "%_*?", String(repeating: "å", count: 2000),
    ]) func oddText(_ text: String) async throws {
        var row = Samples.full()
        (row.origin.volume, row.origin.volumePath, row.origin.path, row.origin.root) = (
            text, text, "x/" + text, "/" + text
        )
        (row.origin.source, row.shot.key, row.shot.stem, row.reason, row.event) = (text, text, text, text, text)
        row.media?.make = text
        (row.flags, row.wanted) = ([text, "plain", ""], [text, Samples.archive])
        let read = try #require(try await assets([row]).first)
        #expect(read == row)
        #expect(Array(read.origin.path.utf8) == Array(row.origin.path.utf8))
        var delivery = Samples.delivery(1, path: text)
        (delivery.target, delivery.targetName, delivery.receipt.url, delivery.receipt.id, delivery.file) = (
            text, text, text, text, text
        )
        #expect(try await self.delivery(delivery) == [delivery])
    }

    @Test(
        arguments: [Receipt.State.done, .pending, .held, .excluded, .failed],
        [Receipt.Proof.reread, .server, .size, .none, .hearsay])
    func everyStateAndProof(_ state: Receipt.State, _ proof: Receipt.Proof) async throws {
        var row = Samples.delivery(1, state: state, reason: "because")
        row.receipt.verified = proof
        #expect(try await delivery(row) == [row])
    }

    @Test func aFullDelivery() async throws {
        var row = Samples.delivery(1, state: .pending, reason: "later")
        (row.receipt.url, row.receipt.id, row.receipt.existed) = ("https://x", "id", true)
        (row.event, row.file, row.staged, row.attempts, row.nextTry, row.size) = (
            "wedding", "/spool/1", true, 3, 99, .max
        )
        #expect(try await delivery(row) == [row])
    }

    @Test(arguments: [nil, "", "=", Samples.sha(1), Samples.sha(2)])
    func receiptsKeepTheDigestThatTheyName(_ sha256: String?) async throws {
        var row = Samples.delivery(1)
        row.receipt.sha256 = sha256
        #expect(try await delivery(row).map(\.receipt.sha256) == [sha256])
    }

    @Test func sidecarsKeepTheirPicture() async throws {
        var row = Samples.asset(1)
        row.content = ContentKey(sha256: Samples.sha(1), beside: Samples.sha(2))
        #expect(try await assets([row]) == [row])
    }

    @Test func runs() async throws {
        let ledger = try SQLiteLedger.inMemory()
        let first = try await ledger.beginRun(verb: "import", event: "wedding", at: 10)
        let second = try await ledger.beginRun(verb: "watch", event: nil, at: 20)
        let summary = RunSummary(
            counts: Dictionary(uniqueKeysWithValues: zip(Ending.allCases, 1...)), bytes: .max, bytesRead: 7,
            seconds: 1.5)
        try await ledger.record([.endRun(first, at: 30, exit: 8, summary: summary)])
        let ended = RunRow(
            id: first, verb: "import", event: "wedding", started: 10, ended: 30, exit: 8, summary: summary)
        let open = RunRow(id: second, verb: "watch", event: nil, started: 20, ended: nil, exit: nil, summary: nil)
        #expect(try await ledger.runs(limit: 5) == [open, ended])
        #expect(try await ledger.runs(limit: 1) == [open])
    }
}
