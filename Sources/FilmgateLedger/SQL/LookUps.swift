import FilmgateCore
import GRDB
import Synchronization

/// The connection for look-ups of single rows, opened at the first: a read on it takes microseconds, so it runs on the
/// caller's thread.
final class LookUps: Sendable {
    private enum State { case fresh(path: String), open(any DatabaseReader), closed }
    private let state: Mutex<State>

    init(path: String) { state = Mutex(.fresh(path: path)) }

    /// Looks up on a connection that others use too.
    init(sharing database: any DatabaseReader) { state = Mutex(.open(database)) }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try connection().unsafeRead(body) }

    private func connection() throws -> any DatabaseReader {
        try state.withLock { state in
            switch state {
            case .open(let database): return database
            case .closed: throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "it was closed")
            case .fresh(let path):
                let database = try DatabaseQueue(path: path, configuration: Connection.reading)
                state = .open(database)
                return database
            }
        }
    }

    func close() {
        let open = state.withLock { state in
            defer { state = .closed }
            return if case .open(let database) = state { database } else { nil as (any DatabaseReader)? }
        }
        try? open?.close()
    }
}
