public import FilmgateCore

/// How much a camera's clock is corrected by: `+00:03:12`, `-1:00:00`, `+00:30`; hours, minutes and, where needed,
/// seconds.
public struct ClockOffset: Sendable, Hashable, ConfigValue {
    /// A clock that lost its battery may be decades off.
    static let maxHours = 24 * 366 * 100
    public let seconds: Int64

    /// Seconds between the farthest zones: a clock that was set, however wrongly, is seldom off by more.
    public static let usual: Int64 = 26 * 3600
    public var isUnusual: Bool { seconds.magnitude > UInt64(Self.usual) }

    public init(seconds: Int64) { self.seconds = seconds }

    public static var kind: ValueKind { .text }

    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a clock offset such as \"+00:03:12\"")
        guard let seconds = Self.parse(text) else {
            throw ConfigError(
                node.mark, "bad-offset", "`\(text)` is not a clock offset.",
                hint: "Write hours:minutes:seconds with a sign, such as \"+00:03:12\".")
        }
        self.seconds = seconds
    }

    static func parse(_ text: String) -> Int64? {
        let negative = text.hasPrefix("-")
        let digits = negative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count),
            parts.allSatisfy({ part in !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let numbers = parts.compactMap { Int64($0) }
        guard numbers.count == parts.count, numbers[0] <= maxHours, parts[1...].allSatisfy({ $0.count == 2 }),
            numbers[1...].allSatisfy({ $0 < 60 })
        else { return nil }
        let seconds = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
        return negative ? -seconds : seconds
    }

    public var shown: String? {
        let size = Int(seconds.magnitude)
        return
            "\(seconds < 0 ? "-" : "+")\(padded(size / 3600, 2)):\(padded(size / 60 % 60, 2)):\(padded(size % 60, 2))"
    }
}
