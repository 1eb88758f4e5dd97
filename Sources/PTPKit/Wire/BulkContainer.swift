/// The twelve bytes in front of everything on a USB pipe (PIMA 15740 annex D.7.1).
public struct BulkHeader: Sendable, Hashable {
    public enum Kind: UInt16, Sendable { case command = 1, data, response, event }

    public static let size = 12
    /// Length field of a data container whose size does not fit 32 bits.
    public static let unknownLength: UInt32 = 0xFFFF_FFFF

    /// Bytes of the container with this header.
    public var length: UInt32
    public var kind: Kind
    public var code: UInt16
    public var transaction: UInt32

    public init(length: UInt32, kind: Kind, code: UInt16, transaction: UInt32) {
        (self.length, self.kind, self.code, self.transaction) = (length, kind, code, transaction)
    }

    /// Refuses lengths that no container of its kind can have.
    public init(_ bytes: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        length = try cursor.take(from: bytes)
        let number: UInt16 = try cursor.take(from: bytes)
        guard let kind = Kind(rawValue: number) else { throw .malformed("container type \(number)") }
        self.kind = kind
        code = try cursor.take(from: bytes)
        transaction = try cursor.take(from: bytes)
        guard length >= Self.size else { throw .malformed("container length \(length)") }
        if kind != .data, length > 32 || (length - 12) % 4 != 0 {
            throw .malformed("\(kind) container of \(length) bytes")
        }
    }

    public func write(to writer: inout ByteWriter) {
        writer.put(length)
        writer.put(kind.rawValue)
        writer.put(code)
        writer.put(transaction)
    }

    /// Bytes behind the header; nil where the header does not know.
    public var payload: UInt64? { length == Self.unknownLength ? nil : UInt64(length) - UInt64(Self.size) }
}

/// Whole containers without data: commands, responses, events.
public enum BulkContainer {
    public static func command(_ operation: Operation, transaction: UInt32) -> [UInt8] {
        encode(.command, operation.code.rawValue, transaction, operation.parameters)
    }

    public static func response(_ response: Response) -> [UInt8] {
        encode(.response, response.code.rawValue, response.transaction, response.parameters)
    }

    public static func event(_ event: PTPEvent) -> [UInt8] {
        encode(.event, event.code.rawValue, event.transaction, event.parameters)
    }

    /// Header and payload of a data container in one piece.
    public static func data(_ code: OperationCode, transaction: UInt32, _ payload: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: payload.count + BulkHeader.size)
        BulkHeader(
            length: UInt32(clamping: payload.count + BulkHeader.size), kind: .data, code: code.rawValue,
            transaction: transaction
        )
        .write(to: &writer)
        writer.put(contentsOf: payload)
        return writer.bytes
    }

    private static func encode(
        _ kind: BulkHeader.Kind, _ code: UInt16, _ transaction: UInt32, _ parameters: [UInt32]
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: 32)
        let length = UInt32(BulkHeader.size + 4 * parameters.count)
        BulkHeader(length: length, kind: kind, code: code, transaction: transaction).write(to: &writer)
        for parameter in parameters { writer.put(parameter) }
        return writer.bytes
    }

    /// The parameters behind `header`.
    public static func parameters(of header: BulkHeader, in bytes: RawSpan) throws(PTPError) -> [UInt32] {
        var cursor = ByteCursor(at: BulkHeader.size)
        var values: [UInt32] = []
        for _ in 0..<(Int(header.length) - BulkHeader.size) / 4 { values.append(try cursor.take(from: bytes)) }
        return values
    }
}
