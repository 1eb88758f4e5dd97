import GRDB

/// The prepared statements of the writing connection: each is prepared once and kept.
///
/// Used on that connection's queue only.
final class Statements {
    let db: Database
    private var prepared: [Statement?] = .init(repeating: nil, count: Command.allCases.count)

    init(_ db: Database) { self.db = db }

    func query(_ command: Command) throws -> Query {
        if let statement = prepared[command.rawValue] { return Query(statement) }
        let statement = try db.makeStatement(sql: command.sql)
        prepared[command.rawValue] = statement
        return Query(statement)
    }

    /// The number of the row that an INSERT has just made.
    var lastID: Int64 { db.lastInsertedRowID }
}
