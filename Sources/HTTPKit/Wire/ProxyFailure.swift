import CCurl
import FilmgateCore

/// Failures of a proxy that the environment names, told as such.
///
/// libcurl's own words name the server where the proxy is at fault, or show the proxy's whole address with user and
/// password.
struct ProxyFailure {
    /// The environment's variable that libcurl follows for this address, and the proxy without user and password where
    /// that can be told.
    let variable: String, host: String?, port: Int

    /// Nil where no proxy is meant for `address`; exceptions by `no_proxy` are libcurl's to know.
    init?(for address: WebAddress, environment: (String) -> String?) {
        // As libcurl: a web server is handed `HTTP_PROXY` by whoever asks it something.
        let names = address.scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let given = (names + ["all_proxy", "ALL_PROXY"]).compactMap { name in environment(name).map { (name, $0) } }
        guard !address.isLoopback, let (name, value) = given.first(where: { !$0.1.isEmpty }) else { return nil }
        variable = name
        let text = value.contains("://") ? value : "http://" + value
        let usual = text.lowercased().hasPrefix("https:") ? 443 : 1080
        guard let place = Self.place(in: text) else {
            (host, port) = (nil, usual)
            return
        }
        (host, port) = (place.host, place.port ?? usual)
    }

    /// Nil for what is no plain address: then none of it is safe to show.
    private static func place(in text: String) -> (host: String, port: Int?)? {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        let rest = text[scheme.upperBound...]
        let start = rest.lastIndex(of: "@").map { rest.index(after: $0) } ?? rest.startIndex
        var place = String(rest[start...].prefix { $0 != "/" }), port: Int?
        if let colon = place.lastIndex(of: ":"), !place[colon...].contains("]") {
            guard let number = Int(place[place.index(after: colon)...]), (1...65_535).contains(number) else {
                return nil
            }
            (place, port) = (String(place[..<colon]), number)
        }
        let isPlain = place.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || ".-:[]_".utf8.contains(byte)
        }
        return place.isEmpty || !isPlain ? nil : (place, port)
    }

    /// What the proxy did; nil where it had nothing to do with the failure, as far as can be known.
    ///
    /// `connect`: the proxy's answer to CONNECT, 0 for none.
    func error(_ code: CURLcode, connect: Int, at address: WebAddress, words: String) -> IngestError? {
        if connect == 407 {
            return told(
                "wants a sign-in before it lets anything through to \(address.origin) (407).",
                "Write user and password before the host in `\(variable)`, with an @ after them")
        }
        if connect >= 300 {
            return told(
                "lets nothing through to \(address.origin) (\(connect)).",
                "Ask whoever runs it to let \(address.host) through")
        }
        if words.hasPrefix("Unsupported proxy") || (host == nil && words.contains("proxy")) {
            return IngestError(
                .network, "The proxy in `\(variable)` is no address that can be used. Nothing was sent.",
                advice: "Write it as http://host:port, characters other than letters and digits of a password as %XX.")
        }
        guard isUnreachable(code, words) else { return nil }
        return told("cannot be reached: \(words).", "Check that variable of the environment")
    }

    private func isUnreachable(_ code: CURLcode, _ words: String) -> Bool {
        if code == CURLE_COULDNT_RESOLVE_PROXY || words.hasPrefix("Proxy CONNECT") { return true }
        guard let host else { return false }
        return words.contains("connect to \(host.filter { $0 != "[" && $0 != "]" }) port \(port) ")
    }

    /// Always `network`: a proxy's no says nothing about a file, nor about whoever is signed in at the server.
    private func told(_ what: String, _ advice: String) -> IngestError {
        let place = host.map { " \($0):\(port)" } ?? ""
        return IngestError(
            .network, "The proxy\(place) of `\(variable)` \(what) Nothing was sent.",
            advice: advice + "; `no_proxy` names what is reached without it.")
    }
}
