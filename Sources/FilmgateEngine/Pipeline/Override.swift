import FilmgateCore

/// One `--set`: a value put into the tree of a pipeline file before it is decoded.
///
/// The path goes by keys; in a list of single-key maps a module's name stands for its entry, elsewhere a number from 0:
/// `stages.select.min_rating`, `targets.archive.folder.verify`, `profiles.0.photographer`, `event.required`.
public struct Override: Sendable, Hashable {
    public var path: [String], value: String
    /// What marks name as the file.
    ///
    /// Only the path: the value may be a secret that does not belong here.
    var place: Mark { Mark(file: "--set \(path.joined(separator: "."))") }

    /// Nil unless `text` has the form `key.path=value`.
    public init?(_ text: String) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let path = text[..<equals].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path.allSatisfy({ !$0.isEmpty }) else { return nil }
        (self.path, value) = (path, String(text[text.index(after: equals)...]))
    }

    /// The value is read as YAML, so `true`, `[a, b]` and `{min_rating: 3}` mean what they mean in the file.
    func apply(to root: inout ConfigNode, reader: any ConfigReader) throws(ConfigError) {
        try set(try node(reader), at: path[...], in: &root)
    }

    private func node(_ reader: any ConfigReader) throws(ConfigError) -> ConfigNode {
        if value.isEmpty { return ConfigNode(.scalar("", quoted: true), place) }
        do throws(ConfigError) { return Self.placed(try reader.read(text: value, file: place.file), place) } catch {
            throw ConfigError(place, error.code, error.message, hint: error.hint)
        }
    }

    private static func placed(_ node: ConfigNode, _ mark: Mark) -> ConfigNode {
        switch node.value {
        case .list(let items): ConfigNode(.list(items.map { placed($0, mark) }), mark)
        case .map(let pairs):
            ConfigNode(
                .map(pairs.map { ConfigNode.Pair(ConfigNode.Key($0.key.name, mark), placed($0.value, mark)) }), mark)
        default: ConfigNode(node.value, mark)
        }
    }

    private func set(_ new: ConfigNode, at path: ArraySlice<String>, in node: inout ConfigNode) throws(ConfigError) {
        guard let step = path.first else { return node = new }
        switch node.value {
        case .null:
            // An empty section counts as a map that can be filled in.
            var fresh = ConfigNode(.null, place)
            try set(new, at: path.dropFirst(), in: &fresh)
            node.value = .map([ConfigNode.Pair(ConfigNode.Key(step, place), fresh)])
        case .map(var pairs):
            if let index = pairs.firstIndex(where: { $0.key.name == step }) {
                try set(new, at: path.dropFirst(), in: &pairs[index].value)
            } else if path.count == 1 || path.count == self.path.count {
                var fresh = ConfigNode(.null, place)
                try set(new, at: path.dropFirst(), in: &fresh)
                pairs.append(ConfigNode.Pair(ConfigNode.Key(step, place), fresh))
            } else {
                throw missing(step, among: pairs.map(\.key.name), path)
            }
            node.value = .map(pairs)
        case .list(var items):
            try set(new, step, path, in: &items)
            node.value = .list(items)
        case .scalar: throw missing(step, among: [], path)
        }
    }

    private func set(
        _ new: ConfigNode, _ step: String, _ path: ArraySlice<String>, in items: inout [ConfigNode]
    ) throws(ConfigError) {
        if let number = Int(step), items.indices.contains(number) {
            return try set(new, at: path.dropFirst(), in: &items[number])
        }
        let names = items.map { item -> String in
            if case .map(let pairs) = item.value, pairs.count == 1 { return pairs[0].key.name }
            return ""
        }
        guard let index = names.firstIndex(of: step) else {
            throw missing(step, among: names.filter { !$0.isEmpty }, path)
        }
        try set(new, at: path, in: &items[index])
    }

    private func missing(_ step: String, among names: [String], _ rest: ArraySlice<String>) -> ConfigError {
        let above = path[..<rest.startIndex].joined(separator: ".")
        let hint =
            nearest(step, among: names).map { "Did you mean `\($0)`?" }
            ?? (names.isEmpty ? nil : "Known: \(names.joined(separator: ", ")).")
        return ConfigError(
            place, "no-such-key", "There is no `\(step)` \(above.isEmpty ? "in the pipeline" : "under `\(above)`").",
            hint: hint)
    }
}
