extension XMLScanner {
    /// Text with its five entities and character numbers resolved; anything else after `&` stays as it is.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(0x26) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.first {
            rest.removeFirst()
            guard byte == 0x26, let end = rest.prefix(10).firstIndex(of: 0x3B),
                let scalar = scalar(rest[rest.startIndex..<end])
            else {
                result.append(byte)
                continue
            }
            result.append(contentsOf: String(Character(scalar)).utf8)
            rest = rest[(end + 1)...]
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func scalar(_ entity: ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: entity, as: UTF8.self) {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case let text where text.hasPrefix("#x"):
            return UInt32(text.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case let text where text.hasPrefix("#"): return UInt32(text.dropFirst(1)).flatMap(Unicode.Scalar.init)
        default: return nil
        }
    }
}

extension Bytes {
    /// All bytes as UTF-16 with a byte order mark in front.
    func utf16(_ order: ByteOrder) -> String? {
        guard count >= 2 else { return nil }
        let units = stride(from: 2, to: count - 1, by: 2).compactMap { u16($0, order) }
        return String(decoding: units, as: UTF16.self)
    }
}
