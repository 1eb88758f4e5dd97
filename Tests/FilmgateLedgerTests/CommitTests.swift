import FilmgateCore
import Testing

@testable import FilmgateLedger

/// Many tasks record at once.
@Suite struct CommitTests {
    private struct Refused: Error {}

    @Test func fiftyWritersLoseNothing() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<50 {
                group.addTask {
                    for step in 0..<20 {
                        let number = writer * 20 + step
                        try await ledger.record([.asset(Samples.asset(number)), .delivery(Samples.delivery(number))])
                        // What has been recorded can be read at once.
                        let rows = try await ledger.deliveries(of: ContentKey(sha256: Samples.sha(number)))
                        try #require(rows == [Samples.delivery(number)])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await ledger.known(volume: "uuid:1234").count == 1000)
        #expect(try await ledger.delivered(below: "").count == 1000)
        #expect(try await ledger.integrityCheck() == [])
    }

    @Test func changesOfOneTaskKeepTheirOrder() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<10 {
                group.addTask {
                    for step in 1...30 {
                        let name = ShotName(counter: step, suffix: writer, base: "")
                        try await ledger.record([
                            .shotName(name, shot: "s\(writer)", target: Samples.archive, event: nil)
                        ])
                    }
                }
            }
            try await group.waitForAll()
        }
        for writer in 0..<10 {
            #expect(try await ledger.shotName("s\(writer)", at: Samples.archive, event: nil)?.counter == 30)
        }
    }

    /// Work that fails is undone alone, also when it shared a transaction; numbers given in the undone one are not used
    /// again.
    @Test func aFailureTakesNobodyWithIt() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        let results = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<200 {
                group.addTask {
                    let result = await Result { () async throws(IngestError) in
                        try await ledger.commits.commit { writer in
                            try writer.apply(.asset(Samples.asset(number, volume: "v\(number % 7)")))
                            try writer.apply(.delivery(Samples.delivery(number, to: "t\(number % 5)")))
                            if number % 3 == 0 { throw Refused() }
                            return 1
                        }
                    }
                    if case .success = result { return (number, true) } else { return (number, false) }
                }
            }
            return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        let survivors = (0..<200).filter { $0 % 3 != 0 }
        #expect(results.filter(\.value).keys.sorted() == survivors)
        #expect(results.count == 200)
        let kept = try await ledger.assets(AssetFilter()).map { Int($0.origin.size) - 1000 }
        #expect(kept.sorted() == survivors)
        #expect(try await ledger.integrityCheck() == [])
    }

    @Test func aCancelledTaskStillCommits() async throws {
        let ledger = try SQLiteLedger.inMemory()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await ledger.record([.asset(Samples.asset(1))])
        }
        try await task.value
        #expect(try await ledger.assets(AssetFilter()).count == 1)
    }

    @Test func runNumbersAreNeverGivenTwice() async throws {
        let ledger = try SQLiteLedger.inMemory()
        let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
            for at in 0..<40 { group.addTask { try await ledger.beginRun(verb: "import", event: nil, at: Int64(at)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(numbers).count == 40)
        #expect(numbers.allSatisfy { $0 > 0 })
    }
}
