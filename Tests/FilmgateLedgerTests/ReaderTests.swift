import FilmgateCore
import Foundation
import GRDB
import Testing

@testable import FilmgateLedger

/// Reading verbs run beside a writer and leave no trace.
@Suite struct ReaderTests {
    @Test func whereNothingWasIngestedTheLedgerIsEmpty() async throws {
        let state = try TemporaryState(), reader = try state.reader()
        #expect(reader is EmptyLedger)
        #expect(try await reader.runs(limit: 9) == [])
        #expect(!FileManager.default.fileExists(atPath: state.path))
        #expect(try await SQLiteLedger.integrityCheck(directory: state.path) == [])
        try state.plant(Data())
        #expect(try state.reader() is EmptyLedger)
        #expect(try state.bytes(state.database).isEmpty)
    }

    @Test func readingLeavesTheDirectoryAsItIs() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await ledger.record([.asset(Samples.asset(1)), .delivery(Samples.delivery(1))])
        ledger.close()
        let before = try state.listing()
        let reader = try state.reader()
        #expect(try await reader.known(volume: "uuid:1234").count == 1)
        #expect(try await reader.holder(of: "2026/img_0001.jpg", at: Samples.archive) != nil)
        #expect(try await reader.totals().assets == [.delivered: 1])
        let after = try state.listing()
        #expect(after.keys.sorted() == before.keys.sorted())
        for file in ["ledger.sqlite", "ledger.sqlite-wal", "lock"] { #expect(after[file] == before[file]) }
    }

    @Test func aReaderSeesWhatTheWriterCommits() async throws {
        let state = try TemporaryState(), ledger = try state.open(), reader = try state.reader()
        for number in 1...20 {
            try await ledger.record([.asset(Samples.asset(number)), .delivery(Samples.delivery(number))])
            #expect(try await reader.known(volume: "uuid:1234").count == number)
            #expect(try await reader.deliveries(of: ContentKey(sha256: Samples.sha(number))).count == 1)
        }
    }

    /// A transaction that another program holds open makes readers neither wait nor see half of it.
    @Test func aReaderNeverWaitsForAWriter() async throws {
        let state = try TemporaryState(), ledger = try state.open(), reader = try state.reader()
        try await ledger.record([.asset(Samples.asset(1)), .delivery(Samples.delivery(1))])
        // The work must not hold the ledger: the last reference would go on the connection's queue, where it cannot be
        // closed.
        _ = try await ledger.commits.commit { [own = ledger.reader] writer in
            try writer.apply(.asset(Samples.asset(2)))
            try writer.apply(.delivery(Samples.delivery(2)))
            // Still inside the transaction: readers of this process and of others answer from before it.
            #expect(try state.lookUp(Samples.sha(1)) == 1)
            #expect(try state.lookUp(Samples.sha(2)) == 0)
            #expect(try own.look { try DeliveryReading.count($0) } == 1)
            return 0
        }
        #expect(try await reader.delivered(below: "").count == 2)
    }

    @Test func aWriterIsNotHeldUpByAReader() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await ledger.record([.asset(Samples.asset(1))])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: state.database, configuration: configuration)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; SELECT count(*) FROM asset")
        }
        try await ledger.record([.asset(Samples.asset(2))])
        #expect(try await ledger.assets(AssetFilter()).count == 2)
        #expect(
            try await queue.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM asset") }
                == 1)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }
}

extension TemporaryState {
    /// How many deliveries a connection of its own sees for these bytes.
    func lookUp(_ sha256: String) throws -> Int {
        let reader = try #require(try Connection.reader(StateDirectory(path)))
        return try reader.look {
            try DeliveryReading.all($0, SQLiteReader.deliveriesOfContent) { $0.bind(sha256) }.count
        }
    }
}

extension DeliveryReading {
    static func count(_ db: Database) throws -> Int { try Int.fetchOne(db, sql: "SELECT count(*) FROM delivery") ?? -1 }
}
