import FilmgateCore
import Glibc
import HTTPKit

/// Reads a node of the pipeline file as a child's options, with the same checks and words as for modules that are built
/// in.
struct OptionReader {
    /// As the child gets them: durations in seconds, sizes in bytes, paths without `~`.
    private(set) var options: JSONObject = [:]
    /// Where each secret stands, by option; sections joined with dots.
    private(set) var secrets: [String: Secret] = [:]
    /// Sign-ins by option.
    private(set) var signIns: [String: AuthReference] = [:]
    private(set) var errors: [ConfigError] = []

    init(_ node: ConfigNode, _ fields: [OptionField]) { options = read(node, fields, prefix: "") }

    private mutating func read(_ node: ConfigNode, _ fields: [OptionField], prefix: String) -> JSONObject {
        var values: JSONObject = [:], given: Set<String> = []
        for pair in pairs(node) {
            given.insert(pair.key.name)
            guard let field = fields.first(where: { $0.description.name == pair.key.name }) else {
                errors.append(unknown(pair.key, fields))
                continue
            }
            if field.inner.isEmpty {
                values[pair.key.name] = value(pair.value, field, prefix)
            } else {
                values[pair.key.name] = .object(read(pair.value, field.inner, prefix: prefix + pair.key.name + "."))
            }
        }
        for field in fields where !given.contains(field.description.name) {
            if field.description.required {
                let name = field.description.name
                errors.append(ConfigError(node.mark, "missing-key", "`\(name)` is required. \(field.description.help)"))
            } else if let fallback = field.fallback {
                values[field.description.name] = fallback
            }
        }
        return values
    }

    private mutating func pairs(_ node: ConfigNode) -> [ConfigNode.Pair] {
        switch node.value {
        case .map(let pairs): return pairs
        case .null: return []
        default:
            errors.append(
                ConfigError(node.mark, "wrong-type", "Expected options as `key: value`, found \(node.kindName)."))
            return []
        }
    }

    private func unknown(_ key: ConfigNode.Key, _ fields: [OptionField]) -> ConfigError {
        let names = fields.map(\.description.name)
        let hint =
            nearest(key.name, among: names).map { "Did you mean `\($0)`?" }
            ?? (names.isEmpty ? "This module has no options." : "Known keys: \(names.joined(separator: ", ")).")
        return ConfigError(key.mark, "unknown-key", "Unknown key `\(key.name)`.", hint: hint)
    }

    private mutating func value(_ node: ConfigNode, _ field: OptionField, _ prefix: String) -> JSONValue? {
        let name = field.description.name
        do throws(ConfigError) {
            switch field.description.kind {
            case .secret: secrets[prefix + name] = try Secret(node: node)
            case .reference: signIns[prefix + name] = try AuthReference(node: node)
            default:
                let value = try Self.plain(node, field.description.kind)
                if let number = value.real, let low = field.low, let high = field.high, !(low...high).contains(number) {
                    let range = (field.description.range ?? "").split(separator: "…").joined(separator: " and ")
                    throw ConfigError(node.mark, "out-of-range", "`\(name)` must be between \(range).")
                }
                return value
            }
        } catch {
            errors.append(error)
        }
        return nil
    }

    private static func plain(_ node: ConfigNode, _ kind: ValueKind) throws(ConfigError) -> JSONValue {
        switch kind {
        case .text: return .string(try String(node: node))
        case .integer: return .integer(Int64(try Int(node: node)))
        case .number: return .number(try Double(node: node))
        case .boolean: return .bool(try Bool(node: node))
        case .duration: return .number(try Duration(node: node).inSeconds)
        case .byteCount: return .integer(Int64(clamping: try ByteCount(node: node).bytes))
        case .path: return .string(expanded(try node.text("a path")))
        case .template: return .string(try Template(node: node).source)
        case .choice(let words): return .string(try choice(node, words))
        case .list(let element):
            guard case .list(let items) = node.value else { throw node.wrongList(showing: element != .secret) }
            var values: [JSONValue] = []
            for item in items { values.append(try plain(item, element)) }
            return .array(values)
        case .map(let element):
            guard case .map(let pairs) = node.value else { throw node.wrongType("a map") }
            var values: JSONObject = [:]
            for pair in pairs { values[pair.key.name] = try plain(pair.value, element) }
            return .object(values)
        case .free, .section, .either, .secret, .reference: return free(node)
        }
    }

    private static func choice(_ node: ConfigNode, _ words: [String]) throws(ConfigError) -> String {
        let text = try node.text("one of \(words.joined(separator: ", "))")
        if words.contains(text) { return text }
        let hint = nearest(text, among: words).map { "Did you mean `\($0)`?" }
        throw ConfigError(
            node.mark, "unknown-choice", "Expected one of \(words.joined(separator: ", ")), found `\(text)`.",
            hint: hint)
    }

    private static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = ChildEnvironment.value("HOME") else { return path }
        return home + path.dropFirst()
    }

    private static func free(_ node: ConfigNode) -> JSONValue {
        switch node.value {
        case .null: .null
        case .scalar(let text, quoted: false):
            if text == "true" || text == "false" {
                .bool(text == "true")
            } else if let number = Int64(text) {
                .integer(number)
            } else if let number = Double(text), number.isFinite {
                .number(number)
            } else {
                .string(text)
            }
        case .scalar(let text, _): .string(text)
        case .list(let items): .array(items.map(free))
        case .map(let pairs): .object(JSONObject(pairs.map { ($0.key.name, free($0.value)) }))
        }
    }
}
