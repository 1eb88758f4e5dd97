/// A JSON document (RFC 8259) as a value; for servers' answers, which are hostile: depth is bounded, nothing ever traps.
public indirect enum JSONValue: Sendable, Hashable {
    case null, bool(Bool), integer(Int64), number(Double), string(String), array([JSONValue]), object([String: JSONValue])

    /// Nil when `bytes` are not one JSON value, or nested deeper than 64.
    public init?(_ bytes: [UInt8]) {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.document() else { return nil }
        self = value
    }

    /// The member of an object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    /// What a dotted path leads to: `data.items.0.id`.
    public func at(_ path: String) -> JSONValue? {
        var value = self
        for step in path.split(separator: ".") {
            switch value {
            case .object(let members):
                guard let next = members[String(step)] else { return nil }
                value = next
            case .array(let items):
                guard let index = Int(step), items.indices.contains(index) else { return nil }
                value = items[index]
            default: return nil
            }
        }
        return value
    }

    /// A scalar as text: an id may be a number or a string.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): String(flag)
        case .null, .array, .object: nil
        }
    }
}
