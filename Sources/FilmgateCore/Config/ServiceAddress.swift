/// What an option has to be that names an address which something is posted to.
public enum ServiceAddress {
    /// `what` would cross the network, in the plural; plain http is for this machine alone, unless it is allowed.
    public static func check(
        _ url: String, _ what: String, allowsPlain: Bool, option: String = "url", at mark: Mark
    ) throws(ConfigError) {
        let isPlain = url.hasPrefix("http://")
        guard isPlain || url.hasPrefix("https://"), !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw ConfigError(mark, "bad-option", "`\(option)` is no web address.", hint: "Write https://….")
        }
        let host = url.dropFirst(isPlain ? 7 : 8).prefix { $0 != "/" && $0 != "?" }.lowercased()
        guard !host.contains("@") else {
            throw ConfigError(mark, "inline-secret", "A name or password must not stand in the address.")
        }
        let isHere = ["127.0.0.1", "localhost", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
        guard !isPlain || allowsPlain || isHere else {
            throw ConfigError(
                mark, "plain-http", "\(what) would cross the network readable by anyone.",
                hint: "Use https. In a network that you trust, `plain_http: true` allows it.")
        }
    }
}
