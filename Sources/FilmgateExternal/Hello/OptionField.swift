import FilmgateCore
import HTTPKit

/// An option that a child declares.
struct OptionField: Sendable {
    struct Fault: Error { var words: String }

    var description: FieldDescription
    /// Numbers, seconds and bytes must lie between them.
    var low: Double?, high: Double?
    var fallback: JSONValue?
    /// Options inside, for a section.
    var inner: [OptionField] = []
    /// For a sign-in: the option that holds the address that it may be used for.
    var address: String?

    static func list(_ value: JSONValue, depth: Int = 0) throws(Fault) -> [OptionField] {
        guard let items = value.items, items.count <= 200, depth < 4 else {
            throw Fault(words: "its fields are no list of options")
        }
        var fields: [OptionField] = [], names: Set<String> = []
        for item in items {
            let field = try OptionField(item, depth: depth)
            guard names.insert(field.description.name).inserted else {
                throw Fault(words: "the option `\(field.description.name)` stands there twice")
            }
            fields.append(field)
        }
        return fields
    }

    private init(_ value: JSONValue, depth: Int) throws(Fault) {
        guard let name = value["name"]?.string, ModuleProgram.isName(name),
            let help = value["help"]?.string.map(Reported.shown),
            !help.isEmpty
        else { throw Fault(words: "an option has no name of small letters, digits, `-` and `_`, or no help") }
        if value["kind"]?.string == "section" { inner = try Self.list(value["fields"] ?? .null, depth: depth + 1) }
        let kind = try Self.kind(value["kind"] ?? .null, name, inner)
        let isRequired = value["required"]?.flag ?? false
        fallback = isRequired ? nil : value["default"]
        var range: String?
        if let bounds = value["range"]?.items {
            guard bounds.count == 2, let first = bounds[0].real, let last = bounds[1].real, first <= last else {
                throw Fault(words: "the range of `\(name)` is no pair of numbers")
            }
            (low, high) = (first, last)
            range = "\(Self.shown(first, kind))…\(Self.shown(last, kind))"
        }
        description = FieldDescription(
            name: name, kind: kind, defaultText: fallback.map { Self.text($0, kind) }, help: help, range: range,
            required: isRequired)
        address = value["for"]?.string
    }

    private static let plain: [String: ValueKind] = [
        "text": .text, "integer": .integer, "number": .number, "boolean": .boolean, "duration": .duration,
        "bytes": .byteCount, "secret": .secret, "path": .path, "template": .template, "auth": .reference("auth"),
        "free": .free,
    ]

    private static func kind(_ value: JSONValue, _ name: String, _ inner: [OptionField]) throws(Fault) -> ValueKind {
        if let word = value.string {
            if word == "section" { return .section(inner.map(\.description)) }
            if let kind = plain[word] { return kind }
        }
        if let words = value["choice"]?.texts, !words.isEmpty { return .choice(words) }
        for (key, wrap) in [("list", { ValueKind.list($0) }), ("map", { ValueKind.map($0) })] {
            // Secrets and sign-ins are told apart by their option's name alone.
            if let word = value[key]?.string, let element = plain[word], element != .secret,
                element != .reference("auth")
            {
                return wrap(element)
            }
        }
        throw Fault(words: "the option `\(name)` is of no known kind")
    }

    private static func shown(_ number: Double, _ kind: ValueKind) -> String {
        switch kind {
        case .duration: Duration.milliseconds(Int64(min(max(number, 0), 1e9) * 1000)).shown ?? ""
        case .byteCount: ByteCount(UInt64(min(max(number, 0), 9e18))).shown ?? ""
        default: number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        }
    }

    private static func text(_ value: JSONValue, _ kind: ValueKind) -> String {
        if let number = value.real { return shown(number, kind) }
        return Reported.shown(value.text ?? value.serialized)
    }
}
