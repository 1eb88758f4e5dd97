/// A name or path template: text with `{variable}` or `{variable:format}`; `{{` and `}}` stand for braces.
public struct Template: Sendable, Hashable, ConfigValue {
    enum Part: Sendable, Hashable { case text(String), variable(String, format: String?) }
    public let source: String
    let parts: [Part]

    /// Variables that every template knows; `captured` takes a date pattern, `counter` a width.
    public static let variables = [
        "event", "captured", "make", "model", "serial", "photographer", "name", "stem", "ext", "counter", "shot",
        "volume", "kind", "sha256", "sha1", "md5", "size", "station",
    ]

    public static var kind: ValueKind { .template }
    public var shown: String? { source.isEmpty ? nil : source }

    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a template such as {captured:yyyy-MM-dd}/{name}")
        switch Self.parse(text) {
        case .success(let parts): (self.source, self.parts) = (text, parts)
        case .failure(let fault):
            var mark = node.mark
            var quote = 0
            if case .scalar(_, quoted: true) = node.value { quote = 1 }
            mark.column += fault.offset + quote
            throw ConfigError(mark, "bad-template", fault.message, hint: fault.hint)
        }
    }

    /// For templates written in the program itself; nil when it is not a valid one.
    public init?(_ source: String) {
        guard case .success(let parts) = Self.parse(source) else { return nil }
        (self.source, self.parts) = (source, parts)
    }

    /// The variables that it uses.
    public var uses: Set<String> {
        Set(parts.compactMap { if case .variable(let name, _) = $0 { name } else { nil } })
    }

    struct Fault: Error { var offset: Int, message: String, hint: String? }

    static func parse(_ source: String) -> Result<[Part], Fault> {
        let scalars = Array(source.unicodeScalars)
        var parts: [Part] = [], text = String.UnicodeScalarView(), i = 0
        while i < scalars.count {
            let next = i + 1 < scalars.count ? scalars[i + 1] : nil
            switch scalars[i] {
            case "{" where next == "{", "}" where next == "}":
                text.append(scalars[i])
                i += 2
            case "}":
                return .failure(Fault(offset: i, message: "A `}` without its `{`.", hint: "Write `}}` for a brace."))
            case "{":
                guard let end = scalars[i...].firstIndex(of: "}") else {
                    return .failure(
                        Fault(offset: i, message: "A `{` that is never closed.", hint: "Write `{{` for a brace."))
                }
                if !text.isEmpty { parts.append(.text(String(text))) }
                text = .init()
                var body = String.UnicodeScalarView()
                body.append(contentsOf: scalars[(i + 1)..<end])
                switch variable(String(body)) {
                case .success(let part): parts.append(part)
                case .failure(let fault): return .failure(Fault(offset: i, message: fault.message, hint: fault.hint))
                }
                i = end + 1
            default:
                text.append(scalars[i])
                i += 1
            }
        }
        if !text.isEmpty { parts.append(.text(String(text))) }
        return .success(parts)
    }

    private static func variable(_ body: String) -> Result<Part, Fault> {
        let cut = body.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = cut[0], format = cut.count > 1 ? cut[1] : nil
        guard variables.contains(name) else {
            let hint =
                nearest(name, among: variables).map { "Did you mean `{\($0)}`?" }
                ?? "Known: \(variables.joined(separator: ", "))."
            return .failure(Fault(offset: 0, message: "Unknown variable `{\(name)}`.", hint: hint))
        }
        if name == "captured" {
            if let wrong = DatePattern.firstMistake(in: format ?? "") {
                return .failure(
                    Fault(
                        offset: 0, message: "`\(wrong)` is not a date field.",
                        hint:
                            "Only yyyy, MM, dd, HH, mm, ss and SSS are known; mind the case (MM = month, mm = minute).")
                )
            }
        } else if name == "counter" {
            guard format == nil || format.flatMap(Int.init).map({ (1...9).contains($0) }) == true else {
                return .failure(Fault(offset: 0, message: "`{counter:…}` takes a width from 1 to 9.", hint: nil))
            }
        } else if format != nil {
            return .failure(Fault(offset: 0, message: "`{\(name)}` takes no format.", hint: nil))
        }
        return .success(.variable(name, format: format))
    }
}
