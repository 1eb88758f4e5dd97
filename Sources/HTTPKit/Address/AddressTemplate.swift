public import FilmgateCore

/// An address with variables: `https://gallery.example/dav/{event}/{name}?album={event}`.
///
/// Scheme, host and port are always literal, so that what a credential is bound to stands in the file. Values are made
/// safe as one path component each and percent-encoded; `/` comes only from the template.
public struct AddressTemplate: ConfigValue, Hashable {
    /// The literal address before the first component that holds a variable; the whole address, without its query,
    /// where none does.
    public let base: String
    /// The rest of the path: what the engine fills in as an upload's name.
    ///
    /// Nil where the path has no variables.
    public let layout: Template?
    /// Nil without `?`.
    public let query: Template?
    public let shown: String?
    public static var kind: ValueKind { .template }

    /// None; for defaults.
    public init() { (base, layout, query, shown) = ("", nil, nil, nil) }

    public init(node: ConfigNode) throws(ConfigError) {
        _ = try Template(node: node)
        let text = try node.text("an address such as https://gallery.example/upload/{name}")
        func mistake(_ message: String, _ hint: String? = nil) -> ConfigError {
            ConfigError(node.mark, "bad-address", message, hint: hint)
        }
        if text.contains("{{") || text.contains("}}") || text.contains("#") {
            throw mistake("An address holds neither braces nor `#`.", "Write them percent-encoded: %7B, %7D, %23.")
        }
        let cut = Self.cut(text)
        guard WebAddress(cut.base) != nil,
            cut.base.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).count == 4
                || cut.layout.isEmpty
        else {
            throw mistake(
                "`\(text)` is not an http or https address with a literal host.",
                "Write scheme and host in full, such as https://gallery.example/upload/{name}; credentials belong under `auth`."
            )
        }
        if cut.layout.contains("%") {
            throw mistake("After the first variable write characters as they are, not percent-encoded.")
        }
        (base, layout, shown) = (cut.base, cut.layout.isEmpty ? nil : Template(cut.layout), text)
        query = cut.query.flatMap { Template($0) }
    }

    /// For addresses written in the program itself; nil when it is not a valid one.
    public init?(_ text: String) {
        guard let template = try? AddressTemplate(node: ConfigNode(.scalar(text, quoted: true))) else { return nil }
        self = template
    }

    private static func cut(_ text: String) -> (base: String, layout: String, query: String?) {
        var depth = 0, path = Substring(text), query: String?
        for index in text.indices {
            if text[index] == "{" { depth += 1 } else if text[index] == "}" { depth -= 1 }
            if text[index] == "?", depth == 0 {
                (path, query) = (text[..<index], String(text[text.index(after: index)...]))
                break
            }
        }
        guard let variable = path.firstIndex(of: "{"), let slash = path[..<variable].lastIndex(of: "/") else {
            return (String(path), "", query)
        }
        return (String(path[...slash]), String(path[path.index(after: slash)...]), query)
    }

    /// The variables that it uses anywhere.
    public var uses: Set<String> { (layout?.uses ?? []).union(query?.uses ?? []) }

    /// The address whose path is a name chosen by the engine.
    public func address(path: String, _ values: TemplateValues) -> String {
        base + (layout == nil ? "" : Percent.encode(path: path)) + queryText(values)
    }

    /// The address with all variables filled in from `values`.
    public func address(_ values: TemplateValues) -> String {
        base + (layout?.rendered(with: values) { Percent.encode(SafeName.component($0)) } ?? "") + queryText(values)
    }

    private func queryText(_ values: TemplateValues) -> String {
        query.map { "?" + $0.rendered(with: values) { Percent.encode($0) } } ?? ""
    }
}
