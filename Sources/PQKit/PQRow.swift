import CPQ
public import FilmgateCore

/// One row of an answer, valid while it is being read.
///
/// The server is not trusted: a column of another type, length or count than was asked for is a `protocolViolation`,
/// never a wrong value.
public struct PQRow: ~Copyable {
    let pq: LibPQ
    let result: OpaquePointer

    public func bool(_ column: Int) throws(IngestError) -> Bool {
        try fixed(column, as: UInt8.self, [PQType.bool]) != 0
    }
    public func int(_ column: Int) throws(IngestError) -> Int64 { try required(column, try intOrNil(column)) }
    public func intOrNil(_ column: Int) throws(IngestError) -> Int64? {
        guard let bytes = try value(column, PQType.readAsInt) else { return nil }
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
        Double(bitPattern: try fixed(column, as: UInt64.self, [PQType.float8]))
    }
    public func doubleOrNil(_ column: Int) throws(IngestError) -> Double? {
        try value(column, [PQType.float8]) == nil ? nil : try double(column)
    }
    public func text(_ column: Int) throws(IngestError) -> String { try required(column, try textOrNil(column)) }
    /// Text, names, JSON and `"char"`.
    public func textOrNil(_ column: Int) throws(IngestError) -> String? {
        guard let bytes = try value(column, PQType.readAsText) else { return nil }
        let isVersioned = pq.call.ftype(result, CInt(column)) == PQType.jsonb
        let words = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(isVersioned ? 1 : 0))
        guard let text = words.withMemoryRebound(to: UInt8.self, { String(validating: $0, as: UTF8.self) }) else {
            throw wrong(column)
        }
        return text
    }
    public func bytes(_ column: Int) throws(IngestError) -> [UInt8] { try required(column, try bytesOrNil(column)) }
    /// Bytes, and the 16 of a UUID.
    public func bytesOrNil(_ column: Int) throws(IngestError) -> [UInt8]? {
        try value(column, PQType.readAsBytes).map { Array($0) }
    }
    /// Nanoseconds since 1970.
    public func time(_ column: Int) throws(IngestError) -> Int64 {
        let stamp = try fixed(column, as: Int64.self, [PQType.time])
        return try required(column, PQTime.house(stamp))
    }
    public func timeOrNil(_ column: Int) throws(IngestError) -> Int64? {
        try value(column, [PQType.time]) == nil ? nil : try time(column)
    }
    public func ints(_ column: Int) throws(IngestError) -> [Int64?] {
        guard let bytes = try value(column, [PQType.int8s, PQType.int4s, PQType.int2s]) else { throw wrong(column) }
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
        guard let bytes = try value(column, [PQType.texts]) else { throw wrong(column) }
        return try elements(column, bytes) { String(validating: $0, as: UTF8.self) }
    }
    public func byteArrays(_ column: Int) throws(IngestError) -> [[UInt8]?] {
        guard let bytes = try value(column, [PQType.byteas, PQType.uuids, PQType.chars, PQType.bools]) else {
            throw wrong(column)
        }
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

    private func fixed<Value: FixedWidthInteger>(_ column: Int, as: Value.Type, _ types: [UInt32]) throws(IngestError)
        -> Value
    {
        guard let bytes = try value(column, types), bytes.count == MemoryLayout<Value>.size else { throw wrong(column) }
        return Self.load(bytes, as: Value.self)
    }

    /// Nil for NULL.
    private func value(_ column: Int, _ types: [UInt32]) throws(IngestError) -> UnsafeRawBufferPointer? {
        let index = CInt(column)
        guard column >= 0, index < pq.call.nfields(result), pq.call.fformat(result, index) == 1,
            types.contains(pq.call.ftype(result, index))
        else { throw wrong(column) }
        if pq.call.getisnull(result, 0, index) != 0 { return nil }
        let length = pq.call.getlength(result, 0, index)
        guard length >= 0, let start = pq.call.getvalue(result, 0, index) else { throw wrong(column) }
        return UnsafeRawBufferPointer(start: start, count: Int(length))
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
