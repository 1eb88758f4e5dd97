import FilmgateCore
import FilmgateLedger
import Testing

/// Files that waited for bytes which another file, or a later run, has delivered.
@Suite struct FollowingTests {
    private let content = ContentKey(sha256: Samples.sha(1))

    private func waiting(_ number: Int, wanting targets: [String], _ ending: Ending? = .pending) -> AssetRow {
        var row = Samples.asset(number, run: 1, ending: ending)
        (row.content, row.wanted, row.reason) = (content, targets, "gallery: no answer")
        return row
    }

    private func delivery(_ target: String, _ state: Receipt.State, _ reason: String? = nil) -> LedgerChange {
        .delivery(Samples.delivery(1, to: target, state: state, reason: state == .failed ? "refused" : reason))
    }

    private func ending(
        _ row: AssetRow, after deliveries: [LedgerChange], run: Int64 = 2, twin: String = "/card/twin.jpg"
    ) async throws -> AssetRow {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record(
            [.asset(row)] + deliveries + [.followed(content, twin: twin, run: run, at: 99)])
        return try #require(try await ledger.assets(AssetFilter()).first)
    }

    @Test(arguments: [Ending.pending, .setAside, nil]) func itEndsAsADuplicateWhenAllIsDone(
        _ before: Ending?
    ) async throws {
        let row = waiting(1, wanting: [Samples.archive, Samples.gallery], before)
        let after = try await ending(row, after: [delivery(Samples.archive, .done), delivery(Samples.gallery, .done)])
        #expect(after.ending == .duplicate)
        #expect(after.reason == nil)
        #expect(after.twin == "/card/twin.jpg")
        #expect(after.run == 2)
    }

    /// A run may end its own file by what it heard last of another job's delivery, which went on since.
    @Test(arguments: [Ending.pending, .setAside]) func whatTheRunEndedTooEarlyIsDelivered(
        _ before: Ending
    ) async throws {
        let row = waiting(1, wanting: [Samples.archive, Samples.gallery], before)
        let all = [delivery(Samples.archive, .done), delivery(Samples.gallery, .done)]
        let after = try await ending(row, after: all, run: 1, twin: row.origin.absolutePath)
        #expect(after.ending == .delivered && after.reason == nil && after.twin == nil && after.run == 1)
        // Refused, and then taken from another place in the same run.
        let other = try await ending(row, after: all, run: 1)
        #expect(other.ending == .duplicate && other.twin == "/card/twin.jpg")
    }

    /// A later run meets the same file, and finds that every target has it.
    @Test func whatARunThatBrokeOffLeftIsDelivered() async throws {
        let row = waiting(1, wanting: [Samples.archive], nil), done = [delivery(Samples.archive, .done)]
        let own = try await ending(row, after: done, twin: "/card/" + row.origin.volumePath)
        #expect(own.ending == .delivered && own.twin == nil && own.run == 2)
        let other = try await ending(row, after: done, twin: "/card/other/" + row.origin.volumePath + ".JPG")
        #expect(other.ending == .duplicate)
    }

    @Test(arguments: [Receipt.State.pending, .held]) func itGoesOnWaiting(_ state: Receipt.State) async throws {
        let row = waiting(1, wanting: [Samples.archive, Samples.gallery])
        let waits = delivery(Samples.gallery, state, "no answer")
        #expect(try await ending(row, after: [delivery(Samples.archive, .done), waits]) == row)
        // One of its targets has never heard of the bytes, or it wants none.
        #expect(try await ending(row, after: [delivery(Samples.archive, .done)]) == row)
        let aimless = waiting(1, wanting: [])
        #expect(try await ending(aimless, after: [delivery(Samples.archive, .done)]) == aimless)
    }

    /// Whatever it waited for first: what it says is what it waits for now.
    @Test func itGoesOnWaitingForWhatIsLeft() async throws {
        var row = waiting(1, wanting: [Samples.archive, Samples.gallery])
        row.reason = "archive: no event; gallery: not picked"
        let left = delivery(Samples.gallery, .pending, "not picked")
        var after = try await ending(row, after: [delivery(Samples.archive, .done), left])
        #expect(after.reason == "gallery: not picked")
        after.reason = row.reason
        #expect(after == row)
        // What the run itself ended it said in its own words.
        #expect(try await ending(row, after: [delivery(Samples.archive, .done), left], run: row.run) == row)
        let both = [delivery(Samples.archive, .held, "full"), left]
        #expect(try await ending(row, after: both).reason == "archive: full; gallery: not picked")
    }

    @Test func aRefusalIsItsOwnToo() async throws {
        let row = waiting(1, wanting: [Samples.gallery])
        let after = try await ending(row, after: [delivery(Samples.gallery, .failed)])
        #expect(after.ending == .setAside)
        #expect(after.reason == "gallery: refused")
    }

