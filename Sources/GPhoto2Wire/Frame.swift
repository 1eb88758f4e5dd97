/// One message between the program and the process around libgphoto2: its kind, and fields packed one behind the other.
///
/// On the wire: length of kind and fields (u32, little-endian), kind (u8), fields.
public struct Frame: Sendable, Hashable {
    /// Neither side believes a longer one.
    public static let limit = 1 << 20
    public static let headSize = 5

    public var kind: UInt8
    public var fields: [UInt8]

    public init(_ kind: UInt8, _ fields: [UInt8] = []) { (self.kind, self.fields) = (kind, fields) }

    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headSize + fields.count)
        bytes.append(little: UInt32(fields.count + 1))
        bytes.append(kind)
        bytes += fields
        return bytes
    }
}

extension [UInt8] {
    mutating func append(little value: UInt32) {
        for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }

    mutating func append(little value: UInt64) {
        append(little: UInt32(truncatingIfNeeded: value))
        append(little: UInt32(truncatingIfNeeded: value >> 32))
    }

    mutating func append(counted bytes: [UInt8]) {
        append(little: UInt32(bytes.count))
        self += bytes
    }
}

/// Takes a frame's fields one after the other; nothing is read beyond its end.
struct FieldReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func word() throws(WireError) -> UInt32 {
        guard bytes.count - offset >= 4 else { throw .malformed }
        defer { offset += 4 }
        return (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }

    mutating func long() throws(WireError) -> UInt64 {
        let low = try word()
        return UInt64(low) | UInt64(try word()) << 32
    }

    mutating func counted() throws(WireError) -> [UInt8] {
        let count = Int(try word())
        guard count <= bytes.count - offset else { throw .malformed }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    mutating func text() throws(WireError) -> String { String(decoding: try counted(), as: UTF8.self) }
}

/// How talking to the other process fails.
public enum WireError: Error, Sendable, Hashable {
    case malformed
    /// The other side ended.
    case ended
    case timedOut
}
