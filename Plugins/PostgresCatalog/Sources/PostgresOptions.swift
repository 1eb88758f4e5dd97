public import FilmgateCore
import PQKit

/// `postgres`: where the catalogue is, and how this station signs in.
public struct PostgresOptions: ModuleConfig {
    var url = PQAddressOption(), password = Secret(), certificate = "", key = "", root = ""
    var connect = Duration.seconds(3), answer = Duration.seconds(10)

    public init() {}
    public static let schema: Schema<Self> = [
        .field("url", \.url, "Where the database is: postgresql://ROLE@HOST,HOST/DATABASE?sslmode=verify-full.")
            .required(),
        .field("password", \.password, "The role's password, as a reference to where it is kept."),
        .field(
            "certificate", \.certificate,
            "A certificate to sign in with, in place of a password: the path of a PEM file."),
        .field("key", \.key, "The path of its key."),
        .field(
            "root", \.root,
            "The certificate that signed the server's: the path of a PEM file; absent: the system's list."),
        .field(
            "connect", \.connect, in: .milliseconds(100)...(.seconds(60)),
            "How long one host may take to connect; no more than its share of what `answer` leaves for all."),
        .field("answer", \.answer, in: .milliseconds(100)...(.seconds(600)), "How long an answer may take."),
    ]

    public func validate(at node: ConfigNode) throws(ConfigError) {
        if certificate.isEmpty != key.isEmpty {
            let present = certificate.isEmpty ? "key" : "certificate"
            let absent = certificate.isEmpty ? "certificate" : "key"
            throw ConfigError(
                node[present]?.mark ?? node.mark, "missing-key", "`\(present)` is nothing without `\(absent)`.",
                hint: "Add `\(absent):` with the path of its PEM file.")
        }
        guard let address = url.address, !address.isThisMachine, password == Secret(), certificate.isEmpty else {
            return
        }
        throw ConfigError(
            node.mark, "no-sign-in", "Nothing says how to sign in at \(address.place).",
            hint: "Write `password: ${credential:NAME}`, or `certificate:` and `key:`.")
    }
}

/// An address as an option.
struct PQAddressOption: ConfigValue, Hashable {
    let address: PQAddress?

    init() { address = nil }
    init(node: ConfigNode) throws(ConfigError) { address = try PQAddress(node: node) }
    static var kind: ValueKind { .text }
    var shown: String? { nil }
}
