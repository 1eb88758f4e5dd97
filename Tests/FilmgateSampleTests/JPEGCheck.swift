import Testing

@testable import FilmgateSample

/// Reads a baseline JPEG as a decoder would, down to the mean of every luma block.
struct JPEGCheck {
    var width = 0, height = 0, scanStart = 0
    private let bytes: [UInt8]
    private var tables: [UInt8: [UInt32: UInt8]] = [:]
    private var firstStep = 0

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        try #require(bytes.starts(with: [0xFF, 0xD8]))
        var at = 2
        while scanStart == 0 {
            try #require(at + 4 <= bytes.count && bytes[at] == 0xFF)
            let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            try #require(end <= bytes.count)
            read(bytes[at + 1], Array(bytes[(at + 4)..<end]))
            if bytes[at + 1] == 0xDA { scanStart = end }
            at = end
        }
    }

    private mutating func read(_ marker: UInt8, _ body: [UInt8]) {
        switch marker {
        case 0xC0: (height, width) = (Int(body[1]) << 8 + Int(body[2]), Int(body[3]) << 8 + Int(body[4]))
        case 0xDB where body[0] == 0: firstStep = Int(body[1])
        case 0xC4: tables[body[0]] = Self.codes(Array(body[1..<17]), Array(body[17...]))
        default: break
        }
    }

    /// Codes with a leading one bit, so that length and bits are one key.
    private static func codes(_ counts: [UInt8], _ symbols: [UInt8]) -> [UInt32: UInt8] {
        var table: [UInt32: UInt8] = [:], code: UInt32 = 0, next = 0
        for (index, count) in counts.enumerated() {
            for _ in 0..<count {
                table[1 << UInt32(index + 1) | code] = symbols[next]
                (code, next) = (code + 1, next + 1)
            }
            code <<= 1
        }
        return table
    }

    /// The mean of each luma block in scan order; fails unless the scan ends exactly where its blocks end.
    func lumaMeans() throws -> [Float] {
        var bits = Bits(bytes: bytes, at: scanStart)
        var last = [0, 0, 0], means: [Float] = []
        for _ in 0..<(width + 15) / 16 * ((height + 15) / 16) {
            for component in [0, 0, 0, 0, 1, 2] {
                last[component] += try block(&bits, component == 0 ? 0 : 1)
                if component == 0 { means.append(Float(last[0] * firstStep) / 8 + 128) }
            }
        }
        try #require(bits.rest == [0xFF, 0xD9])
        return means
    }

    private func block(_ bits: inout Bits, _ table: UInt8) throws -> Int {
        let size = Int(try symbol(&bits, table))
        let difference = try bits.signed(size)
        var index = 1
        while index < 64 {
            let pair = try symbol(&bits, 0x10 | table)
            if pair == 0 { break }
            index += Int(pair >> 4) + 1
            _ = try bits.signed(Int(pair & 15))
        }
        try #require(index <= 64)
        return difference
    }

    private func symbol(_ bits: inout Bits, _ table: UInt8) throws -> UInt8 {
        var code: UInt32 = 1
        for _ in 0..<16 {
            code = code << 1 | UInt32(try bits.next())
            if let symbol = tables[table]?[code] { return symbol }
        }
        throw Lost()
    }

    struct Lost: Error {}

    struct Bits {
        let bytes: [UInt8]
        var at: Int, left = 0, byte: UInt8 = 0

        mutating func next() throws -> UInt8 {
            if left == 0 {
                try #require(at + 1 < bytes.count)
                byte = bytes[at]
                if byte == 0xFF { try #require(bytes[at + 1] == 0) }
                (at, left) = (at + (byte == 0xFF ? 2 : 1), 8)
            }
            left -= 1
            return byte >> UInt8(left) & 1
        }

        mutating func signed(_ size: Int) throws -> Int {
            var value = 0
            for _ in 0..<size { value = value << 1 | Int(try next()) }
            return size > 0 && value < 1 << (size - 1) ? value - (1 << size) + 1 : value
        }

        var rest: ArraySlice<UInt8> { bytes[at...] }
    }
}
