public import FilmgateCore

/// A number that names an object within one session.
public struct ObjectHandle: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    @inlinable public init(_ value: UInt32) { rawValue = value }
    /// As a parent: the top level.
    ///
    /// Also what some cameras send as the parent of a top-level object.
    public static let root = Self(0xFFFF_FFFF)

    /// Zero and all ones name no object.
    public var isReal: Bool { rawValue != 0 && self != .root }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    public var description: String { hex(UInt64(rawValue), 8) }
}

/// One object of a camera (ISO 15740 §5.5.2).
public struct ObjectInfo: Sendable, Hashable {
    public var storage = StorageID(0)
    public var format = FormatCode.undefined
    public var protection: UInt16 = 0
    /// Bytes.
    ///
    /// `unknownSize` when it does not fit 32 bits: ask elsewhere.
    public var size: UInt64 = 0
    public var thumbFormat = FormatCode(0), thumbSize: UInt32 = 0, thumbWidth: UInt32 = 0, thumbHeight: UInt32 = 0
    /// Pixels.
    public var width: UInt32 = 0, height: UInt32 = 0, depth: UInt32 = 0
    public var parent = ObjectHandle(0)
    public var associationType: UInt16 = 0, associationDescription: UInt32 = 0, sequence: UInt32 = 0
    /// As the camera spells it: hostile, never a path.
    public var name = ""
    public var captured = "", modified = "", keywords = ""
    /// Why the camera told nothing of this, in a sentence; nil where it did.
    public var undescribed: String?

    public static let unknownSize: UInt64 = 0xFFFF_FFFF

    public init() {}

    /// Also reads the variant with a 64-bit size that one maker's bodies send: four zero bytes where the name's length
    /// should be, and a name behind them.
    public init(_ bytes: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        let wide = Self.hasWideSize(bytes)
        storage = StorageID(try cursor.take(from: bytes))
        format = FormatCode(try cursor.take(UInt16.self, from: bytes))
        protection = try cursor.take(from: bytes)
        size = wide ? try cursor.take(UInt64.self, from: bytes) : UInt64(try cursor.take(UInt32.self, from: bytes))
        thumbFormat = FormatCode(try cursor.take(UInt16.self, from: bytes))
        thumbSize = try cursor.take(from: bytes)
        thumbWidth = try cursor.take(from: bytes)
        thumbHeight = try cursor.take(from: bytes)
        width = try cursor.take(from: bytes)
        height = try cursor.take(from: bytes)
        depth = try cursor.take(from: bytes)
        parent = ObjectHandle(try cursor.take(from: bytes))
        associationType = try cursor.take(from: bytes)
        associationDescription = try cursor.take(from: bytes)
        sequence = try cursor.take(from: bytes)
        name = try cursor.trailingString(from: bytes)
        captured = try cursor.trailingString(from: bytes)
        modified = try cursor.trailingString(from: bytes)
        // Keywords are free text that nothing depends on: a broken one costs nothing.
        keywords = (try? cursor.trailingString(from: bytes)) ?? ""
    }

    private static func hasWideSize(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 57 else { return false }
        var cursor = ByteCursor(at: 52)
        guard let gap: UInt32 = try? cursor.take(from: bytes), gap == 0,
            let units: UInt8 = try? cursor.take(from: bytes)
        else {
            return false
        }
        return units > 0 && cursor.remaining(in: bytes) >= Int(units) * 2
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.put(storage.rawValue)
        writer.put(format.rawValue)
        writer.put(protection)
        writer.put(UInt32(clamping: size))
        writer.put(thumbFormat.rawValue)
        for value in [thumbSize, thumbWidth, thumbHeight, width, height, depth, parent.rawValue] { writer.put(value) }
        writer.put(associationType)
        writer.put(associationDescription)
        writer.put(sequence)
        for text in [name, captured, modified, keywords] { writer.put(string: text) }
        return writer.bytes
    }

    /// A folder.
    ///
    /// Some cameras give real files the folder's format; a folder has no size.
    public var isFolder: Bool { format == .association && (associationType != 0 || size == 0) }
    public var isProtected: Bool { protection != 0 }
    /// When it was taken or last written, by the camera's clock.
    public var time: CivilTime? { PTPDate.parse(modified) ?? PTPDate.parse(captured) }
}
