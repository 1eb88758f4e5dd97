import FilmgateCore

/// The JSON Schema of one option, and of a map of them.
enum FieldSchema {
    /// `replacing`: what stands for options that a module decodes itself.
    static func options(_ fields: [FieldDescription], replacing known: [String: JSONValue] = [:]) -> JSONValue {
        let required = fields.filter(\.required).map(\.name)
        let properties = JSONObject(fields.map { ($0.name, option($0, known[$0.name])) })
        let schema = JSONValue.object([
            "type": "object", "properties": .object(properties), "additionalProperties": .bool(false),
        ])
        return required.isEmpty ? schema : schema.adding("required", .texts(required))
    }

    private static func option(_ field: FieldDescription, _ known: JSONValue?) -> JSONValue {
        var help = field.help
        if let range = field.range { help += " Range: \(range)." }
        var schema = (known ?? value(field.kind)).adding("description", .string(help))
        for (name, bound) in bounds(field) { schema = schema.adding(name, bound) }
        if let shown = field.defaultText, let value = constant(shown, field.kind) {
            schema = schema.adding("default", value)
        }
        return schema
    }

    static func value(_ kind: ValueKind) -> JSONValue {
        switch kind {
        // YAML reads `0123` or `5` as numbers; where text is wanted, the file's own spelling counts.
        case .text: .object(["type": .texts(["string", "number", "boolean"])])
        case .path, .template, .reference: .object(["type": .texts(["string", "number"])])
        case .integer: .object(["type": "integer"])
        case .number: .object(["type": "number"])
        case .boolean: .object(["type": "boolean"])
        case .duration: pattern(#"^[0-9]+(\.[0-9]+)? *(ms|s|min|m|h|d)$"#)
        case .byteCount: pattern(#"^[0-9]+(\.[0-9]+)? *(TiB|GiB|MiB|KiB|TB|GB|MB|KB|kB|B)$"#)
        case .secret:
            pattern(
                #"^(store|\$\{(store|store:[A-Za-z0-9._-]{1,64}|exec:/[^}]+|env:[^}]+|file:(/|~/)[^}]+|credential:[^}/]+)\})$"#
            )
        case .choice(let words): .object(["enum": .texts(words)])
        case .list(let element): .object(["type": "array", "items": value(element)])
        case .map(let element): .object(["type": "object", "additionalProperties": value(element)])
        case .section(let fields): nullable(options(fields))
        case .either(let kinds): .object(["anyOf": .array(kinds.map(value))])
        case .free: .object([:])
        }
    }

    /// The same type or null.
    static func nullable(_ schema: JSONValue) -> JSONValue {
        guard case .string(let type)? = schema["type"] else { return schema }
        return schema.adding("type", .texts([type, "null"]))
    }

    private static func pattern(_ pattern: String) -> JSONValue {
        .object(["type": "string", "pattern": .string(pattern)])
    }

    private static func bounds(_ field: FieldDescription) -> [(String, JSONValue)] {
        guard field.kind == .integer || field.kind == .number, let range = field.range?.split(separator: "…"),
            range.count == 2
        else {
            return []
        }
        return zip(["minimum", "maximum"], range).compactMap { name, bound in
            number(String(bound)).map { (name, $0) }
        }
    }

    /// A default as JSON, where it is one plain value.
    private static func constant(_ text: String, _ kind: ValueKind) -> JSONValue? {
        switch kind {
        case .integer, .number: number(text)
        case .boolean: .bool(text == "true")
        case .text, .path, .template, .duration, .byteCount, .choice, .reference: .string(text)
        case .secret, .list, .map, .section, .either, .free: nil
        }
    }

    private static func number(_ text: String) -> JSONValue? {
        Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) }
    }
}

/// How schemas are put together; members keep the order in which they are given.
extension JSONValue {
    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The same object with one more member; anything else comes back as it is.
    func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }
}
