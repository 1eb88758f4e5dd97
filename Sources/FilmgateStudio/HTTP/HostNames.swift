/// The names under which the page may be asked for.
///
/// A page from elsewhere can let a name of its own lead to this machine; the browser then takes it for that page's own server. The name that
/// it asks for is what gives it away.
struct HostNames: Sendable {
    /// In small letters, some with a port.
    private let names: [String]

    /// `more`: names, with or without a port.
    init(host: String, more: [String]) {
        names = (["127.0.0.1", "[::1]", "localhost", host.contains(":") ? "[\(host)]" : host] + more).map { $0.lowercased() }
    }

    /// `port`: where the page listens.
    func holds(_ host: String, port: Int) -> Bool {
        let host = host.lowercased()
        return names.contains { Self.spellings($0, port: port).contains(host) }
    }

    /// For `Origin`.
    func holdsOrigin(_ origin: String, port: Int) -> Bool {
        origin.hasPrefix("http://") && holds(String(origin.dropFirst(7)), port: port)
    }

    private static func spellings(_ name: String, port: Int) -> [String] {
        let rest = name.hasPrefix("[") ? name.drop { $0 != "]" } : name[...]
        let whole = rest.contains(":") ? name : "\(name):\(port)"
        // Browsers leave the usual port out.
        return whole.hasSuffix(":80") ? [whole, String(whole.dropLast(3))] : [whole]
    }
}
