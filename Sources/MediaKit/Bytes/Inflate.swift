/// DEFLATE in its zlib wrapping (RFC 1950, 1951), for the few kilobytes of a PNG's compressed text.
///
/// The checksum is not looked at.
struct Inflate {
    private let bytes: Bytes
    private let limit: Int
    private var place = 2
    private var hold: UInt32 = 0
    private var held = 0
    private var output: [UInt8] = []

    /// Nil when the data is broken or gives more than `limit` bytes.
    static func zlib(_ bytes: Bytes, limit: Int) -> [UInt8]? {
        guard let method = bytes[0], let flags = bytes[1], method & 0xF == 8, flags & 0x20 == 0 else { return nil }
        var inflate = Inflate(bytes, limit)
        while true {
            guard let last = inflate.take(1), let kind = inflate.take(2), inflate.block(kind) else { return nil }
            if last == 1 { return inflate.output }
        }
    }

    private init(_ bytes: Bytes, _ limit: Int) { (self.bytes, self.limit) = (bytes, limit) }

    private mutating func take(_ count: Int) -> Int? {
        while held < count {
            guard let byte = bytes[place] else { return nil }
            hold |= UInt32(byte) << UInt32(held)
            held += 8
            place += 1
        }
        let value = hold & ((1 << UInt32(count)) - 1)
        hold >>= UInt32(count)
        held -= count
        return Int(value)
    }

    private mutating func block(_ kind: Int) -> Bool {
        switch kind {
        case 0: return stored()
        case 1:
            let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
            return compressed(HuffmanCode(lengths), HuffmanCode(Array(repeating: 5, count: 30)))
        case 2:
            guard let (literals, distances) = codes() else { return false }
            return compressed(literals, distances)
        default: return false
        }
    }

    private mutating func stored() -> Bool {
        place -= held / 8
        (hold, held) = (0, 0)
        guard let length = bytes.u16(place, .little), let check = bytes.u16(place + 2, .little), length == ~check,
            let part = bytes.part(place + 4, Int(length)), output.count + part.count <= limit
        else { return false }
        output.append(contentsOf: part.array)
        place += 4 + part.count
        return true
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private mutating func codes() -> (HuffmanCode, HuffmanCode)? {
        guard let literals = take(5).map({ $0 + 257 }), let distances = take(5).map({ $0 + 1 }),
            let count = take(4).map({ $0 + 4 })
        else {
            return nil
        }
        var short = Array(repeating: 0, count: 19)
        for index in 0..<count {
            guard let length = take(3) else { return nil }
            short[Self.order[index]] = length
        }
        let code = HuffmanCode(short)
        var lengths: [Int] = []
        while lengths.count < literals + distances {
            guard let symbol = symbol(code) else { return nil }
            switch symbol {
            case 0..<16: lengths.append(symbol)
            case 16:
                guard let last = lengths.last, let more = take(2) else { return nil }
                lengths += Array(repeating: last, count: more + 3)
            default:
                guard let more = take(symbol == 17 ? 3 : 7) else { return nil }
                lengths += Array(repeating: 0, count: more + (symbol == 17 ? 3 : 11))
            }
        }
        guard lengths.count == literals + distances else { return nil }
        return (HuffmanCode(Array(lengths[..<literals])), HuffmanCode(Array(lengths[literals...])))
    }

    private mutating func symbol(_ code: HuffmanCode) -> Int? {
        var value = 0, first = 0, index = 0
        for length in 1...15 {
            guard let bit = take(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - count < first { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    private static let lengthBase = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBase = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145, 8193, 12289, 16385, 24577,
    ]

    private mutating func compressed(_ literals: HuffmanCode, _ distances: HuffmanCode) -> Bool {
        while let symbol = symbol(literals), output.count < limit {
            if symbol == 256 { return true }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            let index = symbol - 257
            guard index < Self.lengthBase.count, let more = take(Self.lengthBits[index]),
                let far = self.symbol(distances),
                far < Self.distanceBase.count, let further = take(far < 2 ? 0 : far / 2 - 1)
            else { return false }
            let length = Self.lengthBase[index] + more, distance = Self.distanceBase[far] + further
            guard distance <= output.count, output.count + length <= limit else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return false
    }
}

/// A canonical Huffman code: how many codes there are of each length, and their symbols in order.
///
/// Over-full codes decode to something or nothing, within bounds.
struct HuffmanCode {
    let counts: [Int]
    let symbols: [Int]

    init(_ lengths: [Int]) {
        var counts = Array(repeating: 0, count: 16)
        for length in lengths where length > 0 { counts[length] += 1 }
        self.counts = counts
        symbols = (1...15).flatMap { length in lengths.indices.filter { lengths[$0] == length } }
    }
}
