/// Reads little-endian fields from bytes that others wrote.
///
/// Every read is checked against what is there; none traps.
///
/// The bytes are passed with every call, so the cursor is a plain value that can be stored.
public struct ByteCursor: Sendable {
    /// The next byte to read.
    ///
    /// Public and settable because inlined code writes it; outsiders use `skip` and `seek`.
    public var offset: Int

    @inlinable public init(at offset: Int = 0) { self.offset = offset }

    /// Bytes not yet read; 0 when the cursor stands beyond the end.
    @inlinable public func remaining(in bytes: RawSpan) -> Int { max(0, bytes.byteCount - offset) }

    /// The next integer, little-endian.
    @inlinable public mutating func take<T: FixedWidthInteger & BitwiseCopyable>(
        _: T.Type = T.self, from bytes: RawSpan
    ) throws(PTPError) -> T {
        guard offset >= 0, bytes.byteCount - offset >= MemoryLayout<T>.size else { throw .truncated(at: offset) }
        let value = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self)
        offset += MemoryLayout<T>.size
        return T(littleEndian: value)
    }

    /// Passes over `count` bytes.
    @inlinable public mutating func skip(_ count: Int, in bytes: RawSpan) throws(PTPError) {
        guard count >= 0, remaining(in: bytes) >= count else { throw .truncated(at: offset) }
        offset += count
    }

    /// A counted array: u32 count, then the elements.
    ///
    /// The count is checked against the bytes before anything is allocated.
    @inlinable public mutating func array<T: FixedWidthInteger & BitwiseCopyable>(
        of _: T.Type = T.self, from bytes: RawSpan
    ) throws(PTPError) -> [T] {
        let count = try Int(take(UInt32.self, from: bytes))
        guard count <= remaining(in: bytes) / MemoryLayout<T>.size else { throw .truncated(at: offset) }
        var values: [T] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try take(from: bytes)) }
        return values
    }

    /// A PTP string: u8 number of UTF-16 units with the closing NUL, then the units.
    ///
    /// Tolerates a missing or an early NUL (the text ends there); lone surrogates become U+FFFD.
    public mutating func string(from bytes: RawSpan) throws(PTPError) -> String {
        let units = try Int(take(UInt8.self, from: bytes))
        guard units <= remaining(in: bytes) / 2 else { throw .truncated(at: offset) }
        return try utf16(units, from: bytes)
    }

    /// A string at the end of a dataset, which some cameras leave out: then empty.
    public mutating func trailingString(from bytes: RawSpan) throws(PTPError) -> String {
        remaining(in: bytes) == 0 ? "" : try string(from: bytes)
    }

    /// `units` UTF-16 units; the text ends at the first NUL.
    public mutating func utf16(_ units: Int, from bytes: RawSpan) throws(PTPError) -> String {
        guard units >= 0, offset >= 0, remaining(in: bytes) / 2 >= units else { throw .truncated(at: offset) }
        let start = offset
        offset += units * 2
        func unit(_ index: Int) -> UInt16 {
            UInt16(
                littleEndian: unsafe bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: start + index * 2, as: UInt16.self))
        }
        let length = (0..<units).first { unit($0) == 0 } ?? units
        // Nearly all names are ASCII, and a card has ten thousand: decoding UTF-16 takes ten times as long.
        if (0..<length).allSatisfy({ unit($0) < 0x80 }) {
            return String(unsafeUninitializedCapacity: length) { text in
                for index in 0..<length { text[index] = UInt8(truncatingIfNeeded: unit(index)) }
                return length
            }
        }
        return String(decoding: (0..<length).map(unit), as: UTF16.self)
    }

    /// Text in `width` bytes, ending at the first NUL or at the end of the field; bytes that are not UTF-8 become
    /// U+FFFD.
    public mutating func cString(width: Int, from bytes: RawSpan) throws(PTPError) -> String {
        guard width >= 0, remaining(in: bytes) >= width else { throw .truncated(at: offset) }
        var text: [UInt8] = []
        for index in 0..<width {
            let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset + index, as: UInt8.self)
            if byte == 0 { break }
            text.append(byte)
        }
        offset += width
        return String(decoding: text, as: UTF8.self)
    }

    /// The next `count` bytes, copied.
    @inlinable public mutating func bytes(_ count: Int, from bytes: RawSpan) throws(PTPError) -> [UInt8] {
        guard count >= 0, remaining(in: bytes) >= count else { throw .truncated(at: offset) }
        let start = offset
        offset += count
        return bytes.extracting(start..<start + count).withUnsafeBytes { unsafe Array($0) }
    }
}

extension RawSpan {
    /// A copy of the bytes.
    @inlinable public var copied: [UInt8] { withUnsafeBytes { unsafe Array($0) } }
}
