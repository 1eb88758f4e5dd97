import ClusterTesting
import FilmgateCore
import Testing

@testable import PostgresCatalog

/// What stations are told of a card that others have taken.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct CardTests {
    private func ask(_ station: TestStation, _ numbers: Range<Int>, on volume: String = TestStation.volume) async throws
        -> [CardAtStation]
    {
        try await station.catalog.card(volume, numbers.map(TestStation.file), station.token)
    }

    @Test func othersSayHowManyTheyHaveMetAndHowTheseEnded() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        let three = try await test.station(3), time: Int64 = 1_700_000_000_000_000_000
        var report = TestStation.report(0..<5, since: 0, upTo: 1)
        (report.sightings[1].ending, report.sightings[2].ending) = (.duplicate, .pending)
        report.sightings[3].at = time + 60
        #expect(try await one.catalog.tell(report, one.token) == 1)
        #expect(try await three.catalog.tell(TestStation.report(4..<6, since: 0, upTo: 1), three.token) == 1)
        let word = CardAtStation(
            station: "desk-1", endings: [.delivered: 3, .duplicate: 1, .pending: 1], at: time + 60)
        let other = CardAtStation(station: "desk-3", endings: [.delivered: 2], at: time)
        #expect(try await ask(two, 0..<8) == [word, other])
        #expect(word.files == 5 && word.delivered == 4)
        // Of the files that are asked about, and no others; nobody is told what it said itself.
        let part = CardAtStation(station: "desk-1", endings: [.duplicate: 1, .pending: 1], at: time)
        #expect(try await ask(two, 1..<3) == [part])
        #expect(try await ask(one, 0..<8) == [other])
        #expect(try await ask(two, 20..<30) == [])
        #expect(try await ask(two, 0..<0) == [])
        // What is delivered later is told later.
        report = TestStation.report(2..<3, since: 1, upTo: 2)
        #expect(try await one.catalog.tell(report, one.token) == 2)
        #expect(try await ask(two, 2..<3).first?.endings == [.delivered: 1])
    }

    /// A number of a volume says little: whole files decide, and another volume is another card.
    @Test func anotherVolumeIsAnotherCard() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        #expect(try await one.catalog.tell(TestStation.report(0..<2, since: 0, upTo: 1), one.token) == 1)
        #expect(try await ask(two, 0..<2, on: "B2E1-33D5") == [])
        let strange = TestStation.report(0..<1, since: 0, upTo: 1, path: "OTHER/").sightings[0].origin.id
        #expect(try await two.catalog.card(TestStation.volume, [strange], two.token) == [])
    }

    @Test func whoWasShutOutSaysNothing() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        #expect(try await one.catalog.tell(TestStation.report(0..<2, since: 0, upTo: 1), one.token) == 1)
        #expect(try await ask(two, 0..<2).count == 1)
        #expect(try await test.as("postgres").revoke("desk-1"))
        #expect(try await ask(two, 0..<2) == [])
    }

    @Test func onlyASessionThatLastsIsAnswered() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1)
        await expect(.rejected) { try await ask(one, 0..<257) }
        #expect(try await ask(one, 0..<256) == [])
        try await one.catalog.leave(one.token)
        await expect(.cancelled) { try await ask(one, 0..<1) }
    }

    /// Tables of the version before know no such question, and learn it where they are brought up to date.
    @Test func olderTablesSayNothing() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        #expect(try await one.catalog.tell(TestStation.report(0..<2, since: 0, upTo: 1), one.token) == 1)
        try await test.sql("DROP FUNCTION catalog.card_v1; UPDATE catalog.meta SET schema = 5")
        #expect(try await ask(two, 0..<2) == [])
        // The connection is the same one, and so is the session.
        #expect(try await two.claim(1) == .granted)
        #expect(try await test.as("postgres").migrate() == ["tables 5 → \(CatalogSchema.newest)"])
        #expect(try await ask(two, 0..<2).first?.files == 2)
    }
}
