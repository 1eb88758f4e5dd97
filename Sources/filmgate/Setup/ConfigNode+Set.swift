import FilmgateCore

extension ConfigNode {
    /// Puts `value` under `key`, replacing what is there; anything but a map becomes one.
    mutating func set(_ key: String, _ new: ConfigNode) {
        var pairs: [Pair] = if case .map(let pairs) = value { pairs } else { [] }
        pairs.removeAll { $0.key.name == key }
        pairs.append(Pair(Key(key, mark), new))
        value = .map(pairs)
    }

    mutating func set(_ key: String, _ text: String) { set(key, ConfigNode(.scalar(text, quoted: false), mark)) }
}
