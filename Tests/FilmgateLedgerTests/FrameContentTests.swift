import FilmgateCore
import Testing

@testable import FilmgateLedger

/// What filters of lists ask the ledger for.
@Suite struct FrameContentTests {
    private static let key = SipKey(low: 1, high: 2)

    private func shas(_ contents: NumberSet, _ ledger: SQLiteLedger) async throws -> Set<String> {
        Set(try await ledger.reader.sha256s(of: contents.numbers))
    }

    private func deliveries(_ ledger: SQLiteLedger) async throws {
        try await ledger.record(
            (1...5).map { .asset(Samples.asset($0)) } + [
                .delivery(Samples.delivery(1)), .delivery(Samples.delivery(1, to: Samples.gallery, state: .pending)),
                .delivery(Samples.delivery(2)), .delivery(Samples.delivery(2, to: Samples.gallery)),
                .delivery(Samples.delivery(3, to: Samples.gallery, state: .held)),
                .delivery(Samples.delivery(4, state: .failed)), .delivery(Samples.delivery(5, state: .excluded)),
            ])
    }

    @Test(
        arguments: [
            ("archive", nil, [1, 2, 4, 5]), ("gallery", nil, [1, 2, 3]), (nil, nil, [1, 2, 3, 4, 5]),
            ("archive", [.done], [1, 2]), ("gallery", [.done], [2]), (nil, [.done], [1, 2]),
            ("gallery", [.pending, .held], [1, 3]), (nil, [.failed, .excluded, .pending], [1, 4, 5]),
            ("gallery", [.done, .held], [2, 3]), ("nowhere", nil, []), (nil, [], []),
        ] as [(String?, Set<Receipt.State>?, [Int])])
    func deliveriesAreFoundByTargetAndState(
        _ target: String?, _ states: Set<Receipt.State>?, _ found: [Int]
    ) async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await deliveries(ledger)
        let contents = try await ledger.reader.contents(ofTarget: target, states: states)
        #expect(try await shas(contents, ledger) == Set(found.map(Samples.sha)))
    }

    @Test func camerasAreFoundByWhatTheyAreCalled() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var rows = (1...3).map { Samples.asset($0) }
        for index in rows.indices {
            var media = MediaFacts()
            (media.make, media.model, media.serial) = ("Make", index == 2 ? "Other" : "Model", "s\(index)")
            rows[index].media = media
        }
        try await ledger.record(rows.map { .asset($0) })
        func count(_ name: String, serials: Bool = true) async throws -> Int {
            try await ledger.reader.cameras(called: name, serials: serials).count
        }
        #expect(try await count("Model") == 2)
        #expect(try await count("Make Model") == 2)
        #expect(try await count("Other") == 1)
        #expect(try await count("make") == 3)
        #expect(try await count("mod") == 2)
        #expect(try await count("%") == 0)
        #expect(try await count("s1") == 1)
        #expect(try await count("s1", serials: false) == 0)
    }

    /// Read as a whole, and taken over file by file after a mark and after an undoing.
    @Test func theListHasStarsAndPicks() async throws {
        let ledger = try SQLiteLedger.inMemory(), reader = ledger.reader
        var rows = (1...3).map { Samples.asset($0) }
        for (index, rating) in [4, -1, nil].enumerated() {
            var media = MediaFacts()
            (media.make, media.rating) = ("Make", rating)
            rows[index].media = media
        }
        try await ledger.record(rows.map { .asset($0) })
        var list = FrameList(revision: 0)
        _ = list.replace(try await reader.frameIndex(Self.key))
        func found(_ list: FrameList, _ change: (inout FrameFilter) -> Void) async throws -> Set<String> {
            var list = list, filter = FrameFilter()
            change(&filter)
            return try await shas(list.bytes(filter, finds: FrameFinds()), ledger)
        }
        func sees(_ list: FrameList, stars: [Int], rejected: [Int], picked: [Int]) async throws -> Bool {
            let starred = try await found(list) { $0.stars = 3 }, out = try await found(list) { $0.picks = [.rejected] }
            let chosen = try await found(list) { $0.picks = [.picked] }
            return starred == Set(stars.map(Samples.sha)) && out == Set(rejected.map(Samples.sha))
                && chosen == Set(picked.map(Samples.sha))
        }
        #expect(try await sees(list, stars: [1], rejected: [2], picked: []))
        let order = MarkOrder(
            .set(rating: 5, pick: .picked, colour: nil, sha256s: [Samples.sha(2), Samples.sha(3)]), by: "ann")
        let made = try await ledger.mark(order)
        for isUndone in [false, true] {
            if isUndone { _ = try await ledger.mark(MarkOrder(.undo(token: made.undo), by: "ann")) }
            let contents = try #require(try await reader.contentsMarked(since: 0, limit: 10).contents)
            _ = list.take(try #require(try await reader.frames(ofContents: contents, most: 9, Self.key)))
            var anew = FrameList(revision: 0)
            _ = anew.replace(try await reader.frameIndex(Self.key))
            for list in [list, anew] {
                let (stars, rejected, picked): ([Int], [Int], [Int]) =
                    isUndone ? ([1], [2], []) : ([1, 2, 3], [], [2, 3])
                #expect(try await sees(list, stars: stars, rejected: rejected, picked: picked))
            }
        }
    }

    @Test func waitingDeliveriesAreCountedByEvent() async throws {
        let ledger = try SQLiteLedger.inMemory()
        let events = [nil, DeliveryRow.unassigned, "wedding", DeliveryRow.unassigned, "fair"]
        try await ledger.record(
            events.enumerated().map { number, event -> LedgerChange in
                var row = Samples.delivery(number, state: number == 3 ? .pending : .held)
                row.event = event
                return .delivery(row)
            })
        func count(_ event: String?, limit: Int = 9) async throws -> [Int] {
            let part = try await ledger.reader.openDeliveries(
                [.held, .pending], target: nil, event: event, from: 0, limit: limit)
            return [part.elements.count, part.total]
        }
        #expect(try await count(nil) == [5, 5])
        #expect(try await count(DeliveryRow.unassigned, limit: 1) == [1, 2])
        #expect(try await count("wedding") == [1, 1])
        #expect(try await count("nothing") == [0, 0])
    }

    @Test func contentsAreThoseWithFiles() async throws {
        let ledger = try SQLiteLedger.inMemory()
        var beside = Samples.asset(2)
        beside.content = ContentKey(sha256: Samples.sha(1), beside: Samples.sha(9))
        try await ledger.record([
            .asset(Samples.asset(1)), .asset(beside), .delivery(Samples.delivery(7)),
        ])
        let found = try await ledger.reader.contents(of: [1, 7, 8].map(Samples.sha))
        #expect(found.map(\.count) == [2, 0, 0])
    }
}
