import FilmgateCore
import Yams

/// Converts what was composed into configuration nodes, counting as it goes.
struct YAMLTree {
    let file: String
    private var nodes = 0

    init(file: String) { self.file = file }

    mutating func converted(_ node: Node, depth: Int = 0) throws(ConfigError) -> ConfigNode {
        let mark = place(node)
        nodes += 1
        guard nodes <= YAMLReader.maxNodes else {
            throw ConfigError(mark, "too-many-nodes", "The file has more than \(YAMLReader.maxNodes) keys and values.")
        }
        guard depth <= YAMLReader.maxDepth else {
            throw ConfigError(mark, "too-deep", "Lists and maps are nested more than \(YAMLReader.maxDepth) deep.")
        }
        switch node {
        case .scalar(let scalar): return ConfigNode(try value(of: scalar, mark), mark)
        case .sequence(let sequence):
            var items: [ConfigNode] = []
            for item in sequence { items.append(try converted(item, depth: depth + 1)) }
            return ConfigNode(.list(items), mark)
        case .mapping(let mapping): return ConfigNode(.map(try pairs(of: mapping, depth)), mark)
        case .alias: throw refused("*", mark)
        }
    }

    private mutating func pairs(of mapping: Node.Mapping, _ depth: Int) throws(ConfigError) -> [ConfigNode.Pair] {
        var pairs: [ConfigNode.Pair] = []
        for pair in mapping {
            nodes += 1
            pairs.append(ConfigNode.Pair(try key(pair.key), try converted(pair.value, depth: depth + 1)))
        }
        return pairs
    }

    private func key(_ node: Node) throws(ConfigError) -> ConfigNode.Key {
        let mark = place(node)
        guard case .scalar(let scalar) = node else {
            throw ConfigError(
                mark, "bad-key", "A key must be a word, not a list or a map.",
                hint: "Text that begins with `{` or `[` needs quotes.")
        }
        guard case .scalar(let name, let quoted) = try value(of: scalar, mark), !name.isEmpty else {
            throw ConfigError(mark, "bad-key", "A key is missing before `:`.")
        }
        guard name.unicodeScalars.count <= YAMLReader.maxKeyLength else {
            throw ConfigError(mark, "bad-key", "A key is longer than \(YAMLReader.maxKeyLength) characters.")
        }
        if name == "<<", !quoted {
            throw ConfigError(
                mark, "merge-key", "YAML merge keys (`<<`) are not allowed here.",
                hint: "Profiles say once what holds for many.")
        }
        return ConfigNode.Key(name, mark)
    }

    private func value(of scalar: Node.Scalar, _ mark: Place) throws(ConfigError) -> ConfigNode.Value {
        let plain = scalar.style == .plain
        if plain, let introducer = scalar.string.unicodeScalars.first.flatMap(YAMLPlaceholders.original(of:)) {
            throw refused(introducer, mark)
        }
        if plain, ["", "~", "null", "Null", "NULL"].contains(scalar.string) { return .null }
        let text = YAMLPlaceholders.restored(scalar.string)
        guard text.unicodeScalars.allSatisfy({ YAMLText.isAllowed($0) }) else {
            throw ConfigError(mark, "control-character", "This text holds a control character, written as an escape.")
        }
        return .scalar(text, quoted: !plain)
    }

    private func refused(_ introducer: Unicode.Scalar, _ mark: Place) -> ConfigError {
        let refusal = YAMLPlaceholders.refusal(introducer)
        return ConfigError(mark, refusal.code, refusal.message, hint: refusal.hint)
    }

    private func place(_ node: Node) -> Place {
        Place(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    }
}
