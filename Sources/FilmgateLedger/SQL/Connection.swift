import FilmgateCore
import GRDB
import GRDBSQLite

/// How connections to the ledger's file are set up.
enum Connection {
    static var writing: Configuration {
        var configuration = Configuration()
        configuration.label = "filmgate.ledger"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            // Keeps the log when the last connection closes, so that reading later need not create it.
            var keep: CInt = 1
            sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &keep)
        }
        return configuration
    }

    static var reading: Configuration {
        var configuration = Configuration()
        configuration.label = "filmgate.ledger.reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Frees the pages of the file that a connection keeps beside the writer, where they are more than 256 KiB.
    ///
    /// Whole cards are read there, perhaps once an hour. A limit on the pages (`cache_size`) would be no way: reading a
    /// card goes to and fro between tables, and would read the same pages from the file many times.
    static func giveBack(_ db: Database) {
        var used: CInt = 0, most: CInt = 0
        sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_USED, &used, &most, 0)
        if used > 256 << 10 { sqlite3_db_release_memory(db.sqliteConnection) }
    }

    /// Brings the tables up to date and sets how the writer commits.
    static func prepare(_ database: any DatabaseWriter, _ failure: LedgerFailure) throws {
        let migrator = LedgerSchema.migrator
        let current = try database.writeWithoutTransaction { db in
            if try migrator.hasBeenSuperseded(db) { throw failure.newer }
            // Here and not in `prepareDatabase`: opening a pool sets it itself, after that.
            // A longer log (16 MB) is folded into the file less often, each of its pages once instead of several times.
            try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000")
            return try migrator.hasCompletedMigrations(db)
        }
        if !current { try migrator.migrate(database) }
    }

    /// Folds the log into the file and empties it, so that the next opening need not go through it; leaves it when
    /// someone reads from it.
    ///
    /// `last` runs on the writer's queue, behind all that was handed to it before.
    static func tidy(_ database: any DatabaseWriter, last: () -> Void) {
        try? database.writeWithoutTransaction { db in
            last()
            try db.execute(sql: "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Nil when there is no ledger yet, or one that its first writer is only just making; `storageFull` where it found
    /// no room to.
    static func reader(_ directory: StateDirectory) throws(IngestError) -> SQLiteReader? {
        guard directory.hasLedger else { return nil }
        let failure = LedgerFailure(file: directory.database), migrator = LedgerSchema.migrator
        do {
            let queue = try DatabaseQueue(path: directory.database, configuration: reading)
            let applied = try queue.unsafeRead { db in try migrator.appliedIdentifiers(db) }
            if applied.isEmpty { return nil }
            if !applied.isSubset(of: migrator.migrations) { throw failure.newer }
            if applied.count < migrator.migrations.count {
                guard try queue.unsafeRead(isBlank) else { throw failure.older }
                if directory.isFull { throw failure.unmade }
                return nil
            }
            return SQLiteReader(scans: queue, lookUps: LookUps(path: directory.database), failure: failure)
        } catch { throw failure(error) }
    }

    /// Whether nothing was ever written down: each migration is a transaction of its own, so a full disk or a crash may
    /// leave a new ledger with some of its tables, as an older Filmgate would.
    private static func isBlank(_ db: Database) throws -> Bool {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        return try tables.filter { !["grdb_migrations", "sqlite_sequence"].contains($0) }.allSatisfy { table in
            try Int.fetchOne(db, sql: "SELECT 1 FROM \"\(table)\" LIMIT 1") == nil
        }
    }
}
