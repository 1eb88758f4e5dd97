import FilmgateCore

/// Cuts the text of an address into its parts and takes percent-encoding out of them.
struct PQAddressReader {
    struct Parts {
        var user = "", hasPassword = false, hosts = "", database = "", options: [(key: String, value: String)] = []
    }
    private let text: String, mark: Mark

    init(_ text: String, _ mark: Mark) { (self.text, self.mark) = (text, mark) }

    mutating func parts() throws(ConfigError) -> Parts {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix), text.utf8.count <= 4096 else {
            throw ConfigError(
                mark, "bad-address", "This is no address of a database.",
                hint: "Write `postgresql://ROLE@HOST/DATABASE?sslmode=verify-full`.")
        }
        var rest = text.dropFirst(scheme.count), parts = Parts()
        if let query = rest.firstIndex(of: "?") {
            parts.options = try options(rest[rest.index(after: query)...])
            rest = rest[..<query]
        }
        var place = rest
        if let slash = rest.firstIndex(of: "/") {
            parts.database = try plain(rest[rest.index(after: slash)...])
            place = rest[..<slash]
        }
        if let at = place.lastIndex(of: "@") {
            let names = place[..<at]
            parts.hasPassword = names.contains(":")
            parts.user = try plain(names.prefix { $0 != ":" })
            place = place[place.index(after: at)...]
        }
        parts.hosts = try plain(place)
        return parts
    }

    private func options(_ text: Substring) throws(ConfigError) -> [(key: String, value: String)] {
        var found: [(key: String, value: String)] = []
        for pair in text.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else {
                throw ConfigError(mark, "bad-address", "`\(pair)` in the address has no value.")
            }
            let key = try plain(halves[0])
            if found.contains(where: { $0.key == key }) {
                throw ConfigError(mark, "bad-address", "`\(key)` stands in the address twice.")
            }
            if key == "password" {
                throw ConfigError(
                    mark, "inline-secret", "A password must not stand in the address.",
                    hint: "Remove it and write `password: ${credential:NAME}` beside `url`.")
            }
            found.append((key, try plain(halves[1])))
        }
        return found
    }

    private func plain(_ text: Substring) throws(ConfigError) -> String {
        var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                throw ConfigError(
                    mark, "bad-address", "A `%` in the address is not followed by two hexadecimal digits.")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard !bytes.contains(0), let plain = String(validating: bytes, as: UTF8.self) else {
            throw ConfigError(mark, "bad-address", "The address is no text.")
        }
        return plain
    }
}
