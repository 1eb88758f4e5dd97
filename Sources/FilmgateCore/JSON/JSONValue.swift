/// A JSON document (RFC 8259) as a value; for what others send, which may be hostile: depth is bounded, nothing ever
/// traps.
public indirect enum JSONValue: Sendable, Hashable {
    case null, bool(Bool), integer(Int64), number(Double), string(String), array([JSONValue]), object(JSONObject)

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

/// The value where it is of that kind.
extension JSONValue {
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    public var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    public var whole: Int64? { if case .integer(let number) = self { number } else { nil } }
    public var real: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
    public var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
    public var members: JSONObject? { if case .object(let members) = self { members } else { nil } }
    /// The texts of a list; other items are left out.
    public var texts: [String]? { items?.compactMap(\.string) }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self = .string(text) }
}

/// The members of a JSON object, in the order in which they were written; which that is does not count for equality.
public struct JSONObject: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    public typealias Element = (key: String, value: JSONValue)

    public private(set) var keys: [String] = []
    private var values: [String: JSONValue] = [:]

    public init() {}

    /// The last one counts where a key comes twice.
    public init(_ members: some Sequence<Element>) { for (key, value) in members { self[key] = value } }

    public init(dictionaryLiteral members: (String, JSONValue)...) { for (key, value) in members { self[key] = value } }

    /// A new member stands last; nil takes one away.
    public subscript(key: String) -> JSONValue? {
        get { values[key] }
        set {
            let old = values[key]
            values[key] = newValue
            if old == nil, newValue != nil { keys.append(key) }
            if old != nil, newValue == nil { keys.removeAll { $0 == key } }
        }
    }

    public var isEmpty: Bool { keys.isEmpty }

    public func makeIterator() -> AnyIterator<Element> {
        var rest = keys.makeIterator()
        return AnyIterator { rest.next().map { ($0, values[$0] ?? .null) } }
    }

    /// With the members of `other`, which win.
    public func adding(_ other: JSONObject) -> JSONObject {
        var all = self
        for (key, value) in other { all[key] = value }
        return all
    }

    public func compactMapValues<Value>(_ transform: (JSONValue) -> Value?) -> [String: Value] {
        values.compactMapValues(transform)
    }

    public static func == (one: JSONObject, other: JSONObject) -> Bool { one.values == other.values }
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
