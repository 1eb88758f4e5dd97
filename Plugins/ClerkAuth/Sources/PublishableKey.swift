import FilmgateCore
import HTTPKit

/// Clerk's publishable key: `pk_test_` or `pk_live_`, then the Base64 of the instance's host and a `$`.
struct PublishableKey: ConfigValue, Hashable {
    /// `clerk.example.com`; "" for none.
    let host: String
    let shown: String?

    static var kind: ValueKind { .text }
    init() { (host, shown) = ("", nil) }

    /// A malformed key would fail somewhere else, late and without a word: it is looked at before anything is sent.
    init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("a publishable key, pk_live_…")
        if text.hasPrefix("sk_") {
            throw ConfigError(
                node.mark, "inline-secret", "This is a secret key: it must never leave the server.",
                hint: "Take the publishable key, pk_…."
            )
        }
        guard let host = Self.host(in: text) else {
            throw ConfigError(
                node.mark, "bad-key", "This is not a publishable key.",
                hint: "Copy it whole from Clerk's dashboard; it begins with pk_live_ or pk_test_.")
        }
        (self.host, shown) = (host, text)
    }

    static func host(in text: String) -> String? {
        guard let prefix = ["pk_test_", "pk_live_"].first(where: text.hasPrefix), text.utf8.count < 300,
            let bytes = Base64.bytes(text.dropFirst(prefix.count)),
            let decoded = String(validating: bytes, as: UTF8.self), decoded.hasSuffix("$")
        else { return nil }
        let host = String(decoded.dropLast())
        guard host.contains("."), !host.contains("$"), let address = WebAddress("https://\(host)"), address.path == "/",
            address.authority == host
        else { return nil }
        return host
    }
}
