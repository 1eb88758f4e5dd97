import FilmgateCore

/// The JSON Schema of one option, and of a map of them.
enum FieldSchema {
    /// `replacing`: what stands for options that a module decodes itself.
    static func options(_ fields: [FieldDescription], replacing known: [String: OrderedJSON] = [:]) -> OrderedJSON {
        let required = fields.filter(\.required).map(\.name)
        let schema = OrderedJSON.object(
            ("type", .text("object")), ("properties", .object(fields.map { OrderedJSON.Member($0.name, option($0, known[$0.name])) })),
            ("additionalProperties", .bool(false)))
        return required.isEmpty ? schema : schema.adding(("required", .texts(required)))
    }

    private static func option(_ field: FieldDescription, _ known: OrderedJSON?) -> OrderedJSON {
        var help = field.help
        if let range = field.range { help += " Range: \(range)." }
        var schema = (known ?? value(field.kind)).adding(("description", .text(help)))
        for (name, bound) in bounds(field) { schema = schema.adding((name, bound)) }
        if let shown = field.defaultText, let value = constant(shown, field.kind) { schema = schema.adding(("default", value)) }
        return schema
    }

    static func value(_ kind: ValueKind) -> OrderedJSON {
        switch kind {
        // YAML reads `0123` or `5` as numbers; where text is wanted, the file's own spelling counts.
        case .text: .object(("type", .texts(["string", "number", "boolean"])))
        case .path, .template, .reference: .object(("type", .texts(["string", "number"])))
        case .integer: .object(("type", .text("integer")))
        case .number: .object(("type", .text("number")))
        case .boolean: .object(("type", .text("boolean")))
        case .duration: pattern(#"^[0-9]+(\.[0-9]+)? *(ms|s|min|m|h|d)$"#)
        case .byteCount: pattern(#"^[0-9]+(\.[0-9]+)? *(TiB|GiB|MiB|KiB|TB|GB|MB|KB|kB|B)$"#)
        case .secret:
            pattern(
                #"^(store|\$\{(store|store:[A-Za-z0-9._-]{1,64}|exec:/[^}]+|env:[^}]+|file:(/|~/)[^}]+|credential:[^}/]+)\})$"#)
        case .choice(let words): .object(("enum", .texts(words)))
        case .list(let element): .object(("type", .text("array")), ("items", value(element)))
        case .map(let element): .object(("type", .text("object")), ("additionalProperties", value(element)))
        case .section(let fields): nullable(options(fields))
        case .either(let kinds): .object(("anyOf", .array(kinds.map(value))))
        case .free: .object([])
        }
    }

    /// The same type or null.
    static func nullable(_ schema: OrderedJSON) -> OrderedJSON {
        guard case .object(let members) = schema else { return schema }
        return .object(
            members.map { member in
                guard member.name == "type", case .text(let type) = member.value else { return member }
                return OrderedJSON.Member("type", .texts([type, "null"]))
            })
    }

    private static func pattern(_ pattern: String) -> OrderedJSON { .object(("type", .text("string")), ("pattern", .text(pattern))) }

    private static func bounds(_ field: FieldDescription) -> [(String, OrderedJSON)] {
        guard field.kind == .integer || field.kind == .number, let range = field.range?.split(separator: "…"), range.count == 2 else {
            return []
        }
        return zip(["minimum", "maximum"], range).compactMap { name, bound in
            Double(bound).map { _ in (name, OrderedJSON.number(String(bound))) }
        }
    }

    /// A default as JSON, where it is one plain value.
    private static func constant(_ text: String, _ kind: ValueKind) -> OrderedJSON? {
        switch kind {
        case .integer, .number: Double(text).map { _ in .number(text) }
        case .boolean: .bool(text == "true")
        case .text, .path, .template, .duration, .byteCount, .choice, .reference: .text(text)
        case .secret, .list, .map, .section, .either, .free: nil
        }
    }
}
