import ServerKit

/// The names under which the page may be asked for.
///
/// A page from elsewhere can let a name of its own lead to this machine; the browser then takes it for that page's own
/// server. The name that it asks for is what gives it away.
struct HostNames: Sendable {
    /// In small letters, some with a port.
    private let names: [String]
    /// The page is served at every address of this machine.
    private let isEvery: Bool
    let isEncrypted: Bool

    /// `more`: names, with or without a port.
    init(host: String, more: [String], isEncrypted: Bool = false) {
        (isEvery, self.isEncrypted) = (LocalAddress.isEvery(host), isEncrypted)
        names = (["127.0.0.1", "[::1]", "localhost", host.contains(":") ? "[\(host)]" : host] + more).map {
            $0.lowercased()
        }
    }

    /// `place`: the address and port at which this request came in.
    ///
    /// A name that leads here by a trick is a name: no browser can be made to ask for an address of this machine by
    /// another one's page.
    func holds(_ host: String, _ place: ServedPlace) -> Bool {
        let host = host.lowercased()
        if isEvery, spellings(place.host, port: place.port).contains(host) { return true }
        return names.contains { spellings($0, port: place.port).contains(host) }
    }

    /// For `Origin`.
    func holdsOrigin(_ origin: String, _ place: ServedPlace) -> Bool {
        let scheme = isEncrypted ? "https://" : "http://"
        return origin.hasPrefix(scheme) && holds(String(origin.dropFirst(scheme.count)), place)
    }

    private func spellings(_ name: String, port: Int) -> [String] {
        let rest = name.hasPrefix("[") ? name.drop { $0 != "]" } : name[...]
        let whole = rest.contains(":") ? name : "\(name):\(port)"
        // Browsers leave the usual port out.
        let usual = isEncrypted ? ":443" : ":80"
        return whole.hasSuffix(usual) ? [whole, String(whole.dropLast(usual.count))] : [whole]
    }
}

/// Where a request came in.
struct ServedPlace: Sendable {
    /// An IPv6 address in brackets, as it stands in a browser's address.
    let host: String, port: Int

    init(host: String, port: Int) {
        let plain = PeerAddress.unmapped(host)
        (self.host, self.port) = (plain.contains(":") ? "[\(plain)]" : plain, port)
    }
}
