public import FilmgateCore
import GRDB
import Synchronization

/// Marks are written beside whatever run holds the state, and by it.
extension SQLiteLedger {
    /// Carries out an order in the ledger of `directory`, whether or not a run holds the state there.
    ///
    /// Takes SQLite's own lock for one short transaction, never the state's. Survives a power cut. An order of very many
    /// pictures is for its caller to divide; one that was divided is taken back part by part, as long as the outcome has
    /// a rest. `notFound` for an order to undo that is not known or too old, and where there is no ledger;
    /// `misconfigured` for one of another version.
    public static func mark(_ order: MarkOrder, directory path: String) async throws(IngestError) -> MarkOutcome {
        let directory = StateDirectory(path), failure = LedgerFailure(file: directory.database)
        // A reader says what is wrong with the file, and which version it is of.
        guard try Connection.reader(directory) != nil else { throw Self.unknownPictures }
        let outcome: MarkOutcome?
        do {
            let queue = try DatabaseQueue(path: directory.database, configuration: Connection.writing)
            outcome = try await queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                return try carryOut(order, db)
            }
            try queue.close()
        } catch { throw failure(error) }
        guard let outcome else { throw Self.unknownOrder }
        return outcome
    }

    /// The same in this ledger.
    public func mark(_ order: MarkOrder) async throws(IngestError) -> MarkOutcome {
        let outcome = Mutex<MarkOutcome?>(nil)
        _ = try await commits.commit { writer in
            let writing = MarkWriter(writer.db), shots = try Self.shots(of: order, writing)
            let made = try writing.carryOut(order, shots, token: MarkWriter.token(of: order), at: WallClock.nanoseconds)
            outcome.withLock { $0 = made }
            return 0
        }
        guard let made = outcome.withLock(\.self) else { throw Self.unknownOrder }
        return made
    }

    private static func carryOut(_ order: MarkOrder, _ db: Database) throws -> MarkOutcome? {
        let writer = MarkWriter(db)
        var shots: [[String]] = [], outcome: MarkOutcome?
        // Looked up before: a run's commits wait only for what is written.
        try db.inTransaction(.deferred) {
            shots = try Self.shots(of: order, writer)
            return .commit
        }
        try db.inTransaction(.immediate) {
            outcome = try writer.carryOut(order, shots, token: MarkWriter.token(of: order), at: WallClock.nanoseconds)
            return .commit
        }
        return outcome
    }

    private static func shots(of order: MarkOrder, _ writer: MarkWriter) throws -> [[String]] {
        guard case .set(_, _, _, let sha256s) = order.order else { return [] }
        let shots = try writer.shots(of: sha256s)
        guard let part = order.part else { return shots }
        // The other file of a shot was in a part before.
        return try shots.filter { try !writer.isMarked($0, by: part.token) }
    }

    private static var unknownOrder: IngestError {
        IngestError(
            .notFound, "There is nothing to take back by that name.",
            advice: "Only the latest thousand orders can be taken back.")
    }
    private static var unknownPictures: IngestError {
        IngestError(.notFound, "There is no ledger yet, so no picture is known.", advice: "Import the pictures first.")
    }
}

extension MarkWriter {
    /// A part has its order's token, and something of its own behind it.
    fileprivate static func token(of order: MarkOrder) -> String {
        order.part.map { $0.token + partSign + token() } ?? token()
    }

    /// 128 bits: nobody finds another one's.
    private static func token() -> String {
        var numbers = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(numbers.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
