import FilmgateCore
import Testing

@testable import FilmgateLedger

/// An order of very many pictures is given in parts, and is one order for who takes it back.
@Suite struct MarkPartTests {
    private func set(
        _ ledger: SQLiteLedger, _ numbers: [Int], rating: Int, after first: String? = nil
    ) async throws -> MarkOutcome {
        try await ledger.mark(
            MarkOrder(
                .set(rating: rating, pick: nil, colour: nil, sha256s: numbers.map(Samples.sha)), by: "ann",
                part: first.map { MarkOrder.Part(token: $0) }))
    }

    /// All parts; tells how many pictures each has changed.
    private func undo(_ ledger: SQLiteLedger, _ token: String) async throws -> (token: String, pictures: [Int]) {
        var order = MarkOrder(.undo(token: token), by: "bo"), pictures: [Int] = [], made = ""
        repeat {
            let outcome = try await ledger.mark(order)
            (made, order.part) = (outcome.undo, outcome.rest)
            pictures.append(outcome.sha256s.count)
        } while order.part != nil
        return (made, pictures)
    }

    private func ratings(_ ledger: SQLiteLedger, _ numbers: [Int]) async throws -> [Int?] {
        let marks = try await ledger.marks(of: numbers.map(Samples.sha))
        return numbers.map { marks[Samples.sha($0)]?.rating }
    }

    private func ledger(files: Int) async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.record((1...files).map { .asset(Samples.asset($0)) })
        return ledger
    }

    @Test func partsAreTakenBackAndPutBackTogether() async throws {
        let ledger = try await ledger(files: 6)
        _ = try await set(ledger, [2], rating: 1)
        let first = try await set(ledger, [1, 2], rating: 5)
        let second = try await set(ledger, [3, 4], rating: 5, after: first.undo)
        let third = try await set(ledger, [5], rating: 5, after: first.undo)
        #expect(second.undo == first.undo && third.undo == first.undo, "one word takes all of it back")
        #expect(first.revision < second.revision && second.revision < third.revision)
        // What somebody said since stays.
        _ = try await set(ledger, [4], rating: 2)
        let undone = try await undo(ledger, first.undo)
        #expect(undone.pictures == [1, 1, 2])
        #expect(try await ratings(ledger, Array(1...6)) == [nil, 1, nil, 2, nil, nil])
        _ = try await undo(ledger, undone.token)
        #expect(try await ratings(ledger, Array(1...6)) == [5, 5, 5, 2, 5, nil])
    }

    /// Its RAW is in one part, its JPEG in the next.
    @Test func aShotIsMarkedOnceWhateverPartsItIsIn() async throws {
        let ledger = try await ledger(files: 2)
        var raw = Samples.asset(1)
        raw.origin.path = raw.origin.path.replacing(".JPG", with: ".CR3")
        raw.origin.volumePath = raw.origin.path
        (raw.kind, raw.content, raw.digests) = (
            .raw, ContentKey(sha256: Samples.sha(11)), Digests(sha256: Samples.sha(11))
        )
        try await ledger.record([.asset(raw)])
        let first = try await set(ledger, [11], rating: 4)
        #expect(first.sha256s.count == 2)
        #expect(try await set(ledger, [1, 2], rating: 4, after: first.undo).sha256s == [Samples.sha(2)])
        _ = try await undo(ledger, first.undo)
        #expect(try await ratings(ledger, [1, 2, 11]) == [nil, nil, nil])
    }

    /// As many parts as a thousand orders have, and the order before them is still known.
    @Test func anOrderInManyPartsCountsOnce() async throws {
        let ledger = try await ledger(files: 2), before = try await set(ledger, [1], rating: 1)
        let first = try await set(ledger, [2], rating: 2)
        for _ in 0..<1001 { _ = try await set(ledger, [], rating: 2, after: first.undo) }
        _ = try await undo(ledger, before.undo)
        _ = try await undo(ledger, first.undo)
        #expect(try await ratings(ledger, [1, 2]) == [nil, nil])
    }

    /// Of an order that is being forgotten nothing can be taken back.
    @Test func anOldOrderIsForgottenAsAWhole() async throws {
        let ledger = try await ledger(files: 4), first = try await set(ledger, [1], rating: 3)
        for number in 2...4 { _ = try await set(ledger, [number], rating: 3, after: first.undo) }
        for _ in 0..<1000 { _ = try await set(ledger, [1], rating: 4) }
        await #expect(throws: IngestError.self) { _ = try await undo(ledger, first.undo) }
        #expect(try await ratings(ledger, [2, 4]) == [3, 3])
    }

    @Test func partsCountWithTheirOrder() async throws {
        let ledger = try await ledger(files: 5), first = try await set(ledger, [1, 2], rating: 3)
        _ = try await set(ledger, [3, 4, 5], rating: 3, after: first.undo)
        let found = try await ledger.reader.orders(beginning: String(first.undo.prefix(6)))
        #expect(found.map(\.token) == [first.undo] && found.first?.pictures == 5)
    }
}
