/// A JSON value that keeps the order of its keys, for texts that people and version control read.
indirect enum OrderedJSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case array([OrderedJSON])
    case object([Member])

    struct Member: Sendable, Hashable {
        var name: String, value: OrderedJSON
        init(_ name: String, _ value: OrderedJSON) { (self.name, self.value) = (name, value) }
    }

    static func object(_ members: (String, OrderedJSON)...) -> OrderedJSON { .object(members.map { Member($0.0, $0.1) }) }

    static func texts(_ texts: [String]) -> OrderedJSON { .array(texts.map { .text($0) }) }

    static func number(_ number: Int) -> OrderedJSON { .number(String(number)) }

    /// The same object with further members; anything else comes back as it is.
    func adding(_ members: (String, OrderedJSON)...) -> OrderedJSON {
        guard case .object(let own) = self else { return self }
        return .object(own + members.map { Member($0.0, $0.1) })
    }

    /// Indented by two spaces; short arrays of plain values stay on one line.
    func written(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .number(let digits): return digits
        case .text(let text): return Self.quoted(text)
        case .array(let items):
            if items.allSatisfy(\.isPlain) { return "[" + items.map { $0.written() }.joined(separator: ", ") + "]" }
            return "[\n" + items.map { inner + $0.written(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            let lines = members.map { "\(inner)\(Self.quoted($0.name)): \($0.value.written(indent: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private var isPlain: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
