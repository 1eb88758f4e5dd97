/// String literals of JSON.
package enum JSONString {
    /// A JSON string literal (RFC 8259 §7); invalid file-name bytes travel as their private-use scalars.
    package static func quoted(_ text: String) -> String {
        var result: [UInt8] = []
        append(text, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Appends that literal; nearly every text needs no escape and is copied whole.
    package static func append(_ text: String, to result: inout [UInt8]) {
        var text = text
        result.append(0x22)
        text.withUTF8 { bytes in
            if isPlain(bytes) { result.append(contentsOf: bytes) } else { escape(bytes, &result) }
        }
        result.append(0x22)
    }

    package static func copy(_ text: String, to result: inout [UInt8]) {
        var text = text
        text.withUTF8 { result.append(contentsOf: $0) }
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        // Without a way out of the loop: the compiler looks at many bytes at once.
        for byte in bytes {
            found |= (byte < 0x20 ? 1 : 0) | (byte == 0x22 ? 1 : 0) | (byte == 0x5C ? 1 : 0) | (byte == 0x7F ? 1 : 0)
        }
        return found == 0
    }

    private static func escape(_ bytes: UnsafeBufferPointer<UInt8>, _ result: inout [UInt8]) {
        for byte in bytes {
            switch byte {
            case 0x22: result += [0x5C, 0x22]
            case 0x5C: result += [0x5C, 0x5C]
            case 0x0A: result += [0x5C, 0x6E]
            case 0x0D: result += [0x5C, 0x72]
            case 0x09: result += [0x5C, 0x74]
            case _ where byte < 0x20 || byte == 0x7F: result += "\\u00\(padded(hexadecimal: byte))".utf8
            default: result.append(byte)
            }
        }
    }

    private static func padded(hexadecimal value: UInt8) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16)
    }
}
