import Testing

/// Reads a TIFF block and fails on any offset that leaves it.
struct TIFFCheck {
    private let bytes: [UInt8]
    private let bigEndian: Bool

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        bigEndian = bytes.first == UInt8(ascii: "M")
        let answer = try number(at: 2, 2)
        try #require(answer == 42)
    }

    func number(at offset: Int, _ width: Int) throws -> Int {
        try #require(offset >= 0 && offset + width <= bytes.count)
        let part = bytes[offset..<offset + width]
        return (bigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The offsets of the main directories.
    func chain() throws -> [Int] {
        var offsets: [Int] = [], next = try number(at: 4, 4)
        while next != 0 {
            offsets.append(next)
            next = try number(at: next + 2 + number(at: next, 2) * 12, 4)
            try #require(offsets.count < 10)
        }
        return offsets
    }

    /// The value's bytes by tag; tags must rise.
    func entries(at directory: Int) throws -> [Int: [UInt8]] {
        var result: [Int: [UInt8]] = [:], last = -1
        for index in 0..<(try number(at: directory, 2)) {
            let entry = directory + 2 + index * 12
            let tag = try number(at: entry, 2)
            try #require(tag > last)
            last = tag
            let width = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1][try number(at: entry + 2, 2)]
            let length = try #require(width) * number(at: entry + 4, 4)
            let start = length <= 4 ? entry + 8 : try number(at: entry + 8, 4)
            try #require(start + length <= bytes.count)
            result[tag] = Array(bytes[start..<start + length])
        }
        return result
    }

    func text(_ tag: Int, at directory: Int) throws -> String? {
        try entries(at: directory)[tag].map { String(decoding: $0.dropLast(), as: UTF8.self) }
    }

    /// Where the directories lie that `tag` points at.
    func children(_ tag: Int, at directory: Int) throws -> [Int] {
        let value = try #require(entries(at: directory)[tag])
        return stride(from: 0, to: value.count, by: 4).map { at in
            let part = value[at..<at + 4]
            return (bigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
