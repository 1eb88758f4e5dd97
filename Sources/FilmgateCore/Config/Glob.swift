/// A pattern as in file names: `*` any text, `?` one character, `[abc]`, `[a-z]`, `[!a]`.
///
/// Case and surrounding spaces are ignored.
public struct Glob: Sendable, Hashable, ConfigValue {
    enum Part: Sendable, Hashable {
        case any, one, literal(Unicode.Scalar), set([ClosedRange<Unicode.Scalar>], negated: Bool)
    }
    public let source: String
    let parts: [Part]

    public static var kind: ValueKind { .text }
    public var shown: String? { source }

    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a pattern such as \"X1*\"")
        guard let glob = Glob(text) else {
            let hint = "Write `[[]` for a bracket itself."
            throw ConfigError(
                node.mark, "bad-pattern", text.isEmpty ? "An empty pattern matches nothing." : "A `[` is never closed.",
                hint: text.isEmpty ? nil : hint)
        }
        self = glob
    }

    /// Nil for an empty pattern and for a `[` without its `]`.
    public init?(_ pattern: String) {
        let scalars = Self.folded(pattern)
        var parts: [Part] = [], index = 0
        while index < scalars.count {
            switch scalars[index] {
            case "*": if parts.last != .any { parts.append(.any) }
            case "?": parts.append(.one)
            case "[":
                guard let (part, end) = Self.set(scalars, from: index + 1) else { return nil }
                parts.append(part)
                index = end
            default: parts.append(.literal(scalars[index]))
            }
            index += 1
        }
        guard !parts.isEmpty else { return nil }
        (source, self.parts) = (pattern, parts)
    }

    /// The set that begins behind a `[`, and where its `]` stands.
    ///
    /// A `]` that comes first is an ordinary member.
    private static func set(_ scalars: [Unicode.Scalar], from start: Int) -> (Part, Int)? {
        var index = start, ranges: [ClosedRange<Unicode.Scalar>] = []
        let negated = index < scalars.count && (scalars[index] == "!" || scalars[index] == "^")
        if negated { index += 1 }
        let first = index
        while index < scalars.count {
            if scalars[index] == "]", index > first { return (.set(ranges, negated: negated), index) }
            if index + 2 < scalars.count, scalars[index + 1] == "-", scalars[index + 2] != "]" {
                let (low, high) = (scalars[index], scalars[index + 2])
                ranges.append(min(low, high)...max(low, high))
                index += 3
            } else {
                ranges.append(scalars[index]...scalars[index])
                index += 1
            }
        }
        return nil
    }

    /// Takes at most pattern × text steps: after a mismatch only the last `*` is tried again.
    public func matches(_ text: String) -> Bool {
        let scalars = Self.folded(text)
        var part = 0, at = 0, star: (part: Int, at: Int)?
        while at < scalars.count {
            if part < parts.count, parts[part] == .any {
                star = (part, at)
                part += 1
            } else if part < parts.count, Self.fits(parts[part], scalars[at]) {
                (part, at) = (part + 1, at + 1)
            } else if let last = star {
                (part, at) = (last.part + 1, last.at + 1)
                star = (last.part, at)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .any }
    }

    private static func fits(_ part: Part, _ scalar: Unicode.Scalar) -> Bool {
        switch part {
        case .any: false
        case .one: true
        case .literal(let wanted): wanted == scalar
        case .set(let ranges, let negated): ranges.contains { $0.contains(scalar) } != negated
        }
    }

    /// Lower case, without the spaces and NULs that cameras pad with.
    private static func folded(_ text: String) -> [Unicode.Scalar] {
        let scalars = Array(text.lowercased().unicodeScalars)
        guard let first = scalars.firstIndex(where: { !isPadding($0) }),
            let last = scalars.lastIndex(where: { !isPadding($0) })
        else {
            return []
        }
        return Array(scalars[first...last])
    }

    /// A space, a NUL or another character that pads a fixed-length field.
    public static func isPadding(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0 || scalar.properties.isWhitespace
    }
}
