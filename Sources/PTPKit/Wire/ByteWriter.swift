/// Builds what we send: little-endian fields, PTP strings and arrays.
public struct ByteWriter: Sendable {
    public var bytes: [UInt8]

    @inlinable public init(capacity: Int = 64) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    @inlinable public mutating func put<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    @inlinable public mutating func put(contentsOf more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// u32 count, then the elements.
    @inlinable public mutating func put<T: FixedWidthInteger>(array: [T]) {
        put(UInt32(truncatingIfNeeded: array.count))
        for value in array { put(value) }
    }

    /// A PTP string, cut at 254 UTF-16 units; the empty one is a single zero byte.
    public mutating func put(string: String) {
        let units = Array(string.utf16.prefix(254))
        guard !units.isEmpty else { return put(UInt8(0)) }
        put(UInt8(units.count + 1))
        for unit in units { put(unit) }
        put(UInt16(0))
    }

    /// UTF-16 text with a closing NUL and no count, as PTP/IP writes names.
    public mutating func put(terminated text: String, limit: Int = 39) {
        for unit in text.utf16.prefix(limit) { put(unit) }
        put(UInt16(0))
    }

    /// Writes `value` over four bytes written earlier.
    public mutating func patch(_ value: UInt32, at offset: Int) {
        guard offset >= 0, offset + 4 <= bytes.count else { return }
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
    }
}
