extension JSONValue {
    /// The value as JSON text, keys in byte order, on one line.
    public var serialized: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .array(let items):
            bytes.append(0x5B)
            for (index, item) in items.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                item.append(to: &bytes)
            }
            bytes.append(0x5D)
        case .object(let members):
            bytes.append(0x7B)
            for (index, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
                .enumerated()
            {
                if index > 0 { bytes.append(0x2C) }
                JSONString.append(member.key, to: &bytes)
                bytes.append(0x3A)
                member.value.append(to: &bytes)
            }
            bytes.append(0x7D)
        default: JSONString.copy(plain, to: &bytes)
        }
    }

    /// The value as people and version control read it: keys in their own order, indented by two spaces, short lists on
    /// one line.
    package func written(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .array(let items):
            if items.allSatisfy(\.isPlain) { return "[" + items.map(\.plain).joined(separator: ", ") + "]" }
            return "[\n" + items.map { inner + $0.written(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            let lines = members.map { "\(inner)\(JSONString.quoted($0.key)): \($0.value.written(indent: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        default: return plain
        }
    }

    private var isPlain: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    /// A scalar; lists and objects have none.
    private var plain: String {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .number(let number): number.isFinite ? String(number) : "null"
        case .string(let text): JSONString.quoted(text)
        case .null, .array, .object: "null"
        }
    }
}
