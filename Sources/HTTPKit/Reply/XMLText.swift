/// Reads single elements out of a server's XML; for answers whose few interesting elements hold nothing but text.
///
/// Namespaces' prefixes are ignored, entities of XML itself are decoded, document types and everything nested is passed over. One pass over
/// the bytes, whatever they hold.
public enum XMLText {
    /// No answer is read further than to so many elements of one name.
    public static let mostElements = 20_000

    /// The texts of all elements of that local name, in order, at most `mostElements`.
    public static func all(_ name: String, in bytes: [UInt8]) -> [String] {
        var found: [String] = [], position = 0
        let wanted = Array(name.utf8)
        while found.count < mostElements, let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            guard let close = bytes[open...].firstIndex(of: UInt8(ascii: ">")) else { break }
            position = close + 1
            guard bytes[close - 1] != UInt8(ascii: "/"), localName(bytes[(open + 1)..<close]).elementsEqual(wanted) else { continue }
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
            found.append(decoded(bytes[position..<end]))
            position = end
        }
        return found
    }

    public static func first(_ name: String, in bytes: [UInt8]) -> String? { all(name, in: bytes).first }

    /// The document cut into the elements of that local name, each with everything inside it; they must not be nested in each other.
    public static func pieces(_ name: String, in bytes: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = [], start: Int?, position = 0
        let opening = Array(name.utf8), closing = [UInt8(ascii: "/")] + opening
        while found.count < mostElements, let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            guard let close = bytes[open...].firstIndex(of: UInt8(ascii: ">")) else { break }
            position = close + 1
            let tag = bytes[(open + 1)..<close]
            if tag.first == UInt8(ascii: "/") {
                if let from = start, ([UInt8(ascii: "/")] + localName(tag.dropFirst())).elementsEqual(closing) {
                    found.append(Array(bytes[from..<open]))
                    start = nil
                }
            } else if start == nil, localName(tag).elementsEqual(opening) {
                start = position
            }
        }
        return found
    }

    /// Whether the document brings a document type along: what its entities stand for is known to nobody here.
    public static func hasDocumentType(_ bytes: [UInt8]) -> Bool {
        let word = Array("doctype".utf8)
        var rest = bytes[...]
        while let mark = rest.firstRange(of: [UInt8(ascii: "<"), UInt8(ascii: "!")]) {
            rest = rest[mark.upperBound...]
            if rest.prefix(word.count).elementsEqual(word, by: { $0 | 0x20 == $1 }) { return true }
        }
        return false
    }

    /// `text` made fit to stand inside an element.
    public static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }

    private static func localName(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let name = tag.prefix { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D && $0 != UInt8(ascii: "/") }
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return name }
        return name[(colon + 1)...]
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = "", rest = Substring(text)
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].prefix(12).firstIndex(of: ";") else { return result + rest[start...] }
            result.unicodeScalars.append(scalar(rest[rest.index(after: start)..<end]) ?? "\u{FFFD}")
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func scalar(_ entity: Substring) -> Unicode.Scalar? {
        switch entity {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default:
            if entity.hasPrefix("#x") || entity.hasPrefix("#X") {
                UInt32(entity.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            } else if entity.hasPrefix("#") {
                UInt32(entity.dropFirst()).flatMap(Unicode.Scalar.init)
            } else {
                nil
            }
        }
    }
}
