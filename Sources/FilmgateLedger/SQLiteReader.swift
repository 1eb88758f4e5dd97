public import FilmgateCore
import GRDB

/// The reading half of the ledger on SQLite, beside any writer.
///
/// Obtained from `SQLiteLedger.reader(directory:)` or from a ledger.
///
/// Look-ups of one row run on the caller's thread: they take microseconds. Whatever may read many rows runs off it, on
/// one snapshot.
public struct SQLiteReader: LedgerReader {
    let scans: any DatabaseReader
    let lookUps: LookUps
    /// Gives back what a long scan has read; see `Connection.giveBack`.
    var givesBack = false
    let failure: LedgerFailure

    /// Reads the same file as `other`, which may have taken the place of another one since.
    public func isSame(as other: SQLiteReader) -> Bool { lookUps === other.lookUps }

    /// Runs a read of unknown length on a connection's own queue, on one snapshot.
    func scan<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(IngestError)
        -> Value
    {
        do {
            return try await scans.read { [givesBack] db in
                defer { if givesBack { Connection.giveBack(db) } }
                return try body(db)
            }
        } catch { throw failure(error) }
    }

    /// Runs one short statement here and now.
    func look<Value>(_ body: (Database) throws -> Value) throws(IngestError) -> Value {
        do { return try lookUps.read(body) } catch { throw failure(error) }
    }

    /// What is wrong with the ledger's file, in SQLite's words; empty when it is sound.
    ///
    /// Reads the whole file.
    public func integrityCheck() async throws(IngestError) -> [String] {
        // Outside a transaction: committing one fails after a damaged page, even one that only read.
        do { return try await scans.unsafeRead { db in try Self.problems(db) } } catch { throw failure(error) }
    }

    private static func problems(_ db: Database) throws -> [String] {
        var problems: [String] = []
        do {
            var structure = try Query(db, "PRAGMA integrity_check")
            while try structure.next() { problems.append(structure.text()) }
            var references = try Query(db, "PRAGMA foreign_key_check")
            while try references.next() {
                problems.append(
                    "\(references.text()), row \(references.int()): refers to a missing \(references.text())")
            }
        } catch  where LedgerFailure.isDamage(error) {
            // Too broken to be gone through: what was found until here is the answer.
            problems.append("\(error)")
        }
        return problems.filter { $0 != "ok" }
    }
}
