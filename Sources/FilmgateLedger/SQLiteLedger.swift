public import FilmgateCore
import GRDB

/// The ledger on SQLite (write-ahead log), one writer at a time.
///
/// Closed by `close`, or when its last reference goes.
///
/// A crash of the program loses nothing that `record` has returned for. A power cut may lose the last commits, never
/// consistency; after `sync` it loses nothing that was committed before.
public final class SQLiteLedger: Ledger {
    /// Reads through connections of their own: they never wait for the writer.
    public let reader: SQLiteReader
    private let database: any DatabaseWriter
    let commits: CommitQueue
    private let directory: StateDirectory?
    private let lock: StateLock?
    private let threads = BlockingPool(width: 1)

    private init(
        _ database: any DatabaseWriter, _ directory: StateDirectory?, _ lock: StateLock?, _ failure: LedgerFailure
    ) {
        (self.database, self.directory, self.lock) = (database, directory, lock)
        let lookUps = directory.map { LookUps(path: $0.database) } ?? LookUps(sharing: database)
        reader = SQLiteReader(scans: database, lookUps: lookUps, givesBack: directory != nil, failure: failure)
        commits = CommitQueue(database, failure)
    }

    deinit { close() }

    /// Opens the ledger in `directory` for writing, making both where they are missing.
    ///
    /// Blocks for some milliseconds.
    ///
    /// `stateLocked` while another writer lives, in this process or another; `misconfigured` for a directory that
    /// cannot be used or a ledger of a newer version; `unexpected` for a damaged file, which is left as it is.
    public static func open(directory path: String) throws(IngestError) -> SQLiteLedger {
        let directory = StateDirectory(path), failure = LedgerFailure(file: directory.database)
        try directory.prepare()
        let lock = try StateLock(directory: directory.path)
        do {
            let pool = try DatabasePool(path: directory.database, configuration: Connection.writing)
            try Connection.prepare(pool, failure)
            return SQLiteLedger(pool, directory, lock, failure)
        } catch { throw failure(error) }
    }

    /// A ledger that lives as long as the program does; for tests of what stands above it.
    public static func inMemory() throws(IngestError) -> SQLiteLedger {
        let failure = LedgerFailure(file: "in memory")
        do {
            let queue = try DatabaseQueue(configuration: Connection.writing)
            try Connection.prepare(queue, failure)
            return SQLiteLedger(queue, nil, nil, failure)
        } catch { throw failure(error) }
    }

    /// Forgets every file and delivery, where the ledger is in memory: tests of very many short histories make their
    /// tables once.
    func clear() async throws(IngestError) {
        guard directory == nil else { return }
        _ = try await commits.commit { writer in
            writer.contents.forget()
            for table in [
                "mark_past", "mark", "mark_order", "denial", "delivery", "shot_name", "past", "asset", "note", "run",
                "content",
            ] {
                try writer.db.execute(sql: "DELETE FROM \(table)")
            }
            return 0
        }
    }

    public func record(_ changes: [LedgerChange]) async throws(IngestError) {
        if changes.isEmpty { return }
        _ = try await commits.commit { writer in
            for change in changes { try writer.apply(change) }
            return 0
        }
    }

    public func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 {
        try await commits.commit { writer in try writer.beginRun(verb: verb, event: event, at: at) }
    }

    public func sync() async throws(IngestError) {
        guard let directory else { return }
        try await threads.run { () throws(IngestError) in try directory.flush() }
    }

    /// Closes the file and lets the next writer in.
    ///
    /// Whoever uses the ledger afterwards gets an error. May be called twice; blocks for the disk.
    public func close() {
        commits.close()
        reader.lookUps.close()
        Connection.tidy(database) { commits.finish() }
        try? database.close()
        lock?.release()
    }
}
