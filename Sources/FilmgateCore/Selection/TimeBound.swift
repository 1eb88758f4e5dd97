/// A day or a moment in civil time: `2026-05-01`, `2026-05-01T18:30`, `2026-05-01 18:30:05`.
public struct TimeBound: Sendable, Hashable, ConfigValue {
    /// As written.
    public let text: String
    /// The first and the last second that it covers, counted as `CivilTime.civilSeconds`.
    public let first: Int64, last: Int64

    public static var kind: ValueKind { .text }
    public var shown: String? { text }

    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a date such as 2026-05-01")
        guard let bound = TimeBound(text) else {
            throw ConfigError(
                node.mark, "wrong-time",
                "Expected a date or time such as 2026-05-01 or 2026-05-01T18:30, found `\(text)`.",
                hint: "Camera time, without an offset.")
        }
        self = bound
    }

    /// Nil for anything but a full date, with or without hours and minutes, with or without seconds.
    public init?(_ text: String) {
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        guard let day = halves.first.flatMap({ Self.numbers($0, "-", [4, 2, 2]) }), day.count == 3 else { return nil }
        let clock = halves.count == 2 ? Self.numbers(halves[1], ":", [2, 2, 2]) : []
        guard let clock, clock.isEmpty || clock.count >= 2,
            let time = CivilTime(
                year: day[0], month: day[1], day: day[2], hour: clock.first ?? 0,
                minute: clock.count > 1 ? clock[1] : 0, second: clock.count > 2 ? clock[2] : 0)
        else { return nil }
        let length: Int64 = clock.isEmpty ? 86_400 : clock.count == 2 ? 60 : 1
        (self.text, first, last) = (text, time.civilSeconds, time.civilSeconds + length - 1)
    }

    private static func numbers(_ text: Substring, _ separator: Character, _ widths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count <= widths.count else { return nil }
        var numbers: [Int] = []
        for (part, width) in zip(parts, widths) {
            guard part.utf8.count == width, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}
