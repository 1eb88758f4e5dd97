public import FilmgateCore

/// Cameras on the network: the addresses given, and with `auto` also those that can be found.
public struct CameraHosts: Sendable, Hashable, ConfigValue {
    public var given: [CameraHost]
    public var isAuto: Bool

    public init(_ given: [CameraHost] = [], isAuto: Bool = false) { (self.given, self.isAuto) = (given, isAuto) }

    public static var kind: ValueKind { .either([.text, .list(.text)]) }

    public init(node: ConfigNode) throws(ConfigError) {
        (given, isAuto) = ([], false)
        guard case .list(let items) = node.value else {
            switch node.value {
            case .scalar("auto", _): isAuto = true
            case .scalar: given = [try CameraHost(node: node)]
            default: throw node.wrongType("`auto`, or a list of addresses")
            }
            return
        }
        for item in items {
            if case .scalar("auto", _) = item.value { isAuto = true } else { given.append(try CameraHost(node: item)) }
        }
    }

    public var shown: String? {
        if isAuto, given.isEmpty { return "auto" }
        let words = given.compactMap(\.shown) + (isAuto ? ["auto"] : [])
        return words.isEmpty ? nil : "[" + words.joined(separator: ", ") + "]"
    }
}
