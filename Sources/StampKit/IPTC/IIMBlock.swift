/// The datasets of an IPTC-IIM block (IIM 4.2), as they came, in UTF-8 after `makeUTF8`.
struct IIMBlock {
    struct DataSet: Hashable { var record: UInt8, number: UInt8, value: [UInt8] }

    private(set) var sets: [DataSet] = []

    /// ESC % G, which announces UTF-8.
    static let utf8: [UInt8] = [0x1B, 0x25, 0x47]
    static let creator: UInt8 = 80, copyright: UInt8 = 116, caption: UInt8 = 120, keyword: UInt8 = 25
    private static let limit = 20_000

    init() {}

    /// Throws for a block that breaks off or holds what is no dataset.
    init(_ bytes: [UInt8]) throws(StampFault) {
        var at = 0
        while at < bytes.count, bytes[at] == 0x1C {
            guard at + 5 <= bytes.count, sets.count < Self.limit else { throw StampFault("its IPTC breaks off") }
            var length = Int(bytes[at + 3]) << 8 | Int(bytes[at + 4]), start = at + 5
            if length & 0x8000 != 0 {
                let digits = length & 0x7FFF
                guard digits <= 4, start + digits <= bytes.count else { throw StampFault("its IPTC breaks off") }
                length = bytes[start..<(start + digits)].reduce(0) { $0 << 8 | Int($1) }
                start += digits
            }
            guard length <= bytes.count - start else { throw StampFault("its IPTC breaks off") }
            sets.append(
                DataSet(record: bytes[at + 1], number: bytes[at + 2], value: Array(bytes[start..<(start + length)])))
            at = start + length
        }
        guard bytes[at...].allSatisfy({ $0 == 0 }) else { throw StampFault("its IPTC holds what is no dataset") }
    }

    /// In the order of the records, each with its version first.
    var bytes: [UInt8] {
        var result: [UInt8] = []
        for (_, set) in sets.enumerated().sorted(by: {
            (Self.rank($0.element), $0.offset) < (Self.rank($1.element), $1.offset)
        }) {
            result += [0x1C, set.record, set.number]
            let count = set.value.count
            if count > 0x7FFF {
                result += [0x80, 4] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
            } else {
                result += [UInt8(count >> 8), UInt8(count & 0xFF)]
            }
            result += set.value
        }
        return result
    }

    private static func rank(_ set: DataSet) -> Int { Int(set.record) * 2 + (set.number == 0 ? 0 : 1) }

    func values(_ number: UInt8) -> [String] {
        sets.filter { $0.record == 2 && $0.number == number }.map { String(decoding: $0.value, as: UTF8.self) }
            .filter { text in !text.unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.value == 0 } }
    }

    /// Replaces all datasets of that number; texts are cut to what the standard allows.
    mutating func set(_ number: UInt8, _ values: [String]) {
        sets.removeAll { $0.record == 2 && $0.number == number }
        sets += values.map { DataSet(record: 2, number: number, value: Self.cut($0, to: Self.longest(number))) }
    }

    /// IIM's limits, in bytes; XMP holds the whole text.
    private static func longest(_ number: UInt8) -> Int {
        switch number {
        case creator: 32
        case copyright: 128
        case keyword: 64
        default: 2000
        }
    }

    private static func cut(_ text: String, to limit: Int) -> [UInt8] {
        var kept = text[...]
        while kept.utf8.count > limit { kept.removeLast() }
        return Array(kept.utf8)
    }

    /// Announces UTF-8, and turns what was written in another character set into it.
    mutating func makeUTF8() {
        let announced = sets.first { $0.record == 1 && $0.number == 90 }?.value
        if announced != Self.utf8 {
            for index in sets.indices where Self.isText(sets[index]) {
                // Without a word about it, it is UTF-8 where it can be, else Latin 1.
                if String(validating: sets[index].value, as: UTF8.self) == nil {
                    let text = String(String.UnicodeScalarView(sets[index].value.map { Unicode.Scalar($0) }))
                    sets[index].value = Array(text.utf8)
                }
            }
        }
        sets.removeAll { $0.record == 1 && $0.number == 90 }
        sets.insert(DataSet(record: 1, number: 90, value: Self.utf8), at: 0)
        if !sets.contains(where: { $0.record == 2 && $0.number == 0 }) {
            sets.append(DataSet(record: 2, number: 0, value: [0, 4]))
        }
    }

    private static func isText(_ set: DataSet) -> Bool {
        set.record == 2 && set.number > 2 && set.number != 125 && set.number < 200
    }
}

extension IIMBlock {
    mutating func apply(_ stamp: Stamp) {
        makeUTF8()
        put(Self.creator, stamp.creators, stamp)
        put(Self.copyright, [stamp.copyright].compactMap { $0 }, stamp)
        put(Self.caption, [stamp.caption].compactMap { $0 }, stamp)
        let known = values(Self.keyword)
        set(Self.keyword, known + Keywords.missing(stamp.keywords, among: known))
    }

    private mutating func put(_ number: UInt8, _ values: [String], _ stamp: Stamp) {
        if !values.isEmpty, stamp.replaces || self.values(number).isEmpty { set(number, values) }
    }
}
