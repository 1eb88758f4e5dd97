public import FilmgateCore
import GRDB

/// A write beside whatever run holds the state.
extension SQLiteLedger {
    /// Writes down what targets said, whether or not a run holds the state in `directory`; does nothing where there is
    /// no ledger.
    ///
    /// Takes SQLite's own lock for one short transaction, never the state's, so it keeps nobody from the state; a run's
    /// commits wait for it as for their own disk. A word about a receipt or a denial that is another by now is dropped.
    /// Survives a power cut.
    public static func note(_ words: [TargetStatement], directory path: String) async throws(IngestError) {
        let directory = StateDirectory(path), failure = LedgerFailure(file: directory.database)
        let news = words.filter { $0.denial != nil || $0.before != nil }
        guard !news.isEmpty, directory.hasLedger else { return }
        do {
            let queue = try DatabaseQueue(path: directory.database, configuration: Connection.writing)
            try await queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.inTransaction(.immediate) {
                    for word in news { try write(word, db) }
                    return .commit
                }
            }
            try queue.close()
        } catch { throw failure(error) }
    }

    private static func write(_ word: TargetStatement, _ db: Database) throws {
        var query = try Query(db, word.denial == nil ? takeBack : deny)
        if let denial = word.denial {
            query.bind(denial.kind.rawValue)
            query.bind(denial.reason)
            query.bind(denial.at)
        }
        query.bind(word.content.rawValue)
        query.bind(word.target)
        if word.denial != nil { query.bind(word.receiptAt) }
        query.bind(word.before?.at)
        try query.execute()
    }

    static let deny = """
        INSERT INTO denial (content_id, target_id, kind, reason, at)
        SELECT d.content_id, d.target_id, ?, ?, ? FROM delivery d
        WHERE d.content_id = (SELECT id FROM content WHERE key = ?) AND d.target_id = (SELECT id FROM target WHERE identity = ?)
            AND d.at = ? AND d.state = 'done'
            AND (SELECT n.at FROM denial n WHERE n.content_id = d.content_id AND n.target_id = d.target_id) IS ?
        ON CONFLICT (content_id, target_id) DO UPDATE SET kind = excluded.kind, reason = excluded.reason, at = excluded.at
        """
    static let takeBack = """
        DELETE FROM denial WHERE content_id = (SELECT id FROM content WHERE key = ?)
            AND target_id = (SELECT id FROM target WHERE identity = ?) AND at = ?
        """
}
