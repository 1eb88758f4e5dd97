/// Recursive descent over the bytes.
struct JSONReader {
    let bytes: [UInt8]
    private var position = 0

    static let depthLimit = 64

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> JSONValue? {
        guard let value = value(depth: 0) else { return nil }
        skipSpace()
        return position == bytes.count ? value : nil
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func skip(_ byte: Character) -> Bool {
        skipSpace()
        guard current == byte.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth <= Self.depthLimit else { return nil }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) -> JSONValue? {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count,
            text.withUTF8Buffer({ bytes[position..<(position + count)].elementsEqual($0) })
        else {
            return nil
        }
        position += count
        return value
    }

    private mutating func object(_ depth: Int) -> JSONValue? {
        position += 1
        var members = JSONObject()
        if skip("}") { return .object(members) }
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\""), let key = string(), skip(":"), let value = value(depth: depth + 1)
            else { return nil }
            members[key] = value
        } while skip(",")
        return skip("}") ? .object(members) : nil
    }

    private mutating func array(_ depth: Int) -> JSONValue? {
        position += 1
        var items: [JSONValue] = []
        if skip("]") { return .array(items) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            items.append(value)
        } while skip(",")
        return skip("]") ? .array(items) : nil
    }

    private mutating func number() -> JSONValue? {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte) {
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        guard let first = digits.first, first.isNumber, !(first == "0" && digits.dropFirst().first?.isNumber == true)
        else { return nil }
        if let whole = Int64(text) { return .integer(whole) }
        return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    }

    private mutating func string() -> String? {
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(scalar).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicode()
        default: return nil
        }
    }

    /// One or, for a surrogate pair, two `\uXXXX`; a lone surrogate becomes U+FFFD.
    private mutating func unicode() -> Unicode.Scalar? {
        guard let high = fourDigits() else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
        let before = position
        guard word("\\u", .null) != nil, let low = fourDigits(), (0xDC00..<0xE000).contains(low) else {
            position = before
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func fourDigits() -> UInt32? {
        guard bytes.count - position >= 4 else { return nil }
        var value: UInt32 = 0
        for byte in bytes[position..<(position + 4)] {
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}
