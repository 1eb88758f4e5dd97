/// The type of a property's value, ISO 15740 §5.3: integers of 8 to 128 bits, arrays of them, text.
public struct DataType: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable public init(_ value: UInt16) { rawValue = value }

    public static let int8 = Self(1), uint8 = Self(2), int16 = Self(3), uint16 = Self(4), int32 = Self(5)
    public static let uint32 = Self(6)
    public static let int64 = Self(7), uint64 = Self(8), int128 = Self(9), uint128 = Self(0xA), string = Self(0xFFFF)

    public var isArray: Bool { rawValue & 0xC000 == 0x4000 }
    public var element: DataType { DataType(rawValue & 0x3FFF) }

    /// Bytes of one element; nil for text and unknown types.
    public var width: Int? {
        switch rawValue & 0x3FFF {
        case 1, 2: 1
        case 3, 4: 2
        case 5, 6: 4
        case 7, 8: 8
        case 9, 0xA: 16
        default: nil
        }
    }
}

/// A property's value.
public enum PropertyValue: Sendable, Hashable {
    case signed(Int64)
    case unsigned(UInt64)
    /// 128 bits; the bit pattern for the signed type.
    case wide(UInt128)
    case text(String)
    case list([PropertyValue])

    /// The value as an unsigned number, when it is one that fits.
    public var number: UInt64? {
        switch self {
        case .unsigned(let value): value
        case .signed(let value): UInt64(exactly: value)
        case .wide(let value): UInt64(exactly: value)
        default: nil
        }
    }

    public var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension ByteCursor {
    /// A value of `type`.
    ///
    /// `malformed` for a type that nobody knows, because its length cannot be known either.
    public mutating func value(_ type: DataType, from bytes: RawSpan) throws(PTPError) -> PropertyValue {
        if type == .string { return .text(try string(from: bytes)) }
        guard let width = type.width else { throw .malformed("unknown data type \(hex(UInt64(type.rawValue), 4))") }
        guard type.isArray else { return try scalar(type, from: bytes) }
        let count = try Int(take(UInt32.self, from: bytes))
        guard count <= remaining(in: bytes) / width else { throw .truncated(at: offset) }
        var values: [PropertyValue] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try scalar(type.element, from: bytes)) }
        return .list(values)
    }

    /// Passes over a value of `type`.
    mutating func skipValue(_ type: DataType, in bytes: RawSpan) throws(PTPError) {
        if type == .string {
            let units = try Int(take(UInt8.self, from: bytes))
            return try skip(2 * units, in: bytes)
        }
        guard let width = type.width else { throw .malformed("unknown data type \(hex(UInt64(type.rawValue), 4))") }
        guard type.isArray else { return try skip(width, in: bytes) }
        let count = try Int(take(UInt32.self, from: bytes))
        guard count <= remaining(in: bytes) / width else { throw .truncated(at: offset) }
        try skip(count * width, in: bytes)
    }

    private mutating func scalar(_ type: DataType, from bytes: RawSpan) throws(PTPError) -> PropertyValue {
        switch type {
        case .int8: .signed(Int64(try take(Int8.self, from: bytes)))
        case .uint8: .unsigned(UInt64(try take(UInt8.self, from: bytes)))
        case .int16: .signed(Int64(try take(Int16.self, from: bytes)))
        case .uint16: .unsigned(UInt64(try take(UInt16.self, from: bytes)))
        case .int32: .signed(Int64(try take(Int32.self, from: bytes)))
        case .uint32: .unsigned(UInt64(try take(UInt32.self, from: bytes)))
        case .int64: .signed(try take(Int64.self, from: bytes))
        case .uint64: .unsigned(try take(UInt64.self, from: bytes))
        case .int128, .uint128:
            .wide(UInt128(try take(UInt64.self, from: bytes)) | UInt128(try take(UInt64.self, from: bytes)) << 64)
        default: throw .malformed("unknown data type \(hex(UInt64(type.rawValue), 4))")
        }
    }
}

extension ByteWriter {
    /// Writes `value` as `type`; a value that does not fit is cut to its low bits.
    public mutating func put(_ value: PropertyValue, as type: DataType) {
        switch value {
        case .text(let text): put(string: text)
        case .list(let values):
            put(UInt32(truncatingIfNeeded: values.count))
            for value in values { put(value, as: type.element) }
        case .signed(let number): put(low: UInt128(truncatingIfNeeded: number), type.width ?? 0)
        case .unsigned(let number): put(low: UInt128(number), type.width ?? 0)
        case .wide(let number): put(low: number, type.width ?? 0)
        }
    }

    private mutating func put(low value: UInt128, _ width: Int) {
        for index in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt128(index)))) }
    }
}
