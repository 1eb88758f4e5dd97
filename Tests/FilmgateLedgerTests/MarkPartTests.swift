import FilmgateCore
import Foundation
import Synchronization
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

    /// Whoever takes much back counts, too: what is left of that order is not forgotten for it, nor for another order
    /// in between.
    @Test(arguments: [false, true]) func aLargeOrderIsTakenBackToItsEnd(isAnotherBetween: Bool) async throws {
        let ledger = try await ledger(files: 9)
        let first = try await few(ledger, .set(rating: 4, pick: nil, colour: nil, sha256s: [1, 2].map(Samples.sha)))
        for numbers in [[3, 4], [5, 6], [7, 8]] {
            let order = MarkOrder.Order.set(rating: 4, pick: nil, colour: nil, sha256s: numbers.map(Samples.sha))
            _ = try await few(ledger, order, MarkOrder.Part(token: first.undo))
        }
        var part: MarkOrder.Part?, parts = 0
        repeat {
            part = try await few(ledger, .undo(token: first.undo), part).rest
            parts += 1
            let other = MarkOrder.Order.set(rating: nil, pick: .picked, colour: nil, sha256s: [Samples.sha(9)])
            if isAnotherBetween, parts == 1 { _ = try await few(ledger, other) }
        } while part != nil
        #expect(parts == 4)
        #expect(try await ratings(ledger, Array(1...8)) == Array(repeating: nil, count: 8))
    }

    /// A part whose order was forgotten but for that is taken back, and then there is nothing more.
    @Test func whatIsLeftOfAForgottenOrderIsTakenBack() async throws {
        let ledger = try await ledger(files: 9), first = try await set(ledger, [1], rating: 4)
        for number in 2...4 { _ = try await set(ledger, [number], rating: 4, after: first.undo) }
        var order = MarkOrder(.undo(token: first.undo), by: "bo")
        order.part = try await ledger.mark(order).rest
        // Two of the three parts that are left.
        _ = try await few(ledger, .set(rating: 1, pick: nil, colour: nil, sha256s: [Samples.sha(9)]), most: 0)
        order.part = try await ledger.mark(order).rest
        #expect(try await ratings(ledger, [1, 2, 3, 4]) == [4, 4, nil, nil])
        await #expect(throws: IngestError.self) { _ = try await ledger.mark(order) }
    }

    /// An order of a ledger that keeps few.
    private func few(
        _ ledger: SQLiteLedger, _ order: MarkOrder.Order, _ part: MarkOrder.Part? = nil, most: Int = 4
    ) async throws -> MarkOutcome {
        let made = Mutex<MarkOutcome?>(nil), own = UUID().uuidString.lowercased().replacing("-", with: "")
        _ = try await ledger.commits.commit { writer in
            let writing = MarkWriter(writer.db, mostPictures: most), whole = MarkOrder(order, by: "ann", part: part)
            var shots: [[String]] = []
            if case .set(_, _, _, let sha256s) = whole.order { shots = try writing.shots(of: sha256s) }
            let token = part.map { $0.token + MarkWriter.partSign + own } ?? own
            let outcome = try writing.carryOut(whole, shots, token: token, at: 1)
            made.withLock { $0 = outcome }
            return 0
        }
        let outcome = made.withLock(\.self)
        return try #require(outcome)
    }
}
