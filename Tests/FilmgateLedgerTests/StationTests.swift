import FilmgateCore
import GRDB
import Testing

@testable import FilmgateLedger

/// What a ledger has for a catalogue, in the same transaction as the row, and nothing where there is no catalogue.
@Suite struct StationTests {
    static let membership = StationMembership(
        uuid: String(repeating: "a", count: 32), name: "desk-3", epoch: 1, catalog: String(repeating: "b", count: 32),
        applied: 0)

    private func told(_ ledger: SQLiteLedger) async throws -> Int64 {
        try await ledger.reader.scan { db in
            var query = try Query(db, "SELECT count(*) FROM told")
            return try query.next() ? query.int() : -1
        }
    }

    @Test func withoutACatalogueNothingIsWritten() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([
            .asset(Samples.asset(1)), .delivery(Samples.delivery(1, to: Samples.gallery, state: .done)),
        ])
        #expect(try await told(ledger) == 0)
        #expect(try await ledger.station() == nil)
        #expect(try await ledger.untold(after: 0, limit: 10) == nil)
        let triggers = try await ledger.reader.scan { db in
            var query = try Query(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'told%'")
            return try query.next() ? query.int() : -1
        }
        #expect(triggers == 0)
    }

    /// Whoever looks after the stations sees what is only there.
    @Test func theStatusSaysWhatWaits() async throws {
        let ledger = try SQLiteLedger.inMemory()
        #expect(try await ledger.reader.stationStatus() == nil)
        try await ledger.join(Self.membership)
        let states: [Receipt.State] = [.done, .pending, .held, .failed, .excluded]
        for (number, state) in states.enumerated() {
            try await ledger.record([
                .asset(Samples.asset(number)), .delivery(Samples.delivery(number, to: Samples.gallery, state: state)),
            ])
        }
        #expect(try await ledger.reader.stationStatus()?.waiting == 3)
    }

