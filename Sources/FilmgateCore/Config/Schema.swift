/// What a module can be told, declared once: decoding, defaults, help, lint, documentation and the JSON Schema all come
/// from `schema`.
public protocol ModuleConfig: Sendable {
    /// The defaults.
    init()
    static var schema: Schema<Self> { get }
    /// Rules that span several keys; `node` gives the places. Default: none.
    func validate(at node: ConfigNode) throws(ConfigError)
}

extension ModuleConfig {
    public func validate(at node: ConfigNode) throws(ConfigError) {}
}

/// A configuration without options.
public struct NoOptions: ModuleConfig {
    public init() {}
    public static let schema: Schema<Self> = []
}

/// Options inside options: `find: { url: …, method: HEAD }`.
///
/// Declared like a module's own, with the same checks.
public protocol ConfigSection: ModuleConfig, ConfigValue {}

extension ConfigSection {
    public static var kind: ValueKind { .section(schema.descriptions) }
    public var shown: String? { nil }

    /// Throws the first mistake inside the section.
    public init(node: ConfigNode) throws(ConfigError) {
        var errors: [ConfigError] = []
        self = Self.schema.decode(node, errors: &errors)
        if let first = errors.first { throw first }
    }
}

/// One option, as data: for help, documentation and the JSON Schema.
public struct FieldDescription: Sendable, Hashable, Codable {
    public var name: String
    public var kind: ValueKind
    /// The default as a person would write it; nil when there is none.
    public var defaultText: String?
    /// One sentence, ending in a full stop.
    public var help: String
    public var range: String?
    public var required: Bool

    public init(name: String, kind: ValueKind, defaultText: String?, help: String, range: String?, required: Bool) {
        (self.name, self.kind, self.defaultText, self.help) = (name, kind, defaultText, help)
        (self.range, self.required) = (range, required)
    }
}

/// One option of `Config`, tied to the property that holds it.
public struct Field<Config: ModuleConfig>: Sendable {
    public var description: FieldDescription
    let apply: @Sendable (inout Config, ConfigNode) throws(ConfigError) -> Void

    /// An option; its default is what `Config()` holds.
    public static func field<Value: ConfigValue>(
        _ name: String, _ path: any WritableKeyPath<Config, Value> & Sendable, _ help: String
    ) -> Self {
        let shown = Config()[keyPath: path].shown
        let description = FieldDescription(
            name: name, kind: Value.kind, defaultText: shown, help: help, range: nil, required: false)
        return Field(description: description) { config, node throws(ConfigError) in
            config[keyPath: path] = try Value(node: node)
        }
    }

    /// An option whose value must lie in `range`.
    public static func field<Value: ConfigValue & Comparable>(
        _ name: String, _ path: any WritableKeyPath<Config, Value> & Sendable, in range: ClosedRange<Value>,
        _ help: String
    ) -> Self {
        var description = field(name, path, help).description
        let low = range.lowerBound.shown ?? "", high = range.upperBound.shown ?? ""
        description.range = "\(low)…\(high)"
        return Field(description: description) { config, node throws(ConfigError) in
            let value = try Value(node: node)
            guard range.contains(value) else {
                throw ConfigError(node.mark, "out-of-range", "`\(name)` must be between \(low) and \(high).")
            }
            config[keyPath: path] = value
        }
    }

    public func required() -> Self {
        var copy = self
        copy.description.required = true
        copy.description.defaultText = nil
        return copy
    }
}

/// The options of one module, in the order in which they are documented.
public struct Schema<Config: ModuleConfig>: Sendable, ExpressibleByArrayLiteral {
    public let fields: [Field<Config>]

    public init(arrayLiteral fields: Field<Config>...) { self.fields = fields }
    /// For modules that share options with others: theirs, then their own.
    public init(_ fields: [Field<Config>]) { self.fields = fields }

    public var descriptions: [FieldDescription] { fields.map(\.description) }

    /// Decodes `node` over the defaults.
    ///
    /// Every mistake is appended to `errors`; the result then holds defaults for what was wrong.
    public func decode(_ node: ConfigNode, errors: inout [ConfigError]) -> Config {
        var config = Config()
        let before = errors.count
        var given: Set<String> = []
        for pair in pairs(of: node, errors: &errors) {
            given.insert(pair.key.name)
            guard let field = fields.first(where: { $0.description.name == pair.key.name }) else {
                errors.append(unknown(pair.key))
                continue
            }
            do throws(ConfigError) { try field.apply(&config, pair.value) } catch { errors.append(error) }
        }
        for field in fields where field.description.required && !given.contains(field.description.name) {
            errors.append(
                ConfigError(
                    node.mark, "missing-key", "`\(field.description.name)` is required. \(field.description.help)"))
        }
        if errors.count == before {
            do throws(ConfigError) { try config.validate(at: node) } catch { errors.append(error) }
        }
        return config
    }

    private func pairs(of node: ConfigNode, errors: inout [ConfigError]) -> [ConfigNode.Pair] {
        switch node.value {
        case .map(let pairs): return pairs
        case .null: return []
        default:
            errors.append(
                ConfigError(node.mark, "wrong-type", "Expected options as `key: value`, found \(node.kindName)."))
            return []
        }
    }

    /// `username` for `user`: no slip of the fingers, but the same word.
    private static func isLonger(_ word: String, _ start: String) -> Bool {
        start.utf8.count >= 4 && word.hasPrefix(start)
    }

    private func unknown(_ key: ConfigNode.Key) -> ConfigError {
        let names = fields.map(\.description.name)
        let hint =
            (nearest(key.name, among: names)
            ?? names.first { Self.isLonger(key.name, $0) || Self.isLonger($0, key.name) })
            .map { "Did you mean `\($0)`?" }
            ?? (names.isEmpty ? "This module has no options." : "Known keys: \(names.joined(separator: ", ")).")
        return ConfigError(key.mark, "unknown-key", "Unknown key `\(key.name)`.", hint: hint)
    }
}
