/// A list of words as one column: one per line, `\` and line breaks inside a word escaped.
///
/// Nil for an empty list.
enum WordList {
    static func encode(_ words: some Collection<String>) -> String? {
        words.isEmpty ? nil : words.map(escaped).joined(separator: "\n")
    }

    static func decode(_ text: String?) -> [String] {
        text.map { $0.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { unescaped(Substring($0)) } }
            ?? []
    }

    private static func escaped(_ word: String) -> String {
        guard word.utf8.contains(where: { $0 == 0x0A || $0 == 0x5C }) else { return word }
        var bytes: [UInt8] = []
        for byte in word.utf8 {
            switch byte {
            case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
            case 0x5C: bytes += [0x5C, 0x5C]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ line: Substring) -> String {
        guard line.utf8.contains(0x5C) else { return String(line) }
        var bytes: [UInt8] = [], escape = false
        for byte in line.utf8 {
            if escape {
                bytes.append(byte == UInt8(ascii: "n") ? 0x0A : byte)
                escape = false
            } else if byte == 0x5C {
                escape = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
