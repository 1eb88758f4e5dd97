import Glibc

/// A view of bytes in memory.
///
/// Every access is checked: what lies outside is nil, never a trap.
struct Bytes: Sendable {
    private let storage: [UInt8]
    private let start: Int
    let count: Int

    init(_ storage: [UInt8]) { (self.storage, start, count) = (storage, 0, storage.count) }

    private init(_ storage: [UInt8], _ start: Int, _ count: Int) {
        (self.storage, self.start, self.count) = (storage, start, count)
    }

    static let none = Bytes([])

    subscript(_ index: Int) -> UInt8? { index >= 0 && index < count ? storage[start + index] : nil }

    /// Exactly `length` bytes from `offset` on.
    func part(_ offset: Int, _ length: Int) -> Bytes? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        return Bytes(storage, start + offset, length)
    }

    /// All bytes from `offset` on; empty behind the end.
    func from(_ offset: Int) -> Bytes { part(offset, count - offset) ?? .none }

    /// At most the first `length` bytes.
    func first(_ length: Int) -> Bytes { part(0, min(max(0, length), count)) ?? .none }

    func integer<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type, _ offset: Int, _ order: ByteOrder) -> Value?
    {
        let width = Value.bitWidth / 8
        guard offset >= 0, offset <= count - width else { return nil }
        var value: Value = 0
        for step in 0..<width {
            let index = order == .big ? step : width - 1 - step
            value = value << 8 | Value(truncatingIfNeeded: storage[start + offset + index])
        }
        return value
    }

    func u16(_ offset: Int, _ order: ByteOrder) -> UInt16? { integer(UInt16.self, offset, order) }
    func u32(_ offset: Int, _ order: ByteOrder) -> UInt32? { integer(UInt32.self, offset, order) }
    func u64(_ offset: Int, _ order: ByteOrder) -> UInt64? { integer(UInt64.self, offset, order) }

    func starts(with pattern: some Collection<UInt8>, at offset: Int = 0) -> Bool {
        guard offset >= 0, pattern.count <= count - offset else { return false }
        var index = start + offset
        for byte in pattern {
            guard storage[index] == byte else { return false }
            index += 1
        }
        return true
    }

    func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), at: offset)
    }

    /// Where `pattern` first begins at or after `offset`.
    func index(of pattern: [UInt8], from offset: Int = 0) -> Int? {
        guard let lead = pattern.first, offset >= 0 else { return nil }
        return withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return nil }
            var index = offset
            while index <= raw.count - pattern.count {
                guard let found = memchr(base + index, CInt(lead), raw.count - pattern.count + 1 - index) else {
                    return nil
                }
                if memcmp(found, pattern, pattern.count) == 0 { return base.distance(to: UnsafeRawPointer(found)) }
                index = base.distance(to: UnsafeRawPointer(found)) + 1
            }
            return nil
        }
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
    }

    var array: [UInt8] { count == storage.count ? storage : Array(storage[start..<start + count]) }
}

enum ByteOrder: Sendable {
    case little, big

    /// `II` or `MM`.
    init?(mark bytes: Bytes, at offset: Int = 0) {
        if bytes.starts(with: "II", at: offset) {
            self = .little
        } else if bytes.starts(with: "MM", at: offset) {
            self = .big
        } else {
            return nil
        }
    }
}
