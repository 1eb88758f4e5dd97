import FilmgateCore
import FilmgateLedger
import Testing

@Suite struct QueueTests {
    @Test func whatWaitsOldestFirstWithItsAsset() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record((1...5).map { .asset(Samples.asset($0, ending: .pending)) })
        try await ledger.record([
            .delivery(Samples.delivery(1, state: .pending, at: 30)),
            .delivery(Samples.delivery(2, state: .held, at: 10)),
            .delivery(Samples.delivery(3, state: .pending, at: 20)),
            .delivery(Samples.delivery(3, to: Samples.gallery, state: .failed, at: 5)),
            .delivery(Samples.delivery(4)), .delivery(Samples.delivery(5, state: .excluded)),
        ])
        let waiting = try await ledger.queue([.pending, .held])
        let ordered = [
            Samples.delivery(2, state: .held, at: 10), Samples.delivery(3, state: .pending, at: 20),
            Samples.delivery(1, state: .pending, at: 30),
        ]
        #expect(waiting.map(\.delivery) == ordered)
        #expect(waiting.map(\.asset) == [2, 3, 1].map { Samples.asset($0, ending: .pending) })
        #expect(try await ledger.queue([.failed]).map(\.delivery.target) == [Samples.gallery])
        #expect(try await ledger.queue([.done]).map(\.asset) == [Samples.asset(4, ending: .pending)])
        #expect(try await ledger.queue([]) == [])
    }

    /// The bytes may have come in more than one file: the one of the latest run stands for them.
    @Test func theLatestAssetOfTheBytes() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var other = Samples.asset(2, run: 4)
        other.content = ContentKey(sha256: Samples.sha(1))
        other.digests = Digests(sha256: Samples.sha(1))
        try await ledger.record([
            .asset(other), .asset(Samples.asset(1, run: 3)), .delivery(Samples.delivery(1, state: .pending)),
        ])
        #expect(try await ledger.queue([.pending]).map(\.asset) == [other])
    }

    /// A file recorded again without its bytes (it could not be read this time) must not take what waits out of the
    /// queue.
    @Test func aDeliveryWithoutAssetStillWaits() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var row = Samples.asset(1)
        try await ledger.record([.asset(row), .delivery(Samples.delivery(1, state: .pending))])
        (row.content, row.ending) = (nil, .setAside)
        try await ledger.record([.asset(row)])
        let waiting = try #require(try await ledger.queue([.pending]).first)
        #expect(waiting.delivery == Samples.delivery(1, state: .pending))
        #expect(waiting.asset.content == ContentKey(sha256: Samples.sha(1)))
        #expect(waiting.asset.digests == Digests(sha256: Samples.sha(1)))
        #expect(waiting.asset.kind == .jpeg)
        #expect(waiting.asset.origin.name == "IMG_0001.JPG")
    }

    /// With its picture, a sidecar is another content: what was ordered of it before is still of the same shot, and no
    /// file of the card.
    @Test func whatWaitsForAFileThatIsAnotherContentNowIsOfItsShot() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var row = Samples.asset(1), delivery = Samples.delivery(1, state: .pending)
        row.kind = .sidecar
        delivery.path = "e/001.XMP"
        try await ledger.record([.asset(row), .delivery(delivery)])
        row.content = ContentKey(sha256: Samples.sha(1), beside: Samples.sha(2))
        row.run = 7
        try await ledger.record([.asset(row)])
        let waiting = try #require(try await ledger.queue([.pending]).first).asset
        #expect(waiting.content == delivery.content && waiting.origin.id != row.origin.id)
        #expect(waiting.shot == row.shot && waiting.origin.volume == row.origin.volume && waiting.kind == .sidecar)
        // The same bytes in another shot: it might be of either.
        var other = Samples.asset(2, run: 8)
        other.content = ContentKey(sha256: Samples.sha(1), beside: Samples.sha(3))
        try await ledger.record([.asset(other)])
        #expect(try await ledger.queue([.pending]).first?.asset.shot.key == "e/001.XMP")
    }

    @Test func totals() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([
            .asset(Samples.asset(1)), .asset(Samples.asset(2)), .asset(Samples.asset(3, ending: .pending)),
            .asset(Samples.asset(4, ending: nil)),
        ])
        var later = Samples.delivery(3, to: Samples.gallery, state: .pending, at: 40, reason: "503"), sooner = later
        later.nextTry = 900
        sooner = Samples.delivery(4, to: Samples.gallery, state: .held, at: 30, reason: "401")
        try await ledger.record([
            .delivery(Samples.delivery(1)), .delivery(Samples.delivery(2)),
            .delivery(Samples.delivery(3, state: .failed, at: 1, reason: "no")),
            .delivery(Samples.delivery(1, to: Samples.gallery, state: .excluded)), .delivery(later), .delivery(sooner),
        ])
        let totals = try await ledger.totals()
        #expect(totals.assets == [.delivered: 2, .pending: 1])
        #expect(totals.unfinished == 1)
        let targets: [LedgerTotals.Target] = [
            .init(
                identity: Samples.archive, name: "archive", states: [.done: 2, .failed: 1], bytesWaiting: 0,
                oldestWaiting: nil, nextTry: nil, lastReason: "no"),
            .init(
                identity: Samples.gallery, name: "gallery", states: [.excluded: 1, .pending: 1, .held: 1],
                bytesWaiting: 2007, oldestWaiting: 30, nextTry: 900, lastReason: "503"),
        ]
        #expect(totals.targets == targets)
        var now = Samples.delivery(5, to: Samples.gallery, state: .pending)
        now.size = .max
        try await ledger.record([.delivery(now)])
        let gallery = try #require(try await ledger.totals().targets.last)
        #expect(gallery.nextTry == 900)
        #expect(gallery.bytesWaiting == 2007)
    }

    /// Runs without a number of their own and with gaps between, endings on both sides of `delivered`, none at all, and
    /// files that were made here.
    @Test func everyEndingOfEveryRunIsCounted() async throws {
        let ledger = try SQLiteLedger.inMemory()
        #expect(try await ledger.totals().assets.isEmpty)
        let endings = Ending.allCases.map { $0 as Ending? } + [nil]
        var number = 0, expected: [Ending: Int] = [:], unfinished = 0
        for (position, run) in ([0, 1, 7, 900] as [Int64]).enumerated() {
            for (rank, ending) in endings.enumerated() {
                for _ in 0..<(position + rank) % 4 {
                    number += 1
                    var row = Samples.asset(number, run: run, ending: ending)
                    if number % 5 == 0 { row.flags = [AssetFlag.made] }
                    try await ledger.record([.asset(row)])
                    guard number % 5 != 0 else { continue }
                    if let ending { expected[ending, default: 0] += 1 } else { unfinished += 1 }
                }
            }
        }
        let totals = try await ledger.totals()
        #expect(totals.assets == expected && totals.unfinished == unfinished && number > 30)
    }
}