    /// Which target, how much, and what keeps it.
    @Test func theStatusSaysWhereItWaits() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        let rows: [(Receipt.State, String, Int64, String?)] = [
            (.held, Samples.gallery, 8, "signed out"), (.held, Samples.gallery, 7, "earlier"),
            (.pending, Samples.gallery, 9, "offline"), (.failed, Samples.archive, 9, "too large"),
            (.done, Samples.archive, 9, nil), (.excluded, Samples.archive, 9, "culled"),
        ]
        try await ledger.record(
            rows.enumerated().map { number, row in
                .delivery(Samples.delivery(number, to: row.1, state: row.0, at: row.2, reason: row.3))
            })
        let targets = try #require(try await ledger.status()).targets
        #expect(
            targets == [
                StationStatus.Target(name: "gallery", waiting: 3, bytes: 3003, held: 2, reason: "signed out"),
                StationStatus.Target(name: "archive", waiting: 1, bytes: 1003),
            ])
        let open = try await ledger.reader.openTargets()
        #expect(open.map(\.identity) == [Samples.gallery, Samples.archive] && open.map(\.failed) == [0, 1])
    }

    @Test func whatWasThereBeforeIsToldToo() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([
            .asset(Samples.asset(1)), .delivery(Samples.delivery(1, to: Samples.gallery, state: .done)),
        ])
        try await ledger.join(Self.membership)
        let report = try #require(try await ledger.untold(after: 0, limit: 100))
        #expect((report.since, report.upTo) == (0, 2))
        #expect(report.sightings.map(\.origin) == [Samples.asset(1).origin])
        #expect(report.sightings.first?.sha256 == Samples.sha(1))
        #expect(report.contents.map(\.sha256) == [Samples.sha(1)])
        #expect(report.deliveries.map(\.state) == [.done])
        #expect(report.deliveries.map(\.target) == [Samples.gallery])
        // A file on its way is not told.
        try await ledger.record([.asset(Samples.asset(2, ending: nil))])
        #expect(try await ledger.untold(after: 2, limit: 100) == nil)
    }

    /// Three changes of one row are told once, as the row is now.
    @Test func rowsAreToldAsTheyAre() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        let gallery = Samples.gallery
        try await ledger.record([.asset(Samples.asset(1, ending: nil))])
        try await ledger.record([.delivery(Samples.delivery(1, to: gallery, state: .pending))])
        #expect(try await told(ledger) == 0)
        try await ledger.record([.asset(Samples.asset(1, ending: .pending))])
        try await ledger.record([.delivery(Samples.delivery(1, to: gallery, state: .done)), .asset(Samples.asset(1))])
        let report = try #require(try await ledger.untold(after: 0, limit: 100))
        #expect(report.upTo == 3)
        #expect(report.sightings.map(\.ending) == [.delivered])
        #expect(report.deliveries.count == 1)
        // The same rows again change nothing.
        try await ledger.record([.delivery(Samples.delivery(1, to: gallery, state: .done)), .asset(Samples.asset(1))])
        #expect(try await told(ledger) == 3)
    }

    @Test func whatTargetsSaidLaterIsTold() async throws {
        let ledger = try SQLiteLedger.inMemory(), key = ContentKey(sha256: Samples.sha(1)), gallery = Samples.gallery
        try await ledger.join(Self.membership)
        try await ledger.record([.delivery(Samples.delivery(1, to: gallery, state: .done))])
        try await ledger.record([.heard(key, target: gallery, Denial(.gone, "gone", at: 5))])
        let gone = try #require(try await ledger.untold(after: 1, limit: 100))
        #expect(gone.deliveries.map(\.state) == [.removed])
        try await ledger.record([.heard(key, target: gallery, nil)])
        let back = try #require(try await ledger.untold(after: gone.upTo, limit: 100))
        #expect(back.deliveries.map(\.state) == [.done])
        try await ledger.record([.withdraw(key, target: gallery, heir: Samples.archive, event: nil)])
        let away = try #require(try await ledger.untold(after: back.upTo, limit: 100))
        #expect(away.deliveries.map(\.state) == [.withdrawn])
    }

    /// Of the cards that it took from the latest come first; what a folder or a camera gave is no card.
    @Test func aStationSaysWhichCardsItTook() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(Samples.asset(1, volume: "uuid:before"))])
        #expect(try await ledger.status() == nil)
        try await ledger.join(Self.membership)
        var folder = Samples.asset(50, volume: "uuid:folder")
        folder.origin.source = "folder"
        let cards = (2...9).map { Samples.asset($0, volume: "uuid:\($0)") }
        try await ledger.record((cards + [folder, Samples.asset(60, volume: "uuid:4")]).map { .asset($0) })
        let status = try #require(try await ledger.status())
        #expect(status.untold == 11)
        #expect(status.cards.map(\.volume) == ["uuid:4", "uuid:9", "uuid:8", "uuid:7", "uuid:6"])
        #expect(status.cards.allSatisfy { $0.label == "CARD" })
        #expect(status.cards.first?.at == Samples.asset(60).at)
        try await ledger.acknowledge(11)
        #expect(try await ledger.status()?.untold == 0)
    }

    @Test func whatWaitsForTheCatalogueIsCounted() async throws {
        let ledger = try SQLiteLedger.inMemory(), gallery = Samples.gallery
        let rows: [(Receipt.State, String?)] = [
            (.held, CatalogWords.absent + ": away"), (.held, CatalogWords.absent + ", and gallery cannot either: away"),
            (.held, "desk-3 may have sent it"), (.failed, CatalogWords.absent), (.done, nil), (.pending, "offline"),
        ]
        try await ledger.record(
            rows.enumerated().map {
                .delivery(Samples.delivery($0.offset, to: gallery, state: $0.element.0, reason: $0.element.1))
            })
        #expect(try await ledger.reader.heldForCatalog() == 2)
    }

    /// A transaction that is undone has told nothing.
    @Test func whatIsUndoneIsNotTold() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        struct Stop: Error {}
        await #expect(throws: (any Error).self) {
            _ = try await ledger.commits.commit { writer in
                try writer.apply(.asset(Samples.asset(1)))
                throw Stop()
            }
        }
        #expect(try await told(ledger) == 0)
        #expect(try await ledger.station()?.last == 0)
    }

    @Test func batchesFollowOneAnother() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        try await ledger.record((1...250).map { .asset(Samples.asset($0)) })
        var since: Int64 = 0, seen = 0
        while let report = try await ledger.untold(after: since, limit: 100) {
            #expect(report.since == since)
            seen += report.sightings.count
            since = report.upTo
            try await ledger.acknowledge(since)
        }
        #expect(seen == 250)
        let place = try #require(try await ledger.station())
        #expect((place.acknowledged, place.last, place.waiting) == (250, 250, 0))
    }

    /// A failover lost the tail: what the catalogue has lost is told again, from the lines that are kept.
    @Test func aCatalogueThatWasSetBackIsToldTheRest() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        try await ledger.record((1...20).map { .asset(Samples.asset($0)) })
        try await ledger.acknowledge(20)
        #expect(try await told(ledger) == 20)
        try await ledger.acknowledge(5)
        #expect(try await ledger.untold(after: 5, limit: 100)?.sightings.count == 15)
        // Lines that are gone: all anew, behind the numbers that were used.
        try await ledger.acknowledge(20)
        _ = try await ledger.commits.commit { writer in
            try writer.db.execute(sql: "DELETE FROM told WHERE seq < 15")
            return 0
        }
        try await ledger.acknowledge(5)
        let report = try #require(try await ledger.untold(after: 5, limit: 100))
        #expect(report.sightings.count == 20)
        #expect(report.upTo == 40)
    }

    /// Only what has no row any more is lost with its line: what waits to be withdrawn is told all the same.
    @Test func whatWaitsIsToldBesideWhatIsToldAnew() async throws {
        let ledger = try SQLiteLedger.inMemory(), key = ContentKey(sha256: Samples.sha(1))
        try await ledger.join(Self.membership)
        try await ledger.record((1...20).map { .delivery(Samples.delivery($0, to: Samples.gallery, state: .done)) })
        try await ledger.acknowledge(20)
        try await ledger.record([.withdraw(key, target: Samples.gallery, heir: Samples.archive, event: nil)])
        #expect(try await ledger.seed())
        let waiting = try #require(try await ledger.untold(after: 20, limit: 100))
        #expect(waiting.upTo == 40 && waiting.deliveries.count == 20)
        #expect(waiting.deliveries.filter { $0.state == .withdrawn }.map(\.content) == [key])
        // Set back behind the oldest line.
        try await ledger.acknowledge(40)
        _ = try await ledger.commits.commit { writer in
            try writer.db.execute(sql: "DELETE FROM told WHERE seq < 21")
            return 0
        }
        try await ledger.acknowledge(5)
        let rest = try #require(try await ledger.untold(after: 5, limit: 100))
        #expect(rest.upTo == 59 && rest.deliveries.count == 20)
        #expect(rest.deliveries.filter { $0.state == .withdrawn }.map(\.content) == [key])
    }

    /// Each part goes on behind the last line of the one before; a file that is there in two versions is one line.
    @Test(arguments: [1, 3, 7, 1000]) func allIsToldWhateverIsToldAtOnce(_ limit: Int) async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record((1...10).map { .asset(Samples.asset($0)) })
        try await ledger.record((1...10).map { .asset(Samples.asset($0, volume: "uuid:\u{0}é")) })
        var newer = Samples.asset(4)
        newer.origin.size += 1
        try await ledger.record([.asset(newer), .asset(Samples.asset(11, ending: nil))])
        try await ledger.record((1...10).map { .delivery(Samples.delivery($0, state: $0 == 3 ? .pending : .done)) })
        try await ledger.join(Self.membership)
        let before = try #require(try await ledger.station()?.last)
        let all = try #require(try await ledger.untold(after: 0, limit: .max))
        #expect(before == 29 && all.sightings.count == 21 && all.deliveries.count == 9)
        try await ledger.acknowledge(before)
        try await ledger.makeLines(atOnce: limit)
        let again = try #require(try await ledger.untold(after: before, limit: .max))
        #expect(again.upTo == 2 * before)
        #expect(Set(again.sightings) == Set(all.sightings) && Set(again.deliveries) == Set(all.deliveries))
        let holdings = try await ledger.reader.stationHoldings()
        #expect((holdings.files, holdings.copies) == (20, 9))
    }

    /// A station that was killed while it made lines stands where it stood.
    @Test func linesThatWereBrokenOffAreMadeAnew() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var membership = Self.membership
        membership.applied = 100
        try await ledger.join(membership)
        try await ledger.record((1...20).map { .asset(Samples.asset($0)) })
        try await ledger.acknowledge(120)
        _ = try await ledger.commits.commit { writer in
            _ = try Seeding.files.lines(behind: nil, limit: 5, writer.db)
            return 0
        }
        #expect(try await ledger.station()?.acknowledged == 120)
        try await ledger.acknowledge(50)
        #expect(try await ledger.station()?.acknowledged == 50)
        #expect(try await ledger.untold(after: 50, limit: .max)?.sightings.count == 20)
    }

    /// A folder whose files are written over again and again: the catalogue takes 10,000 files in one report.
    @Test func manyVersionsOfOnePathAreTold() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var changes: [LedgerChange] = []
        for version in 0...100 {
            for path in 0..<100 {
                var row = Samples.asset(path)
                (row.origin.modified, row.at) = (row.origin.modified + Int64(version), Int64(version))
                changes.append(.asset(row))
            }
        }
        try await ledger.record(changes)
        try await ledger.join(Self.membership)
        var since: Int64 = 0, origins: Set<Origin> = []
        while let report = try await ledger.untold(after: since, limit: 1000) {
            #expect(report.since == since && report.sightings.count <= 10_000)
            origins.formUnion(report.sightings.map(\.origin))
            since = report.upTo
        }
        #expect(origins.count == 10_100 && since == 100)
        // One that is told again ends where it ended, and one path alone may be too much: then the newest are told.
        let again = try await ledger.reader.scan { db in
            try UntoldReading(db, most: 50).report(after: 0, upTo: 40, limit: .max)
        }
        #expect(again?.upTo == 40 && again?.sightings.count == 80)
        #expect(Set(again?.sightings.map(\.at) ?? []) == [99, 100])
        let alone = try await ledger.reader.scan { db in
            try UntoldReading(db, most: 50).report(after: 0, upTo: nil, limit: 1000)
        }
        #expect(alone?.upTo == 1 && alone?.sightings.count == 100 && alone?.sightings.map(\.at).min() == 1)
    }

    /// A catalogue may be older than the word that a place is gone.
    @Test func aPlaceThatIsGoneIsToldAnew() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        var row = Samples.delivery(1, to: Samples.gallery, state: .excluded)
        row.attempts = DeliveryRow.retired
        try await ledger.record([.delivery(row), .delivery(Samples.delivery(2, to: Samples.gallery, state: .excluded))])
        #expect(try await ledger.seed())
        let report = try #require(try await ledger.untold(after: 0, limit: 10))
        #expect(report.deliveries.map(\.content) == [row.content] && report.deliveries.map(\.state) == [.withdrawn])
    }

    @Test func withoutACatalogueThereIsNobodyToTell() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(Samples.asset(1))])
        await #expect { try await ledger.seed() } throws: { ($0 as? IngestError)?.code == .misconfigured }
        #expect(try await told(ledger) == 0)
    }

    /// A report of which nothing was heard may have arrived: it is told again as it was.
    @Test func whatIsBeingToldIsKnownUntilItIsSettled() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        try await ledger.record((1...5).map { .asset(Samples.asset($0)) })
        #expect(try await ledger.station()?.telling == nil)
        try await ledger.note(telling: 3)
        try await ledger.record([.asset(Samples.asset(6))])
        #expect(try await ledger.untold(after: 0, upTo: 3, limit: .max)?.upTo == 3)
        #expect(try await ledger.untold(after: 3, upTo: 3, limit: .max) == nil)
        // The catalogue stands where it stood: that says nothing of what is on its way.
        try await ledger.acknowledge(0)
        #expect(try await ledger.station()?.telling == 3)
        try await ledger.acknowledge(3)
        #expect(try await ledger.station()?.telling == nil)
        try await ledger.note(telling: 6)
        try await ledger.acknowledge(1)
        #expect(try await ledger.station()?.telling == nil)
    }

    /// Whoever takes an identity anew goes on behind what the catalogue knows of it.
    @Test func numbersAreNeverUsedTwice() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(Samples.asset(1))])
        var anew = Self.membership
        (anew.epoch, anew.applied) = (2, 5400)
        try await ledger.join(anew)
        let report = try #require(try await ledger.untold(after: 5400, limit: 10))
        #expect((report.since, report.upTo) == (5400, 5401))
        try await ledger.note(session: 77, history: ServerHistory(timeline: 3))
        try await ledger.note(session: 78, history: ServerHistory(timeline: 2))
        let place = try #require(try await ledger.station())
        #expect((place.session, place.history?.timeline, place.membership.epoch) == (78, 3, 2))
        try await ledger.leaveCatalog()
        #expect(try await ledger.station() == nil)
        try await ledger.record([.asset(Samples.asset(2))])
        #expect(try await told(ledger) == 0)
    }

    /// The newest of its cluster stays known, and a catalogue that was moved to another one begins anew there.
    @Test func theNewestHistoryOfAClusterIsKept() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(Self.membership)
        #expect(try await ledger.station()?.history == nil)
        let met: [(ServerHistory?, ServerHistory)] = [
            (ServerHistory(timeline: 3), ServerHistory(timeline: 3)),
            (ServerHistory(cluster: 7, timeline: 3), ServerHistory(cluster: 7, timeline: 3)),
            (ServerHistory(cluster: 7, timeline: 4), ServerHistory(cluster: 7, timeline: 4)),
            (ServerHistory(cluster: 7, timeline: 2), ServerHistory(cluster: 7, timeline: 4)),
            (nil, ServerHistory(cluster: 7, timeline: 4)),
            (ServerHistory(timeline: 5), ServerHistory(cluster: 7, timeline: 5)),
            (ServerHistory(cluster: 8, timeline: 1), ServerHistory(cluster: 8, timeline: 1)),
        ]
        for (number, (told, known)) in met.enumerated() {
            try await ledger.note(session: Int64(number), history: told)
            #expect(try await ledger.standing()?.history == known, "\(number)")
        }
        // Whoever joins anew says where the catalogue is.
        try await ledger.join(Self.membership)
        #expect(try await ledger.station()?.history == nil)
    }

    /// Beside a run, other processes write what targets said.
    @Test func wordsFromOutsideTheRunAreTold() async throws {
        let state = try TemporaryState(), ledger = try SQLiteLedger.open(directory: state.path)
        defer { ledger.close() }
        try await ledger.join(Self.membership)
        let delivery = Samples.delivery(1, to: Samples.gallery, state: .done)
        try await ledger.record([.delivery(delivery)])
        let word = TargetStatement(of: delivery, Denial(.gone, "gone", at: 9))
        try await SQLiteLedger.note([word], directory: state.path)
        #expect(try await ledger.untold(after: 1, limit: 10)?.deliveries.map(\.state) == [.removed])
    }
}
