import FilmgateCore

/// What a server says about an error, made fit to be shown: one line, bounded, no control characters, no markup, no
/// secrets.
public enum ServerWords {
    /// Characters kept.
    public static let limit = 200

    /// Empty when it says nothing that a person could read.
    public static func of(_ response: HTTPResponse) -> String {
        let body = Array(response.body.prefix(16_384))
        let words =
            response.json.map { sentence(in: $0, depth: 0) ?? leaves(of: $0) }
            ?? plain(String(decoding: body, as: UTF8.self))
        return shown(response.redactor.scrub(words))
    }

    /// JSON of a shape that nobody knows: its first texts with what they are called, rather than brackets and quotes.
    private static func leaves(of value: JSONValue) -> String {
        var found: [String] = [], rest = [(name: "", value: value, depth: 0)]
        while let (name, value, depth) = rest.popLast(), found.count < 4 {
            switch value {
            case .string(let text): if !text.isEmpty { found.append(name.isEmpty ? text : "\(name): \(text)") }
            case .array(let items) where depth < 4: rest += items.prefix(8).reversed().map { (name, $0, depth + 1) }
            case .object(let members) where depth < 4:
                rest += members.sorted { $0.key > $1.key }.suffix(16).map { ($0.key, $0.value, depth + 1) }
            default: break
            }
        }
        return found.joined(separator: ", ")
    }

    /// Where APIs put their sentence: RFC 9457, OAuth, and what most others do.
    private static let keys = [
        "message", "error_description", "detail", "title", "error", "errors", "reason", "msg", "code",
    ]

    private static func sentence(in value: JSONValue, depth: Int) -> String? {
        guard depth < 4 else { return nil }
        switch value {
        case .string(let text): return text.isEmpty ? nil : text
        case .array(let items): return items.first.flatMap { sentence(in: $0, depth: depth + 1) }
        case .object: return keys.lazy.compactMap { value[$0] }.compactMap { sentence(in: $0, depth: depth + 1) }.first
        default: return nil
        }
    }

    /// Text without tags; for a page, what follows its head.
    private static func plain(_ text: String) -> String {
        guard let first = text.first(where: { !$0.isWhitespace }), first == "<" else { return first(text) }
        var result = "", inside = false
        for character in text {
            switch character {
            case "<": (inside, result) = (true, result + " ")
            case ">": inside = false
            default: if !inside { result.append(character) }
            }
        }
        return result
    }

    private static func first(_ text: String) -> String { text.unicodeScalars.contains { $0.value == 0 } ? "" : text }

    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(4000).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: " "
            default: scalar
            }
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
        return words.count > limit ? String(words.prefix(limit)) + "…" : words
    }
}
