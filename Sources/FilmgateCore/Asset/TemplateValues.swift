/// What the variables of a template stand for, for one asset.
public struct TemplateValues: Sendable, Hashable {
    ///
    /// `text["counter"]` stands in the name for a number that is not known yet: once for each digit of its width.
    public var text: [String: String]
    public var captured: CivilTime?
    /// Position of the shot among those delivered to this target for this event; nil until the ledger gave one.
    public var counter: Int?

    public init(text: [String: String] = [:], captured: CivilTime? = nil, counter: Int? = nil) {
        (self.text, self.captured, self.counter) = (text, captured, counter)
    }
}

extension Template {
    /// Fills the template in.
    ///
    /// Every value is made safe for one path component; `/` comes only from the template itself. Empty values become
    /// `unknown`, except an extension, which may be missing: then the dot before it goes too.
    public func rendered(with values: TemplateValues) -> String {
        rendered(with: values) { SafeName.component($0) }
    }

    /// True when every variable has a value.
    public func isFilled(by values: TemplateValues) -> Bool {
        parts.allSatisfy { part in
            guard case .variable(let name, let format) = part else { return true }
            if name == "captured" { return values.captured != nil }
            return !Self.value(of: name, format: format, values).isEmpty
        }
    }

    /// Fills the template in, passing each value through `escape` (percent-encoding for addresses, nothing for form
    /// fields).
    public func rendered(with values: TemplateValues, escape: (String) -> String) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .variable("captured", let format?) where !format.isEmpty:
                result += Self.captured(values.captured, format, escape)
            case .variable(let name, let format):
                let value = Self.value(of: name, format: format, values)
                if value.isEmpty, name == "ext" {
                    if result.last == "." { result.removeLast() }
                } else {
                    result += escape(value.isEmpty ? "unknown" : value)
                }
            }
        }
        return result
    }

    /// A `/` in a date pattern stands in the template: it parts folders.
    private static func captured(_ time: CivilTime?, _ format: String, _ escape: (String) -> String) -> String {
        guard let time else { return escape("unknown") }
        return format.unicodeScalars.split(separator: "/").map { escape(DatePattern.render(String($0), time)) }.joined(
            separator: "/")
    }

    private static func counted(_ values: TemplateValues, width: Int) -> String {
        values.counter.map { padded($0, width) }
            ?? String(repeating: values.text["counter"] ?? "", count: max(1, width))
    }

    private static func value(of name: String, format: String?, _ values: TemplateValues) -> String {
        switch name {
        case "captured": values.captured.map { DatePattern.render(format ?? "", $0) } ?? ""
        case "counter": counted(values, width: format.flatMap(Int.init) ?? 1)
        default: values.text[name] ?? ""
        }
    }
}

/// The date patterns of templates: `yyyy MM dd HH mm ss SSS` and anything that is not a letter.
enum DatePattern {
    static let fields = ["yyyy", "SSS", "MM", "dd", "HH", "mm", "ss"]

    /// The first run of letters that is not a field; an empty pattern stands for `yyyyMMdd-HHmmss`.
    static func firstMistake(in pattern: String) -> String? {
        tokens(pattern).first { token in token.first?.isLetter == true && !fields.contains(token) }
    }

    static func render(_ pattern: String, _ time: CivilTime) -> String {
        if pattern.isEmpty { return render("yyyyMMdd-HHmmss", time) }
        return tokens(pattern).map { token in
            switch token {
            case "yyyy": padded(time.year, 4)
            case "MM": padded(time.month, 2)
            case "dd": padded(time.day, 2)
            case "HH": padded(time.hour, 2)
            case "mm": padded(time.minute, 2)
            case "ss": padded(time.second, 2)
            case "SSS": padded((time.nanosecond ?? 0) / 1_000_000, 3)
            default: token
            }
        }.joined()
    }

    /// Cuts at field boundaries: `yyyyMMdd` is three tokens; other letters stay together as one wrong token.
    static func tokens(_ pattern: String) -> [String] {
        var rest = Substring(pattern), result: [String] = []
        while let first = rest.first {
            if let field = fields.first(where: { rest.hasPrefix($0) }) {
                result.append(field)
                rest.removeFirst(field.count)
            } else if first.isLetter {
                let run = rest.prefix { $0 == first }
                result.append(String(run))
                rest.removeFirst(run.count)
            } else {
                result.append(String(first))
                rest.removeFirst()
            }
        }
        return result
    }
}
