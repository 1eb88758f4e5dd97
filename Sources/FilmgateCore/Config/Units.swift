/// A number of bytes, written with its unit: `64GiB`, `10MB`, `512B`.
public struct ByteCount: Sendable, Hashable, Comparable, ConfigValue {
    public var bytes: UInt64
    public init(_ bytes: UInt64) { self.bytes = bytes }
    public static func < (a: Self, b: Self) -> Bool { a.bytes < b.bytes }
    public static var kind: ValueKind { .byteCount }

    static let units: [(String, UInt64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1000), ("kB", 1000), ("B", 1),
    ]

    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a size such as 64GiB")
        guard let count = ByteCount(text: text) else {
            throw ConfigError(
                node.mark, "wrong-unit", "Expected a size with its unit, such as 64GiB or 10MB, found `\(text)`.")
        }
        self = count
    }

    /// Reads `64GiB`, `10MB`, `512B`; nil for anything else, negative or beyond nine exabytes.
    public init?(text: String) {
        for (unit, factor) in Self.units where text.hasSuffix(unit) {
            guard let value = text.dropLast(unit.count).trimmingSpaces.decimal, value * Double(factor) < 9e18 else {
                return nil
            }
            bytes = UInt64((value * Double(factor)).rounded())
            return
        }
        return nil
    }

    public var shown: String? {
        let (unit, factor) = Self.units.first { bytes >= $0.1 && bytes % $0.1 == 0 } ?? ("B", 1)
        return "\(bytes / factor)\(unit)"
    }
}

extension Duration: ConfigValue {
    public static var kind: ValueKind { .duration }
    static let units: [(String, Double)] = [
        ("ms", 0.001), ("s", 1), ("min", 60), ("m", 60), ("h", 3600), ("d", 86_400),
    ]

    public init(node: ConfigNode) throws(ConfigError) {
        guard let value = Duration(text: try node.text("a duration such as 30s")) else {
            throw ConfigError(
                node.mark, "wrong-unit",
                "Expected a duration with its unit, such as 30s, 500ms or 2m; this has none that is known.")
        }
        self = value
    }

    /// Reads `500ms`, `30s`, `2m`, `1h`, `7d`; nil for anything else, negative or over ten years.
    public init?(text: String) {
        for (unit, seconds) in Self.units where text.hasSuffix(unit) {
            guard let value = text.dropLast(unit.count).trimmingSpaces.decimal, value * seconds < 315_360_000 else {
                continue
            }
            self = .milliseconds(Int64((value * seconds * 1000).rounded()))
            return
        }
        return nil
    }

    public var shown: String? {
        let ms = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return ms % 60_000 == 0 && ms > 0 ? "\(ms / 60_000)m" : ms % 1000 == 0 ? "\(ms / 1000)s" : "\(ms)ms"
    }

    /// Seconds as a floating number.
    public var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension Substring {
    /// Digits, perhaps with a fraction: no sign, no exponent, nothing else that `Double` would read.
    var decimal: Double? { utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } ? Double(self) : nil }

    var trimmingSpaces: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
