import FilmgateCore

/// One file's text, checked character by character and made ready for composing.
struct YAMLText {
    let file: String
    /// As the file has it, without a byte order mark.
    let original: String
    /// With anchors, aliases and tags made harmless.
    let neutral: String

    init(_ text: String, file: String) throws(ConfigError) {
        self.file = file
        original = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        guard original.utf8.count <= YAMLReader.maxBytes else { throw TextFile.tooLarge(file, YAMLReader.maxBytes) }
        try Self.check(original, file: file)
        neutral = YAMLPlaceholders.neutralized(original)
    }

    /// The bytes as text; `bad-encoding` at the first byte that is not UTF-8.
    static func decoded(_ bytes: [UInt8], file: String) throws(ConfigError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let good = wellFormedPrefix(of: bytes)
        let mark = place(after: String(decoding: bytes[..<good], as: UTF8.self), file: file)
        throw ConfigError(mark, "bad-encoding", "This is not UTF-8 text.", hint: "Save the file as UTF-8.")
    }

    /// How many leading bytes are whole, well-formed UTF-8.
    private static func wellFormedPrefix(of bytes: [UInt8]) -> Int {
        var decoder = UTF8(), source = bytes.makeIterator(), length = 0
        while case .scalarValue(let scalar) = decoder.decode(&source) { length += UTF8.width(scalar) }
        return length
    }

    private static func place(after text: String, file: String) -> Mark {
        var mark = Mark(file: file, line: 1, column: 1)
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            advance(&mark, over: scalar, after: last)
            last = scalar
        }
        return mark
    }

    /// Line ends are LF, CR and CR LF.
    private static func advance(_ mark: inout Mark, over scalar: Unicode.Scalar, after last: Unicode.Scalar?) {
        if scalar == "\n", last == "\r" { return }
        if scalar == "\n" || scalar == "\r" {
            (mark.line, mark.column) = (mark.line + 1, 1)
        } else {
            mark.column += 1
        }
    }

    private static func check(_ text: String, file: String) throws(ConfigError) {
        var mark = Mark(file: file, line: 1, column: 1)
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            guard isAllowed(scalar) else {
                let code = String(scalar.value, radix: 16, uppercase: true)
                throw ConfigError(
                    mark, "control-character",
                    "The character U+\(String(repeating: "0", count: max(0, 4 - code.count)))\(code) is not allowed here.",
                    hint: "It cannot be seen in most editors; delete it and type the text again.")
            }
            advance(&mark, over: scalar, after: last)
            last = scalar
        }
    }

    /// Tab, line ends and everything that can be seen.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD: true
        case 0x10000...: scalar.value & 0xFFFE != 0xFFFE
        default: false
        }
    }

    /// Line `number` (from 1), without its end.
    func line(_ number: Int) -> [Unicode.Scalar] {
        var line = 1, result: [Unicode.Scalar] = [], last: Unicode.Scalar?
        for scalar in original.unicodeScalars {
            defer { last = scalar }
            if scalar == "\n", last == "\r" { continue }
            if scalar == "\n" || scalar == "\r" {
                if line == number { return result }
                line += 1
            } else if line == number {
                result.append(scalar)
            }
        }
        return result
    }
}
