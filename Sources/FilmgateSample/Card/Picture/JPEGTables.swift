/// The example tables of ITU-T T.81, Annex K.
enum JPEGTables {
    /// Position in the block of the n-th coefficient in zigzag order (Figure A.6).
    static let zigzag = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14,
        21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60,
        61, 54, 47, 55, 62, 63,
    ]

    /// Tables K.1 and K.2 divided by five, about what is called quality 90.
    static let lumaQuantisation = finer([
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29,
        51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121,
        120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ])
    static let chromaQuantisation = finer(
        [
            17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99,
            99, 99, 99, 99, 99,
        ] + [UInt8](repeating: 99, count: 32))

    private static func finer(_ table: [UInt8]) -> [UInt8] { table.map { max(1, ($0 + 2) / 5) } }
}

/// A Huffman table: code lengths as a DHT segment holds them, and the code of each symbol (T.81 Annex C).
struct HuffmanTable {
    struct Code { var bits: UInt32 = 0, length = 0 }
    /// Class and number as in the segment's first byte.
    let id: UInt8
    let counts: [UInt8], symbols: [UInt8]
    let codes: [Code]

    init(id: UInt8, counts: [UInt8], symbols: [UInt8]) {
        (self.id, self.counts, self.symbols) = (id, counts, symbols)
        var codes = [Code](repeating: Code(), count: 256)
        var bits: UInt32 = 0, next = 0
        for (index, count) in counts.enumerated() {
            for _ in 0..<count {
                codes[Int(symbols[next])] = Code(bits: bits, length: index + 1)
                bits += 1
                next += 1
            }
            bits <<= 1
        }
        self.codes = codes
    }
}

extension HuffmanTable {
    /// Tables K.3 to K.6.
    static let lumaDC = HuffmanTable(
        id: 0x00, counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: Array(0...11))
    static let chromaDC = HuffmanTable(
        id: 0x01, counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], symbols: Array(0...11))
    static let lumaAC = HuffmanTable(
        id: 0x10, counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D],
        symbols: completed([
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
            0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
            0x82,
        ]))
    static let chromaAC = HuffmanTable(
        id: 0x11, counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77],
        symbols: completed([
            0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
            0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1,
            0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
        ]))

    /// Both AC tables end with all symbols that are left, in rising order.
    private static func completed(_ head: [UInt8]) -> [UInt8] {
        let all = (0...15).flatMap { run in (1...10).map { UInt8(run << 4 | $0) } }
        return head + all.filter { !head.contains($0) }
    }
}
