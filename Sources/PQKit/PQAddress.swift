public import FilmgateCore

/// Where a database is: `postgresql://user@db1.example,db2.example:5433/filmgate?sslmode=verify-full`.
///
/// Passwords do not stand in it. To another machine only `sslmode=verify-full` goes.
public struct PQAddress: Sendable, Hashable {
    public struct Host: Sendable, Hashable {
        /// A name, an address, or the folder of a socket.
        public var name: String, port: UInt16

        public var isSocket: Bool { name.hasPrefix("/") }
        /// For messages; with a port that is not the usual one.
        public var shown: String {
            if isSocket || port == 5432 { return name }
            return name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
        }
        /// Nobody else can listen in on the way there.
        public var isThisMachine: Bool { isSocket || name == "localhost" || name == "::1" || isLoopback }

        private var isLoopback: Bool {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        }
    }
    public private(set) var user = "", database = ""
    /// In the order in which they are tried; at least one, at most 16.
    public private(set) var hosts: [Host] = []
    public private(set) var tls: String?, channelBinding: String?

    /// The hosts alone, for messages.
    public var place: String { hosts.map(\.name).joined(separator: ", ") }
    public var isThisMachine: Bool { hosts.allSatisfy(\.isThisMachine) }

    public static let socketFolder = "/var/run/postgresql"
    private static let words = ["sslmode", "channel_binding", "host"]

    /// Reads an address of a pipeline file; `node` gives the place of a mistake.
    public init(node: ConfigNode) throws(ConfigError) {
        let text = try node.text("an address such as postgresql://user@host/database")
        var reader = PQAddressReader(text, node.mark)
        let parts = try reader.parts()
        if parts.hasPassword {
            throw ConfigError(
                node.mark, "inline-secret", "A password must not stand in the address.",
                hint: "Remove it and write `password: ${credential:NAME}` beside `url`.")
        }
        (user, database) = (parts.user, parts.database)
        for (key, value) in parts.options {
            switch key {
            case "sslmode": tls = value
            case "channel_binding": channelBinding = value
            case "host": hosts = try Self.hosts(value, node.mark)
            default:
                let near = nearest(key, among: Self.words).map { "Did you mean `\($0)`?" }
                throw ConfigError(
                    node.mark, "unknown-key", "`\(key)` cannot be said in this address.",
                    hint: near ?? "Only sslmode, channel_binding and host can.")
            }
        }
        if !parts.hosts.isEmpty { hosts = try Self.hosts(parts.hosts, node.mark) }
        if hosts.isEmpty { hosts = [Host(name: Self.socketFolder, port: 5432)] }
        try check(node.mark)
    }

    private func check(_ mark: Mark) throws(ConfigError) {
        guard !user.isEmpty else {
            throw ConfigError(
                mark, "missing-user", "The address names no role.",
                hint: "Write it before the host: `postgresql://desk3@…`.")
        }
        guard !database.isEmpty else {
            throw ConfigError(
                mark, "missing-database", "The address names no database.",
                hint: "End it with `/filmgate`, or its name.")
        }
        let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
        if let tls, !modes.contains(tls) { throw Self.unknown(tls, "sslmode", modes, mark) }
        let bindings = ["disable", "prefer", "require"]
        if let channelBinding, !bindings.contains(channelBinding) {
            throw Self.unknown(channelBinding, "channel_binding", bindings, mark)
        }
        guard let far = hosts.first(where: { !$0.isThisMachine }) else { return }
        if tls != "verify-full" {
            throw ConfigError(
                mark, "plain-database",
                "\(far.name) is another machine, and "
                    + (tls.map { "`sslmode=\($0)` does not prove who answers there." }
                        ?? "without `sslmode` nobody proves who answers there."),
                hint:
                    "End the address with `?sslmode=verify-full`; `root:` names the certificate of whoever signs the server's."
            )
        }
        if let channelBinding, channelBinding != "require" {
            throw ConfigError(
                mark, "weak-binding",
                "`channel_binding=\(channelBinding)` would let a password go to whoever stands between.",
                hint: "Leave it out: `require` is the default to other machines.")
        }
    }

    private static func unknown(_ value: String, _ key: String, _ known: [String], _ mark: Mark) -> ConfigError {
        let near = nearest(value, among: known).map { "Did you mean `\($0)`?" }
        return ConfigError(
            mark, "unknown-choice", "`\(key)` cannot be `\(value)`.",
            hint: near ?? "Known: \(known.joined(separator: ", ")).")
    }

    private static func hosts(_ text: String, _ mark: Mark) throws(ConfigError) -> [Host] {
        var found: [Host] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            var name = part, port: Substring?
            if part.hasPrefix("["), let end = part.firstIndex(of: "]") {
                name = part[part.index(after: part.startIndex)..<end]
                let rest = part[part.index(after: end)...]
                if rest.hasPrefix(":") { port = rest.dropFirst() }
            } else if let colon = part.lastIndex(of: ":"),
                !part.hasPrefix("/") || part[colon...].dropFirst().allSatisfy(\.isNumber)
            {
                (name, port) = (part[..<colon], part[part.index(after: colon)...])
            }
            guard let number = port.map({ UInt16($0) }) ?? 5432, number > 0, !name.isEmpty, name.utf8.count <= 255
            else {
                throw ConfigError(
                    mark, "bad-host", "`\(part)` is no host of a database.",
                    hint: "Write `db1.example` or `db1.example:5433`.")
            }
            found.append(Host(name: String(name), port: number))
        }
        guard found.count <= 16 else { throw ConfigError(mark, "too-many-hosts", "At most 16 hosts can be named.") }
        return found
    }
}
