/// A place in a configuration file: 1-based line, 1-based column counted in Unicode scalars.
public struct Mark: Sendable, Hashable, Codable {
    public var file: String, line: Int, column: Int
    public init(file: String = "", line: Int = 0, column: Int = 0) {
        (self.file, self.line, self.column) = (file, line, column)
    }
}

/// One node of a configuration file, with its place.
///
/// What the reader makes of YAML; the rest of the house knows no YAML.
public struct ConfigNode: Sendable, Hashable {
    public struct Key: Sendable, Hashable {
        public var name: String, mark: Mark
        public init(_ name: String, _ mark: Mark) { (self.name, self.mark) = (name, mark) }
    }
    public struct Pair: Sendable, Hashable {
        public var key: Key, value: ConfigNode
        public init(_ key: Key, _ value: ConfigNode) { (self.key, self.value) = (key, value) }
    }
    public indirect enum Value: Sendable, Hashable {
        case null
        /// `quoted` keeps `"4"` from being read as a number.
        case scalar(String, quoted: Bool)
        case list([ConfigNode])
        case map([Pair])
    }
    public var value: Value, mark: Mark

    public init(_ value: Value, _ mark: Mark = Mark()) { (self.value, self.mark) = (value, mark) }

    /// The value under `name`, when this is a map that has it.
    public subscript(name: String) -> ConfigNode? {
        guard case .map(let pairs) = value else { return nil }
        return pairs.first { $0.key.name == name }?.value
    }

    /// What a person would call this: "a list", "nothing".
    public var kindName: String {
        switch value {
        case .null: "nothing"
        case .scalar(_, let quoted): quoted ? "quoted text" : "a plain value"
        case .list: "a list"
        case .map: "a map"
        }
    }
}

/// A mistake in a configuration file: where, what, and what was probably meant.
public struct ConfigError: Error, Sendable, Hashable, Codable {
    public var mark: Mark
    /// Stable word for programs: `unknown-key`, `wrong-type`, `out-of-range`, `missing-key`, `unknown-module`,
    /// `inline-secret`.
    public var code: String
    public var message: String
    public var hint: String?

    public init(_ mark: Mark, _ code: String, _ message: String, hint: String? = nil) {
        (self.mark, self.code, self.message, self.hint) = (mark, code, message, hint)
    }
}

/// The candidate nearest to `word` (edit distance, case ignored), if near enough to be a slip of the fingers.
public func nearest(_ word: String, among candidates: some Sequence<String>) -> String? {
    let target = Array(word.lowercased().utf8)
    let limit = max(1, min(3, (target.count + 1) / 3))
    var best: (name: String, distance: Int)?
    for candidate in candidates {
        let other = Array(candidate.lowercased().utf8)
        // Words of very different length are no slip; and a key may be as long as the file.
        guard abs(other.count - target.count) <= limit else { continue }
        let distance = editDistance(target, other)
        if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
}

/// Damerau–Levenshtein distance (optimal string alignment).
func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = [], last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        row.reserveCapacity(b.count + 1)
        for j in b.indices {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
