import CPQ
public import FilmgateCore

/// One row of an answer.
///
/// The server is not trusted: a column of another type, length or count than was asked for is a `protocolViolation`,
/// never a wrong value.
public struct PQRow: ~Copyable {
    let answer: PQAnswer
    let row: CInt

    public func bool(_ column: Int) throws(IngestError) -> Bool {
        try fixed(column, as: UInt8.self, .bool) != 0
    }
    public func int(_ column: Int) throws(IngestError) -> Int64 { try required(column, try intOrNil(column)) }
    public func intOrNil(_ column: Int) throws(IngestError) -> Int64? {
        guard let bytes = try value(column, .int) else { return nil }
        switch bytes.count {
        case 8: return Self.load(bytes, as: Int64.self)
        case 4: return Int64(Self.load(bytes, as: Int32.self))
        case 2: return Int64(Self.load(bytes, as: Int16.self))
        default: throw wrong(column)
        }
    }
    /// At least 0: an answer that counts what cannot be less is none.
    public func natural(_ column: Int) throws(IngestError) -> Int64 { try required(column, try naturalOrNil(column)) }
    public func naturalOrNil(_ column: Int) throws(IngestError) -> Int64? {
        guard let number = try intOrNil(column) else { return nil }
        if number < 0 { throw wrong(column) }
        return number
    }
    public func double(_ column: Int) throws(IngestError) -> Double {
        Double(bitPattern: try fixed(column, as: UInt64.self, .double))
    }
    public func doubleOrNil(_ column: Int) throws(IngestError) -> Double? {
        try value(column, .double) == nil ? nil : try double(column)
    }
    public func text(_ column: Int) throws(IngestError) -> String { try required(column, try textOrNil(column)) }
    /// Text, names, JSON and `"char"`.
    public func textOrNil(_ column: Int) throws(IngestError) -> String? {
        guard let bytes = try value(column, .text) else { return nil }
        let words = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(answer.columns[column].isVersioned ? 1 : 0))
        guard let text = Self.utf8(words) else { throw wrong(column) }
        return text
    }
    public func bytes(_ column: Int) throws(IngestError) -> [UInt8] { try required(column, try bytesOrNil(column)) }
    /// Bytes, and the 16 of a UUID.
    public func bytesOrNil(_ column: Int) throws(IngestError) -> [UInt8]? {
        try value(column, .bytes).map { Array($0) }
    }
    /// Nanoseconds since 1970.
    public func time(_ column: Int) throws(IngestError) -> Int64 {
        let stamp = try fixed(column, as: Int64.self, .time)
        return try required(column, PQTime.house(stamp))
    }
    public func timeOrNil(_ column: Int) throws(IngestError) -> Int64? {
        try value(column, .time) == nil ? nil : try time(column)
    }
    public func ints(_ column: Int) throws(IngestError) -> [Int64?] {
        guard let bytes = try value(column, .ints) else { throw wrong(column) }
        return try elements(column, bytes) { element in
            switch element.count {
            case 8: Self.load(element, as: Int64.self)
            case 4: Int64(Self.load(element, as: Int32.self))
            case 2: Int64(Self.load(element, as: Int16.self))
            default: nil
            }
        }
    }
    public func texts(_ column: Int) throws(IngestError) -> [String?] {
        guard let bytes = try value(column, .texts) else { throw wrong(column) }
        return try elements(column, bytes) { Self.utf8($0) }
    }
    public func byteArrays(_ column: Int) throws(IngestError) -> [[UInt8]?] {
        guard let bytes = try value(column, .byteArrays) else { throw wrong(column) }
        return try elements(column, bytes) { Array($0) }
    }

    private func required<Value>(_ column: Int, _ value: Value?) throws(IngestError) -> Value {
        guard let value else { throw wrong(column) }
        return value
    }

    private func wrong(_ column: Int) -> IngestError {
        IngestError(
            .protocolViolation, "The database answered something else than was asked for (column \(column + 1)).")
    }

    private func fixed<Value: FixedWidthInteger>(
        _ column: Int, as: Value.Type, _ form: PQColumn.Form
    ) throws(IngestError) -> Value {
        guard let bytes = try value(column, form), bytes.count == MemoryLayout<Value>.size else { throw wrong(column) }
        return Self.load(bytes, as: Value.self)
    }

    /// Nil for NULL.
    private func value(_ column: Int, _ form: PQColumn.Form) throws(IngestError) -> UnsafeRawBufferPointer? {
        let columns = answer.columns, pq = answer.pq
        guard columns.indices.contains(column), columns[column].form == form else { throw wrong(column) }
        let length = pq.call.getlength(answer.result, row, CInt(column))
        // NULL has no length either.
        if length == 0, pq.call.getisnull(answer.result, row, CInt(column)) != 0 { return nil }
        guard length >= 0, let start = pq.call.getvalue(answer.result, row, CInt(column)) else { throw wrong(column) }
        return UnsafeRawBufferPointer(start: start, count: Int(length))
    }

    /// Nil for what is none.
    ///
    /// Most texts are ASCII, which is found out far faster.
    private static func utf8(_ bytes: UnsafeRawBufferPointer) -> String? {
        bytes.withMemoryRebound(to: UInt8.self) { bytes in
            bytes.allSatisfy { $0 < 0x80 }
                ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        }
    }

    /// The elements of an array with one dimension, or none; `read` gives nil for what is no element.
    private func elements<Element>(
        _ column: Int, _ bytes: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) -> Element?
    ) throws(IngestError) -> [Element?] {
        var rest = bytes[...]
        func number() -> Int32? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return Self.load(UnsafeRawBufferPointer(rebasing: rest.prefix(4)), as: Int32.self)
        }
        guard let dimensions = number(), number() != nil, number() != nil else { throw wrong(column) }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = number(), number() != nil, count >= 0, Int(count) <= rest.count / 4 else {
            throw wrong(column)
        }
        var found: [Element?] = []
        found.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let length = number(), length >= -1, Int(length) <= rest.count else { throw wrong(column) }
            if length < 0 {
                found.append(nil)
                continue
            }
            guard let element = read(UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length)))) else {
                throw wrong(column)
            }
            found.append(element)
            rest = rest.dropFirst(Int(length))
        }
        return found
    }

    private static func load<Value: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, as: Value.Type) -> Value {
        Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }
}

