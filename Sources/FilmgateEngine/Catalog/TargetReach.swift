/// From where the address of a target means the same place.
///
/// What a station says of an address must mean the same machine at every other station: otherwise a frame that one of
/// them delivered would be taken for one that all have delivered.
enum TargetReach: Sendable, Hashable {
    /// The machine that asks, whichever that is.
    case thisMachine
    /// One network link, such as `169.254.7.1` or a name in `.local`: another machine on another link.
    case link
    /// A name without a domain, or a number that is not written as an address.
    case unqualified
    /// One network, such as `192.168.1.10`: another machine in another network.
    case network
    case everywhere

    /// Nil where the address has no host.
    init?(_ address: String) {
        guard let host = Self.host(of: address) else { return nil }
        if let quad = Self.quad(host) {
            self = Self.reach(of: quad)
        } else if host.contains(":") {
            self = Self.reach(ofSix: host)
        } else {
            self = Self.reach(of: host)
        }
    }

    /// In lower case, without brackets, port and trailing dot.
    static func host(of address: String) -> String? {
        guard let start = address.firstRange(of: "://")?.upperBound else { return nil }
        let authority = address[start...].prefix { !"/?#\\".contains($0) }
        var host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if host.first == "[" {
            host = host.dropFirst().prefix { $0 != "]" }
        } else if let colon = host.lastIndex(of: ":") {
            host = host[..<colon]
        }
        while host.last == "." { host = host.dropLast() }
        return host.isEmpty ? nil : host.lowercased()
    }

    private static func quad(_ host: String) -> [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.first == "0" && part.utf8.count > 1 ? nil : UInt8(part) }
        return parts.count == 4 && numbers.count == 4 ? numbers : nil
    }

    private static func reach(of quad: [UInt8]) -> Self {
        switch (quad[0], quad[1]) {
        case (127, _), (0, _): .thisMachine
        case (169, 254): .link
        case (10, _), (192, 168), (172, 16...31), (100, 64...127): .network
        default: .everywhere
        }
    }

    private static func reach(ofSix host: String) -> Self {
        let digits = host.prefix { $0 != "%" }
        // `::`, `::1`, however many zeros are written out.
        if digits.allSatisfy({ ":01".contains($0) }), digits.count(where: { $0 == "1" }) <= 1 { return .thisMachine }
        if let last = digits.split(separator: ":").last, last.contains(".") {
            return quad(String(last)).map(reach(of:)) ?? .unqualified
        }
        // A mapped address in hexadecimal is nobody's spelling of a gallery.
        if digits.contains("ffff:") && digits.hasPrefix(":") { return .unqualified }
        if ["fe8", "fe9", "fea", "feb"].contains(where: { digits.hasPrefix($0) }) { return .link }
        return digits.hasPrefix("fc") || digits.hasPrefix("fd") ? .network : .everywhere
    }

    private static func reach(of name: String) -> Self {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last else { return name == "localhost" ? .thisMachine : .unqualified }
        switch last {
        case "localhost", "localdomain": return .thisMachine
        case "local": return .link
        case "lan", "home", "internal", "intranet": return .network
        // `127.1` and the like: programs take it for an address.
        default: return last.allSatisfy(\.isNumber) || last.hasPrefix("0x") ? .unqualified : .everywhere
        }
    }
}
