/// A store's number: the slot in the high half, the partition in the low half.
public struct StorageID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    @inlinable public init(_ value: UInt32) { rawValue = value }
    public static let all = Self(0xFFFF_FFFF)

    public var slot: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }
    /// A slot whose partition is 0 holds no card; 0 and all ones name no store at all.
    public var holdsMedium: Bool { rawValue & 0xFFFF != 0 && self != .all }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    public var description: String { hex(UInt64(rawValue), 8) }
}

/// One store of a camera (ISO 15740 §5.5.3).
public struct StorageInfo: Sendable, Hashable {
    /// 1 fixed ROM, 2 removable ROM, 3 fixed RAM, 4 removable RAM.
    public var type: UInt16 = 4
    /// 1 flat, 2 hierarchical, 3 DCF.
    public var fileSystem: UInt16 = 3
    /// 0 read and write, 1 read only, 2 read only with deletion.
    public var access: UInt16 = 0
    /// Bytes.
    public var capacity: UInt64 = 0, free: UInt64 = 0
    /// All ones where unknown.
    public var freeImages: UInt32 = 0xFFFF_FFFF
    public var label = "", volume = ""

    public init() {}

    public init(_ bytes: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        type = try cursor.take(from: bytes)
        fileSystem = try cursor.take(from: bytes)
        access = try cursor.take(from: bytes)
        capacity = try cursor.take(from: bytes)
        free = try cursor.take(from: bytes)
        freeImages = try cursor.take(from: bytes)
        label = try cursor.trailingString(from: bytes)
        volume = try cursor.trailingString(from: bytes)
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        for value in [type, fileSystem, access] { writer.put(value) }
        writer.put(capacity)
        writer.put(free)
        writer.put(freeImages)
        writer.put(string: label)
        writer.put(string: volume)
        return writer.bytes
    }
}
