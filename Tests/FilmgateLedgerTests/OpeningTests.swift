import FilmgateCore
import Foundation
import GRDB
import Testing

@testable import FilmgateLedger

/// What is found in the state directory, and what is made there.
@Suite struct OpeningTests {
    @Test func makesAPrivateDirectory() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await ledger.record([.asset(Samples.asset(1))])
        #expect(state.mode(state.path) == 0o700)
        for file in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "lock"] {
            #expect(state.mode(state.path + "/" + file) == 0o600)
        }
    }

    @Test func commitsAreNormalAndLogged() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        let settings = try await ledger.commits.commit { writer in
            try writer.setting("synchronous") * 100 + writer.setting("foreign_keys") * 10
                + (writer.setting("busy_timeout") == 5000 ? 1 : 0)
        }
        #expect(settings == 111)
    }

    @Test func anEmptyFileBecomesALedger() async throws {
        let state = try TemporaryState()
        try state.plant(Data())
        let ledger = try state.open()
        try await ledger.record([.asset(Samples.asset(1))])
        #expect(try await ledger.assets(AssetFilter()).count == 1)
    }

    /// Where it leads to may be anybody's, and would be made there with what the link's owner wants.
    @Test func aLinkIsNoLedger() async throws {
        let state = try TemporaryState(), elsewhere = state.path + "-elsewhere.sqlite"
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: state.database, withDestinationPath: elsewhere)
        let error = #expect(throws: IngestError.self) { try state.open() }
        #expect(error?.code == .misconfigured && error?.message.contains("symbolic link") == true)
        #expect(!FileManager.default.fileExists(atPath: elsewhere))
    }

    @Test func whatWasRecordedIsThereNextTime() async throws {
        let state = try TemporaryState()
        for number in 1...3 {
            let ledger = try state.open()
            #expect(try await ledger.beginRun(verb: "import", event: nil, at: 0) == Int64(number))
            try await ledger.record([.asset(Samples.asset(number)), .delivery(Samples.delivery(number))])
            ledger.close()
        }
        #expect(try await state.reader().known(volume: "uuid:1234").count == 3)
    }

    @Test func aClosedLedgerRefuses() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        ledger.close()
        ledger.close()
        await #expect(throws: IngestError.self) { try await ledger.record([.asset(Samples.asset(1))]) }
        await #expect(throws: IngestError.self) { try await ledger.holder(of: "x", at: "y") }
        await #expect(throws: IngestError.self) { try await ledger.totals() }
    }

    @Test func aNewerLedgerIsRefused() async throws {
        let state = try TemporaryState()
        try state.open().close()
        try await DatabaseQueue(path: state.database).write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')")
        }
        for error in [
            failure { () throws(IngestError) in try state.open() },
            failure { () throws(IngestError) in try state.reader() },
        ] {
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("newer") == true)
            #expect(error?.advice != nil)
        }
    }

    /// The disk filled up while the first start made the tables: no older Filmgate wrote that.
    @Test func aLedgerThatWasNeverFinishedIsNone() async throws {
        let state = try TemporaryState()
        try state.plant(Data())
        let queue = try DatabaseQueue(path: state.database)
        try LedgerSchema.migrator.migrate(queue, upTo: "3 runs side by side")
        #expect(try state.reader() is EmptyLedger)
        try await queue.write { try $0.execute(sql: "INSERT INTO run (verb, started) VALUES ('import', 1)") }
        try queue.close()
        #expect(failure { () throws(IngestError) in try state.reader() }?.message.contains("older") == true)
        #expect(try await state.open().beginRun(verb: "import", event: nil, at: 0) == 2)
    }

    @Test func missingRoomIsCalledThat() {
        for code in [ResultCode.SQLITE_FULL, .SQLITE_IOERR_SHMSIZE] {
            let error = LedgerFailure(file: "/state/ledger.sqlite")(DatabaseError(resultCode: code))
            #expect(error.code == .storageFull && error.message.contains("/state/ledger.sqlite"), "\(error)")
        }
    }

    @Test func aFileThatIsNoLedgerIsNamedAndLeftAlone() async throws {
        let state = try TemporaryState()
        let junk = Data("This is no database, whatever its name says.".utf8) + Data(count: 5000)
        try state.plant(junk)
        for error in [
            failure { () throws(IngestError) in try state.open() },
            failure { () throws(IngestError) in try state.reader() },
        ] {
            #expect(error?.message.contains(state.database) == true)
            #expect(error?.message.contains("damaged") == true)
            #expect(error?.advice?.contains("Nothing was changed") == true)
        }
        #expect(try state.bytes(state.database) == junk)
    }

    @Test func damageInTheMiddleIsNamed() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await ledger.record((0..<500).map { .asset(Samples.asset($0)) })
        ledger.close()
        #expect(try state.bytes(state.database + "-wal").isEmpty)
        var bytes = try state.bytes(state.database)
        for page in stride(from: bytes.count / 8192 * 4096, to: bytes.count - 4096, by: 4096) {
            bytes.replaceSubrange(page..<page + 512, with: Data(repeating: 0xA5, count: 512))
        }
        try state.plant(bytes)
        await #expect { try await state.reader().known(volume: "uuid:1234") } throws: { error in
            (error as? IngestError)?.message.contains("\(state.database) is damaged") == true
        }
        #expect(try await !SQLiteLedger.integrityCheck(directory: state.path).isEmpty)
        #expect(try state.bytes(state.database) == bytes)
    }

    @Test func aDirectoryThatCannotBeMade() throws {
        let state = try TemporaryState()
        try state.plant(Data())
        let error = failure { () throws(IngestError) in try SQLiteLedger.open(directory: state.database + "/below") }
        #expect(error?.code == .misconfigured)
        #expect(error?.advice?.contains("--state") == true)
    }

    /// As after kill -9: the log was never folded into the file, and the index of the log is gone.
    @Test func aLogLeftBehindIsRead() async throws {
        let state = try TemporaryState(), other = try TemporaryState(), ledger = try state.open()
        try await ledger.record((0..<100).map { .asset(Samples.asset($0)) })
        try other.plant(state.bytes(state.database))
        try state.bytes(state.database + "-wal").write(to: URL(fileURLWithPath: other.database + "-wal"))
        #expect(try await other.reader().known(volume: "uuid:1234").count == 100)
        let next = try other.open()
        #expect(try await next.known(volume: "uuid:1234").count == 100)
        #expect(try await next.integrityCheck() == [])
    }

    /// What does not fit is refused whole and said; what was there stays, and goes on once there is room.
    @Test func aFullDisk() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await ledger.record([.asset(Samples.asset(0))])
        try await ledger.limit(pages: 40)
        let many = (1...2000).map { LedgerChange.asset(Samples.asset($0)) }
        let error = await #expect(throws: IngestError.self) { try await ledger.record(many) }
        #expect(error?.code == .storageFull)
        #expect(try await ledger.known(volume: "uuid:1234").count == 1)
        try await ledger.limit(pages: 100_000)
        try await ledger.record(many)
        #expect(try await ledger.known(volume: "uuid:1234").count == 2001)
        #expect(try await ledger.integrityCheck() == [])
    }

    @Test func whatWasHandedInBeforeClosingIsCommitted() async throws {
        let state = try TemporaryState()
        for round in 0..<20 {
            let ledger = try state.open()
            let recorded = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask { (try? await ledger.record([.asset(Samples.asset(round * 100 + number))])) != nil }
                }
                group.addTask {
                    ledger.close()
                    return false
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            let next = try state.open()
            let mine = try await next.assets(AssetFilter()).filter { $0.origin.size >= 1000 + UInt64(round * 100) }
            #expect(mine.count == recorded)
            next.close()
        }
    }

    @Test func syncSucceedsOnDiskAndInMemory() async throws {
        let state = try TemporaryState()
        try await state.open().sync()
        try await SQLiteLedger.inMemory().sync()
    }
}

extension SQLiteLedger {
    /// Pretends that the disk has room for so many pages.
    func limit(pages: Int) async throws(IngestError) {
        _ = try await commits.commit { writer in
            try Int64.fetchOne(writer.db, sql: "PRAGMA max_page_count = \(pages)") ?? -1
        }
    }
}

extension ChangeWriter {
    func setting(_ name: String) throws -> Int64 { try Int64.fetchOne(db, sql: "PRAGMA \(name)") ?? -1 }
}
