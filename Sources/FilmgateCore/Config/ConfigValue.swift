/// The kinds of value that an option can have; the JSON Schema and the documentation are made from it.
public indirect enum ValueKind: Sendable, Hashable, Codable {
    case text, integer, number, boolean, duration, byteCount, secret, path, template
    case choice([String])
    case list(ValueKind)
    case map(ValueKind)
    /// A map with options of its own.
    case section([FieldDescription])
    /// One of several forms.
    case either([ValueKind])
    /// The name of an entry under `auth:` or `targets:`.
    case reference(String)
    /// Any shape; decoded by the module itself.
    case free
}

/// A type that an option can have.
public protocol ConfigValue: Sendable {
    static var kind: ValueKind { get }
    init(node: ConfigNode) throws(ConfigError)
    /// As a person would write it in the file; nil for "none". Never shows a secret.
    var shown: String? { get }
}

extension ConfigNode {
    /// The plain text of a scalar.
    public func text(_ expected: String = "text") throws(ConfigError) -> String {
        guard case .scalar(let text, _) = value else { throw wrongType(expected) }
        return text
    }

    public func wrongType(_ expected: String) -> ConfigError {
        if case .scalar(let text, let quoted) = value {
            return ConfigError(
                mark, "wrong-type", "Expected \(expected), found `\(text)`\(quoted ? " in quotes" : "").")
        }
        return ConfigError(mark, "wrong-type", "Expected \(expected), found \(kindName).")
    }

    /// For an option that takes several values; one that stands alone is shown as the list that was meant.
    public func wrongList(showing value: Bool = true) -> ConfigError {
        var error = wrongType("a list")
        guard value, case .scalar(let text, let quoted) = self.value, !text.isEmpty, text.utf8.count <= 200 else {
            return error
        }
        let plain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"#,[]{}&!|>'\"%@`:\\".utf8.contains($0) }
        let needsNone = plain && !quoted && !["*", "-", "?"].contains(text.first)
        let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        error.hint = "Write `[\(needsNone ? text : "\"" + String(escaped) + "\"")]`."
        return error
    }
}

extension String: ConfigValue {
    public static var kind: ValueKind { .text }
    public init(node: ConfigNode) throws(ConfigError) { self = try node.text() }
    public var shown: String? { isEmpty ? nil : self }
}

extension Bool: ConfigValue {
    public static var kind: ValueKind { .boolean }
    public init(node: ConfigNode) throws(ConfigError) {
        switch node.value {
        case .scalar("true", quoted: false): self = true
        case .scalar("false", quoted: false): self = false
        default: throw node.wrongType("true or false")
        }
    }
    public var shown: String? { self ? "true" : "false" }
}

extension Int: ConfigValue {
    public static var kind: ValueKind { .integer }
    public init(node: ConfigNode) throws(ConfigError) {
        guard case .scalar(let text, quoted: false) = node.value, let number = Int(text) else {
            throw node.wrongType("a whole number")
        }
        self = number
    }
    public var shown: String? { String(self) }
}

extension Double: ConfigValue {
    public static var kind: ValueKind { .number }
    public init(node: ConfigNode) throws(ConfigError) {
        guard case .scalar(let text, quoted: false) = node.value, let number = Double(text), number.isFinite else {
            throw node.wrongType("a number")
        }
        self = number
    }
    public var shown: String? { String(self) }
}

extension Array: ConfigValue where Element: ConfigValue {
    public static var kind: ValueKind { .list(Element.kind) }
    public init(node: ConfigNode) throws(ConfigError) {
        guard case .list(let items) = node.value else { throw node.wrongList(showing: Element.kind != .secret) }
        self = []
        for item in items { append(try Element(node: item)) }
    }
    public var shown: String? { isEmpty ? nil : "[" + compactMap(\.shown).joined(separator: ", ") + "]" }
}

extension Dictionary: ConfigValue where Key == String, Value: ConfigValue {
    public static var kind: ValueKind { .map(Value.kind) }
    public init(node: ConfigNode) throws(ConfigError) {
        guard case .map(let pairs) = node.value else { throw node.wrongType("a map") }
        self = [:]
        for pair in pairs { self[pair.key.name] = try Value(node: pair.value) }
    }
    public var shown: String? { isEmpty ? nil : "{…}" }
}

extension Optional: ConfigValue where Wrapped: ConfigValue {
    public static var kind: ValueKind { Wrapped.kind }
    public init(node: ConfigNode) throws(ConfigError) { self = try Wrapped(node: node) }
    public var shown: String? { flatMap(\.shown) }
}

extension RawRepresentable where Self: CaseIterable & Sendable, RawValue == String {
    /// For enums: `extension Order: ConfigValue {}` is all that a choice needs.
    public static var kind: ValueKind { .choice(allCases.map(\.rawValue)) }
    public init(node: ConfigNode) throws(ConfigError) {
        let words = Self.allCases.map(\.rawValue)
        let text = try node.text("one of \(words.joined(separator: ", "))")
        guard let value = Self(rawValue: text) else {
            let hint = nearest(text, among: words).map { "Did you mean `\($0)`?" }
            throw ConfigError(
                node.mark, "unknown-choice", "Expected one of \(words.joined(separator: ", ")), found `\(text)`.",
                hint: hint)
        }
        self = value
    }
    public var shown: String? { rawValue }
}

extension MediaKind: ConfigValue {}
extension DigestAlgorithm: ConfigValue {}

/// A whole node, for options that a module decodes itself.
extension ConfigNode: ConfigValue {
    public static var kind: ValueKind { .free }
    public init(node: ConfigNode) { self = node }
    public var shown: String? { nil }
}

/// The name of an entry under `targets:`.
public struct TargetReference: ConfigValue, Hashable {
    public let name: String, mark: Mark
    public static var kind: ValueKind { .reference("targets") }
    public init(node: ConfigNode) throws(ConfigError) {
        (name, mark) = (try node.text("the name of an entry under `targets:`"), node.mark)
    }
    public var shown: String? { name }
}

/// The name of an entry under `auth:`.
public struct AuthReference: ConfigValue, Hashable {
    public let name: String, mark: Mark
    public static var kind: ValueKind { .reference("auth") }
    public init(node: ConfigNode) throws(ConfigError) {
        (name, mark) = (try node.text("the name of an entry under `auth:`"), node.mark)
    }
    public var shown: String? { name }
}
