import FilmgateCore
import HTTPKit

/// Lines as they are written to a child.
enum WireText {
    /// One line of JSON.
    ///
    /// Bytes of a file name that are no UTF-8 travel as lone surrogates, `\udc80` to `\udcff`, which is how Python, for
    /// one, holds them.
    static func of(_ value: JSONValue) -> String {
        let text = value.serialized
        guard text.unicodeScalars.contains(where: { $0.value >= 0x10_FF80 }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x10_FF80 {
                result.append(contentsOf: "\\udc\(String(scalar.value & 0xFF, radix: 16))".unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// A child's line with the lone surrogates `\udc80` to `\udcff` as the scalars that stand for bytes of a name here.
    static func incoming(_ line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [], at = 0
        result.reserveCapacity(line.count)
        while at < line.count {
            guard line[at] == 0x5C, at + 1 < line.count else {
                result.append(line[at])
                at += 1
                continue
            }
            let unit = unit(line, at)
            var count = unit == nil ? 2 : 6
            if let unit, (0xD800..<0xDC00).contains(unit), let low = Self.unit(line, at + 6),
                (0xDC00..<0xE000).contains(low)
            {
                count = 12
            }
            if let unit, (0xDC80...0xDCFF).contains(unit), let scalar = Unicode.Scalar(0x10_FF00 + (unit & 0xFF)) {
                result += Array(String(scalar).utf8)
            } else {
                result += line[at..<min(at + count, line.count)]
            }
            at += count
        }
        return result
    }

    /// The code unit of an escape `\uXXXX` at `place`.
    private static func unit(_ line: [UInt8], _ place: Int) -> UInt32? {
        guard place + 6 <= line.count, line[place] == 0x5C, line[place + 1] == 0x75 else { return nil }
        return UInt32(String(decoding: line[(place + 2)..<(place + 6)], as: UTF8.self), radix: 16)
    }
}

extension JSONValue {
    static func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
    /// Null for nil.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    static func count(_ number: UInt64) -> JSONValue { Int64(exactly: number).map { .integer($0) } ?? .null }
}