    /// Each target that refused it is named, also one that did so later.
    @Test(arguments: [Ending.pending, .setAside]) func everyRefusalIsTold(_ before: Ending) async throws {
        let row = waiting(1, wanting: [Samples.archive, Samples.gallery], before)
        let after = try await ending(
            row, after: [delivery(Samples.archive, .failed), delivery(Samples.gallery, .failed)])
        #expect(after.ending == .setAside && after.reason == "archive: refused; gallery: refused")
    }

    /// A file that was still being written is another one to the ledger when it has grown; it is one file all the same.
    @Test(arguments: [(born: Int64(7), inode: UInt64(0)), (0, 9)]) func whatGrewAfterItWasSetAsideIsListedAsItIsNow(
        _ marks: (born: Int64, inode: UInt64)
    ) async throws {
        var before = Samples.asset(1, run: 1, ending: .setAside)
        (before.content, before.wanted, before.reason) = (nil, [], "changed while it was read")
        (before.origin.born, before.origin.inode, before.origin.changed) = (
            marks.born, marks.inode, marks.inode == 0 ? 0 : 4
        )
        var grown = Samples.asset(1, run: 2, ending: .delivered)
        (grown.origin.born, grown.origin.inode, grown.origin.size) = (marks.born, marks.inode, 5000)
        grown.origin.changed = marks.inode == 0 ? 0 : 5
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(before), .asset(grown)])
        #expect(try await ledger.assets(AssetFilter(endings: [.setAside])).isEmpty)
        #expect(try await ledger.assets(AssetFilter(endings: [.delivered])).map(\.origin) == [grown.origin])
    }

    /// A name that counts anew is another frame: what was never read of the first is lost to nobody's list.
    ///
    /// Files of a camera have their medium's number for an inode, and no time of change.
    @Test(arguments: [(born: Int64(8), inode: UInt64(0), changed: Int64(0)), (0, 10, 5), (0, 0, 0), (0, 9, 0)])
    func anotherFileOfTheNameHidesNothingThatWasSetAside(
        _ marks: (born: Int64, inode: UInt64, changed: Int64)
    ) async throws {
        var before = Samples.asset(1, run: 1, ending: .setAside)
        (before.content, before.wanted, before.reason) = (nil, [], "cannot be read")
        before.origin.born = marks.born == 0 ? 0 : 7
        (before.origin.inode, before.origin.changed) = (marks.inode == 0 ? 0 : 9, marks.changed == 0 ? 0 : 4)
        var other = Samples.asset(1, run: 2, ending: .delivered)
        (other.origin.born, other.origin.inode, other.origin.changed) = (marks.born, marks.inode, marks.changed)
        other.origin.size = 5000
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(before), .asset(other)])
        #expect(try await ledger.assets(AssetFilter(endings: [.setAside])).map(\.origin) == [before.origin])
    }

    /// What waited for its target, or is taken off the list, may be what the file was before.
    @Test(arguments: [true, false]) func anOlderStateOfTheFileHidesNoNewerOne(_ isOnFAT: Bool) async throws {
        var newer = Samples.asset(1, run: 2, ending: .setAside)
        (newer.content, newer.wanted, newer.reason) = (nil, [], "cannot be read")
        (newer.origin.born, newer.origin.inode, newer.origin.changed) = isOnFAT ? (7, 0, 0) : (0, 9, 5)
        newer.origin.modified += 10
        var older = Samples.asset(1, run: 1, ending: .pending)
        (older.origin.born, older.origin.inode, older.origin.changed) = isOnFAT ? (7, 0, 0) : (0, 9, 4)
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record([.asset(older), .asset(newer)])
        for ending in [Ending.delivered, .filtered] {
            older.ending = ending
            try await ledger.record([.asset(older)])
            #expect(try await ledger.assets(AssetFilter(endings: [.setAside])).map(\.origin) == [newer.origin])
        }
    }

    @Test func whatHasEndedAndWhatTheRunItselfHoldsStayAsTheyAre() async throws {
        for row in [
            waiting(1, wanting: [Samples.archive], .delivered), waiting(1, wanting: [Samples.archive], .filtered),
        ] {
            #expect(try await ending(row, after: [delivery(Samples.archive, .done)]) == row)
        }
        let own = waiting(1, wanting: [Samples.archive], nil)
        #expect(try await ending(own, after: [delivery(Samples.archive, .done)], run: 1) == own)
    }

    /// Held without an event, and then delivered for one: what wanted the first target wants the second.
    @Test func whatWaitedForADeliveryWaitsForItsHeir() async throws {
        let ledger = try SQLiteLedger.inMemory(), heir = Samples.archive + ":e"
        try await ledger.record([.asset(waiting(1, wanting: [Samples.archive])), delivery(Samples.archive, .held)])
        try await ledger.record([
            delivery(heir, .done), .withdraw(content, target: Samples.archive, heir: heir, event: "e"),
            .followed(content, twin: "/card/twin.jpg", run: 2, at: 99),
        ])
        let after = try #require(try await ledger.assets(AssetFilter()).first)
        #expect(after.wanted == [heir] && after.event == "e" && after.ending == .duplicate)
        #expect(try await ledger.deliveries(of: content).map(\.target) == [heir])
    }

    /// The first event that is said of it counts; a target may be the same for every event.
    @Test(arguments: [Samples.archive, Samples.archive + ":e"]) func whatWaitsForAnEventIsGivenToOne(
        _ heir: String
    ) async throws {
        let ledger = try SQLiteLedger.inMemory()
        var file = waiting(1, wanting: [Samples.archive])
        (file.event, file.reason) = (DeliveryRow.unassigned, "archive: no event")
        var row = Samples.delivery(1, state: .held, reason: "no event")
        row.event = DeliveryRow.unassigned
        try await ledger.record([.asset(file), .delivery(row)])
        row.target = heir
        for event in ["e", "f"] {
            (row.event, row.receipt.state, row.receipt.reason) = (event, .pending, "it belongs to \(event)")
            try await ledger.record([.assigned(row, from: Samples.archive)])
            let after = try #require(try await ledger.assets(AssetFilter()).first)
            #expect(after.wanted == [heir] && after.event == "e" && after.reason == "archive: it belongs to e")
            #expect(try await ledger.deliveries(of: content).map(\.target) == [heir])
        }
        let known = try #require(try await ledger.deliveries(of: content).first)
        #expect(known.event == "e" && known.receipt.state == .pending)
    }

    /// It came there for that event from another place meanwhile.
    @Test func whatTheTargetHasForTheEventStays() async throws {
        let ledger = try SQLiteLedger.inMemory(), heir = Samples.archive + ":e"
        var row = Samples.delivery(1, state: .held)
        row.event = DeliveryRow.unassigned
        try await ledger.record([.delivery(row), delivery(heir, .done)])
        (row.target, row.event, row.receipt.state) = (heir, "e", .pending)
        try await ledger.record([.assigned(row, from: Samples.archive)])
        let rows = try await ledger.deliveries(of: content)
        #expect(rows.map(\.target) == [heir] && rows.map(\.receipt.state) == [.done])
    }

    /// The parts of a name stay with a delivery until it is done.
    @Test func aDeliveryThatWaitsKeepsThePartsOfItsName() async throws {
        let ledger = try SQLiteLedger.inMemory(), name = DeliveryName(pattern: "a\u{F0001}.JPG", counter: 7, suffix: 2)
        for state in [Receipt.State.pending, .done] {
            var row = Samples.delivery(1, state: state, path: "a-2.JPG")
            row.name = name
            try await ledger.record([.delivery(row)])
            #expect(try await ledger.deliveries(of: content).first?.name == (state == .done ? nil : name))
        }
    }

    /// What a run did stays what it did.
    @Test func aRunIsRememberedWhenALaterOneGoesOn() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var first = Samples.asset(1, run: 1, ending: .pending), second = first
        (first.reason, second.run, second.ending) = ("gallery: no answer", 3, .delivered)
        second.at += 1
        try await ledger.record([.asset(first), .asset(Samples.asset(2, run: 1)), .asset(second)])
        #expect(try await ledger.assets(AssetFilter(run: 1)) == [first, Samples.asset(2, run: 1)])
        #expect(try await ledger.assets(AssetFilter(run: 3)) == [second])
        #expect(try await ledger.assets(AssetFilter(endings: [.pending], run: 1)) == [first])
        #expect(try await ledger.assets(AssetFilter(endings: [.pending])) == [])
        #expect(try await ledger.assets(AssetFilter()).count == 2)
        // Recorded twice by one run, it is one file of that run.
        try await ledger.record([.asset(second)])
        #expect(try await ledger.assets(AssetFilter(run: 3)).count == 1)
    }

    /// A run that goes on, and jobs that are handed to it, write of the same files in turns.
    @Test func runsMayTakeTurns() async throws {
        let ledger = try SQLiteLedger.inMemory()
        for (run, ending) in [
            (1, Ending.pending), (2, .delivered), (1, .pending), (3, .duplicate), (2, .pending), (1, .delivered),
        ] {
            try await ledger.record([.asset(Samples.asset(1, run: Int64(run), ending: ending))])
        }
        for (run, ending) in [(1, Ending.delivered), (2, .pending), (3, .duplicate)] {
            #expect(try await ledger.assets(AssetFilter(run: Int64(run))).map(\.ending) == [ending])
        }
        #expect(try await ledger.assets(AssetFilter()).count == 1)
    }

    @Test func whoHoldsTheStateIsSeenFromOutside() throws {
        let state = try TemporaryState()
        #expect(StateHolder(directory: state.path) == nil)
        let ledger = try state.open()
        #expect(StateHolder(directory: state.path) != nil)
        ledger.close()
        #expect(StateHolder(directory: state.path) == nil)
    }
}
