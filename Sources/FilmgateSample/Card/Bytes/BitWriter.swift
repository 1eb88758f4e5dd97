/// Bits, most significant first, as JPEG scans and video parameter sets hold them.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var waiting = 0
    /// JPEG: a zero byte follows every 0xFF of the scan (ITU-T T.81 §B.1.1.5).
    let stuffing: Bool

    init(stuffing: Bool = false) { self.stuffing = stuffing }

    var isAligned: Bool { waiting == 0 }

    /// Appends the low `count` bits of `value`; `count` is at most 32.
    mutating func put(_ value: UInt32, _ count: Int) {
        pending = pending << UInt64(count) | UInt64(value) & (1 << UInt64(count) - 1)
        waiting += count
        while waiting >= 8 {
            waiting -= 8
            let byte = UInt8(truncatingIfNeeded: pending >> UInt64(waiting))
            bytes.append(byte)
            if stuffing, byte == 0xFF { bytes.append(0) }
        }
    }

    /// Fills the last byte up with `bit`.
    mutating func align(with bit: UInt32) {
        while waiting != 0 { put(bit, 1) }
    }

    /// Whole bytes; only valid when aligned.
    mutating func append(_ more: [UInt8]) { bytes += more }

    /// Unsigned Exp-Golomb code (ITU-T H.265 §9.2).
    mutating func ue(_ value: UInt32) {
        let width = 32 - (value + 1).leadingZeroBitCount
        put(0, width - 1)
        put(value + 1, width)
    }
}
