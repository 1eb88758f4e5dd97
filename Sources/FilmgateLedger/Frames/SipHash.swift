/// The key of a `SipHash`: 128 bits.
public struct SipKey: Sendable, Hashable {
    let low: UInt64, high: UInt64
    public init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    /// A short number for a text; who does not know the key cannot tell it.
    public func number(of text: String) -> UInt64 {
        var hash = SipHash(self)
        hash.add(text)
        return hash.finish()
    }
}

/// SipHash-2-4 (Aumasson and Bernstein, 2012): short numbers for texts that others choose.
struct SipHash {
    private var v0: UInt64, v1: UInt64, v2: UInt64, v3: UInt64
    private var tail: UInt64 = 0, count: UInt64 = 0

    init(_ key: SipKey) {
        v0 = key.low ^ 0x736F_6D65_7073_6575
        v1 = key.high ^ 0x646F_7261_6E64_6F6D
        v2 = key.low ^ 0x6C79_6765_6E65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    /// Eight bytes, the lowest first.
    mutating func add(_ word: UInt64) {
        if count & 7 == 0 {
            count &+= 8
            return compress(word)
        }
        for shift in stride(from: 0 as UInt64, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: word >> shift)) }
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var place = 0
            if count & 7 == 0 {
                let raw = UnsafeRawBufferPointer(bytes)
                while place + 8 <= raw.count {
                    add(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
                    place += 8
                }
            }
            for byte in bytes[place...] { add(byte: byte) }
        }
    }

    mutating func add(byte: UInt8) {
        tail |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        guard count & 7 == 0 else { return }
        compress(tail)
        tail = 0
    }

    mutating func finish() -> UInt64 {
        compress(tail | count << 56)
        v2 ^= 0xFF
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        for _ in 0..<2 { round() }
        v0 ^= word
    }

    private mutating func round() {
        v0 &+= v1
        v1 = Self.turned(v1, 13) ^ v0
        v0 = Self.turned(v0, 32)
        v2 &+= v3
        v3 = Self.turned(v3, 16) ^ v2
        v0 &+= v3
        v3 = Self.turned(v3, 21) ^ v0
        v2 &+= v1
        v1 = Self.turned(v1, 17) ^ v2
        v2 = Self.turned(v2, 32)
    }

    private static func turned(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