/// The rows of one answer, kept by libpq for as long as somebody has them.
@usableFromInline
final class PQAnswer: @unchecked Sendable {  // libpq changes nothing in a result that it has given away.
    let pq: LibPQ, result: OpaquePointer, columns: [PQColumn]
    @usableFromInline let count: Int

    init(_ pq: LibPQ, _ result: OpaquePointer) {
        (self.pq, self.result, count) = (pq, result, Int(pq.call.ntuples(result)))
        columns = (0..<pq.call.nfields(result)).map { column in
            PQColumn(pq.call.ftype(result, column), isBinary: pq.call.fformat(result, column) == 1)
        }
    }

    deinit { pq.call.clear(result) }

    /// One of `count`.
    @usableFromInline
    func row(_ index: Int) -> PQRow { PQRow(answer: self, row: CInt(index)) }
}

/// A column of an answer.
struct PQColumn {
    /// What its values are read as.
    enum Form { case bool, int, double, time, text, bytes, ints, texts, byteArrays, unknown }

    let form: Form
    /// The binary form of `jsonb` begins with its version.
    let isVersioned: Bool

    init(_ type: UInt32, isBinary: Bool) {
        form = isBinary ? Self.form(of: type) : .unknown
        isVersioned = type == PQType.jsonb
    }

    private static func form(of type: UInt32) -> Form {
        switch type {
        case PQType.bool: .bool
        case PQType.int8, PQType.int4, PQType.int2, PQType.oid: .int
        case PQType.float8: .double
        case PQType.time: .time
        case PQType.text, PQType.varchar, PQType.name, PQType.char, PQType.json, PQType.jsonb: .text
        case PQType.bytea, PQType.uuid: .bytes
        case PQType.int8s, PQType.int4s, PQType.int2s: .ints
        case PQType.texts: .texts
        case PQType.byteas, PQType.uuids, PQType.chars, PQType.bools: .byteArrays
        default: .unknown
        }
    }
}
