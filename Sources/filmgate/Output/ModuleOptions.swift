import FilmgateCore

/// A module's options as a person reads them.
enum ModuleOptions {
    /// Options inside options get their path: `find.url`.
    static func flat(_ fields: [FieldDescription], below path: String = "") -> [FieldDescription] {
        fields.flatMap { field -> [FieldDescription] in
            var named = field
            named.name = path + field.name
            guard let inner = section(in: field.kind) else { return [named] }
            return [named] + flat(inner.fields, below: named.name + "." + inner.path)
        }
    }

    /// Options inside a map stand below any of its keys, written as `*`: `deliver.*.kinds`.
    private static func section(in kind: ValueKind) -> (path: String, fields: [FieldDescription])? {
        switch kind {
        case .section(let fields): ("", fields)
        case .map(let inner): section(in: inner).map { ("*." + $0.path, $0.fields) }
        case .either(let kinds): kinds.lazy.compactMap(section).first
        default: nil
        }
    }

    static func word(_ kind: ValueKind) -> String {
        switch kind {
        case .text: "text"
        case .integer: "whole number"
        case .number: "number"
        case .boolean: "true or false"
        case .duration: "duration"
        case .byteCount: "size"
        case .secret: "secret reference"
        case .path: "path"
        case .template: "template"
        case .choice(let words): words.joined(separator: " | ")
        case .list(let inner): "list of \(word(inner))"
        case .map(let inner): "map of \(word(inner))"
        case .section: "options"
        case .reference(let section): "name under `\(section):`"
        case .either(let kinds): kinds.map(word).joined(separator: ", or ")
        case .free: "see README"
        }
    }
}
