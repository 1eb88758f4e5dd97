import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import FilmgateLedger

/// One writer at a time, in this process and in others.
@Suite struct LockTests {
    @Test func aSecondWriterIsToldWhoHoldsTheState() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        let error = failure { () throws(IngestError) in try state.open() }
        #expect(error?.code == .stateLocked)
        #expect(error?.message.contains("held by process \(getpid())") == true)
        #expect(error?.advice != nil)
        try await ledger.record([.asset(Samples.asset(1))])
        ledger.close()
        #expect(try await state.open().assets(AssetFilter()).count == 1)
    }

    @Test func theLockGoesWithTheLastReference() throws {
        let state = try TemporaryState()
        for _ in 0..<3 { _ = try state.open() }
    }

    @Test func anotherProcessIsRefused() async throws {
        let state = try TemporaryState(), ledger = try state.open()
        try await ledger.record([.asset(Samples.asset(1))])
        let path = state.path, holder = getpid()
        await #expect(processExitsWith: .exitCode(10)) { [path = path as String, holder = holder as Int32] in
            guard let error = failure({ () throws(IngestError) in try SQLiteLedger.open(directory: path) }) else {
                exit(1)
            }
            guard error.code == .stateLocked, error.message.contains("process \(holder)") else { exit(2) }
            guard let known = try? await SQLiteLedger.reader(directory: path).known(volume: "uuid:1234"),
                known.count == 1
            else { exit(3) }
            exit(10)
        }
    }

    /// However a process ends, its lock goes with it.
    @Test func aDeadProcessHoldsNothing() async throws {
        let state = try TemporaryState(), path = state.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let ledger = try SQLiteLedger.open(directory: path)
            try await ledger.record((0..<300).map { .asset(Samples.asset($0)) })
            kill(getpid(), SIGKILL)
            withExtendedLifetime(ledger) {}
        }
        let ledger = try state.open()
        #expect(try await ledger.known(volume: "uuid:1234").count == 300)
        #expect(try await ledger.integrityCheck() == [])
    }

    @Test func aLockFileThatIsALinkIsRefused() throws {
        let state = try TemporaryState()
        try state.plant(Data())
        #expect(symlink("/etc/hostname", state.path + "/lock") == 0)
        #expect(failure { () throws(IngestError) in try state.open() }?.code == .misconfigured)
    }
}
