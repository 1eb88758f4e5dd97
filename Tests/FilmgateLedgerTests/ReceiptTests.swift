import FilmgateCore
import FilmgateLedger
import Synchronization
import Testing

/// What is asked for many files at once is what each one would be told alone, wherever the rows lie.
@Suite struct ReceiptTests {
    private func key(_ number: Int) -> ContentKey { ContentKey(sha256: Samples.sha(number)) }

    /// `step` = how many files of another card were recorded between two of this one.
    private func ledger(step: Int) async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger.inMemory()
        for number in 1...24 {
            let volume = number % step == 0 ? "uuid:1234" : "other"
            try await ledger.record([
                .asset(Samples.asset(number, volume: volume)), .delivery(Samples.delivery(number)),
            ])
            if number % 3 == 0 {
                try await ledger.record([.delivery(Samples.delivery(number, to: Samples.gallery, state: .pending))])
            }
        }
        return ledger
    }

    @Test(arguments: [[1, 2, 3, 4], [4, 3, 2, 1, 3], [1, 24], [24, 99, 6, 1, 99], [99], []]) func eachGetsItsOwn(
        _ numbers: [Int]
    ) async throws {
        let ledger = try await ledger(step: 1), keys = numbers.map(key)
        var alone: [[NamedReceipt]] = []
        for key in keys {
            alone.append(
                try await ledger.deliveries(of: key).map { NamedReceipt(target: $0.targetName, receipt: $0.receipt) })
        }
        #expect(try await ledger.receipts(of: keys) == alone)
        #expect(alone.map(\.count) == numbers.map { $0 == 99 ? 0 : $0 % 3 == 0 ? 2 : 1 })
    }

    /// A sidecar is delivered beside its picture: whoever knows its bytes alone is told of all of these.
    @Test func copiesOfASidecarStandBesideAnyPicture() async throws {
        let ledger = try SQLiteLedger.inMemory(), denied = Denial(.gone, "removed since", at: 40)
        let keys = [2, 3].map { ContentKey(sha256: Samples.sha(1), beside: Samples.sha($0)) }
        for (number, key) in zip([1, 2], keys) {
            var row = Samples.delivery(number)
            row.content = key
            try await ledger.record([.delivery(row)])
        }
        try await ledger.record([.delivery(Samples.delivery(2)), .delivery(Samples.delivery(3, state: .held))])
        try await ledger.record([.heard(keys[1], target: Samples.archive, denied)])
        let found = try ledger.reader.standings(of: [Samples.sha(1), Samples.sha(3), Samples.sha(99)])
        #expect(found.map(\.content) == keys + [key(3)])
        #expect(found.map(\.path) == (1...3).map { "/srv/photos/2026/IMG_\(padded($0, 4)).JPG" })
        #expect(found.map(\.state) == [.done, .done, .held] && found.allSatisfy { $0.target == Samples.archive })
        #expect(found.map { $0.denial?.reason } == [nil, "removed since", nil])
    }

    /// Side by side or scattered, and with files of another card in between, which are not told of.
    @Test(arguments: [1, 2, 3, 12]) func copiesOfOneCardOnly(_ step: Int) async throws {
        let ledger = try await ledger(step: step)
        func copies() async throws -> [DeliveredCopy] {
            let told = Mutex<[DeliveredCopy]>([])
            try await ledger.copies(volume: "uuid:1234", below: "DCIM") { copy in told.withLock { $0.append(copy) } }
            return told.withLock { $0 }
        }
        let numbers = (1...24).filter { $0 % step == 0 }, found = try await copies()
        #expect(found.map(\.path) == numbers.map { "/srv/photos/2026/IMG_\(padded($0, 4)).JPG" })
        #expect(found.allSatisfy { $0.target == Samples.archive && $0.targetName == "archive" && $0.denial == nil })
        // A denial is told of with the copy, and changes nothing about the others.
        let denied = Denial(.gone, "removed since", at: 40)
        try await ledger.record([.heard(key(24), target: Samples.archive, denied)])
        let after = try await copies()
        #expect(
            after.map(\.path) == found.map(\.path) && after.last?.denial == denied
                && after.dropLast().allSatisfy { $0.denial == nil })
    }
}
