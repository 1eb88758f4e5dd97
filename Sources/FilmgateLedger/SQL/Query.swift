import GRDB
import GRDBSQLite

/// A prepared statement in use: binds in order, steps, reads columns in order; reset when it goes away.
///
/// GRDB's own row decoding costs several times what SQLite itself takes, and cuts text at its first NUL; this reads
/// columns as they are. Used on the connection's own queue only, like everything that GRDB hands out.
struct Query: ~Copyable {
    private let statement: Statement
    private let raw: OpaquePointer
    private var bound: CInt = 0
    private var column: CInt = 0

    init(_ statement: Statement) { (self.statement, raw) = (statement, statement.sqliteStatement) }

    /// A statement that the connection keeps for its next use.
    init(_ db: Database, _ sql: String) throws { self.init(try db.cachedStatement(sql: sql)) }

    deinit {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    /// Goes to the next row; false at the end.
    ///
    /// `execute` is the same for statements without rows.
    mutating func next() throws -> Bool {
        column = 0
        switch sqlite3_step(raw) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let connection = sqlite3_db_handle(raw)
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
                message: String(cString: sqlite3_errmsg(connection))
            )
        }
    }

    /// Begins anew, with nothing bound.
    mutating func begin() {
        sqlite3_reset(raw)
        (bound, column) = (0, 0)
    }

    consuming func execute() throws {
        while try next() {}
    }
}

extension Query {
    /// SQLite copies the bytes before the call returns (`SQLITE_TRANSIENT`, a macro that Swift does not import).
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// For `key = ? OR (key >= ? AND key < ?)`: all contents with these bytes, alone and beside any picture.
    ///
    /// A key is the SHA-256 alone or followed by `:`; `;` is the byte after `:`.
    mutating func bind(keysOf sha256: String) {
        for bound in [sha256, sha256 + ":", sha256 + ";"] { bind(bound) }
    }

    mutating func bind(_ value: Int64) {
        bound += 1
        sqlite3_bind_int64(raw, bound, value)
    }

    mutating func bind(_ value: Int64?) {
        if let value { bind(value) } else { bindNull() }
    }

    mutating func bind(_ value: Int?) { bind(value.map { Int64($0) }) }

    /// Bits as they are: sizes and inodes above `Int64.max` come back unchanged.
    mutating func bind(_ value: UInt64) { bind(Int64(bitPattern: value)) }

    mutating func bind(_ value: Bool) { bind(value ? 1 as Int64 : 0) }

    mutating func bind(_ value: Double?) {
        guard let value else { return bindNull() }
        bound += 1
        sqlite3_bind_double(raw, bound, value)
    }

    mutating func bind(_ value: String) {
        bound += 1
        var value = value
        value.withUTF8 { bytes in
            let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text64(raw, bound, start, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
        }
    }

    mutating func bind(_ value: String?) {
        if let value { bind(value) } else { bindNull() }
    }

    /// A value that sorts behind every text: an empty blob.
    mutating func bindEndOfText() {
        bound += 1
        sqlite3_bind_zeroblob(raw, bound, 0)
    }

    mutating func bindNull() {
        bound += 1
        sqlite3_bind_null(raw, bound)
    }
}

extension Query {
    mutating func skip(_ columns: Int) { column += CInt(columns) }

    mutating func isNull() -> Bool {
        defer { column += 1 }
        return sqlite3_column_type(raw, column) == SQLITE_NULL
    }

    mutating func int() -> Int64 {
        defer { column += 1 }
        return sqlite3_column_int64(raw, column)
    }

    mutating func intOrNil() -> Int64? {
        defer { column += 1 }
        return sqlite3_column_type(raw, column) == SQLITE_NULL ? nil : sqlite3_column_int64(raw, column)
    }

    mutating func size() -> UInt64 { UInt64(bitPattern: int()) }

    mutating func doubleOrNil() -> Double? {
        defer { column += 1 }
        return sqlite3_column_type(raw, column) == SQLITE_NULL ? nil : sqlite3_column_double(raw, column)
    }

    mutating func textOrNil() -> String? {
        defer { column += 1 }
        guard let bytes = bytes() else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func text() -> String { textOrNil() ?? "" }

    /// The text of this column, taken from `words` when it is the same as there last time.
    mutating func text(from word: inout RepeatedText) -> String? {
        defer { column += 1 }
        return bytes().map { word.text($0) }
    }

    private func bytes() -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_column_text(raw, column) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column)))
    }
}
