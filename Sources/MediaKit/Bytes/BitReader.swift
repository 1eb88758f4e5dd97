/// Reads bits one after another; behind the end every read answers nil.
struct BitReader {
    enum Order { case highFirst, lowFirst }
    private let bytes: Bytes, order: Order
    private var place = 0

    init(_ bytes: Bytes, _ order: Order = .highFirst) { (self.bytes, self.order) = (bytes, order) }

    mutating func bit() -> UInt32? {
        guard let byte = bytes[place >> 3] else { return nil }
        let index = place & 7
        place += 1
        return UInt32(byte >> (order == .highFirst ? 7 - index : index) & 1)
    }

    /// A whole number of up to 32 bits.
    mutating func number(_ width: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<min(width, 32) {
            guard let bit = bit() else { return nil }
            value = order == .highFirst ? value << 1 | bit : value | bit << UInt32(index)
        }
        return value
    }

    mutating func skip(_ width: Int) { place += max(0, width) }

    /// An Exp-Golomb number (ITU-T H.264 §9.1); nil where it has more than 31 bits.
    mutating func golomb() -> Int? {
        var zeros = 0
        while let bit = bit() {
            if bit == 1 { return number(zeros).map { (1 << zeros) - 1 + Int($0) } }
            zeros += 1
            if zeros > 31 { return nil }
        }
        return nil
    }

    /// The same with a sign (§9.1.1).
    mutating func signedGolomb() -> Int? { golomb().map { $0 & 1 == 1 ? ($0 + 1) / 2 : -($0 / 2) } }
}
