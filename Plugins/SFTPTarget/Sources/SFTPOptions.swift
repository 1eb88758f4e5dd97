public import FilmgateCore
import Glibc
import HTTPKit

/// The options of `sftp`.
public struct SFTPOptions: ModuleConfig {
    enum Proving: String, CaseIterable, ConfigValue { case none, reread }

    var host = "", port = 22, user = "", path: Template?, key = "~/.ssh/id_ed25519", password: Secret?
    var knownHosts = "~/.ssh/known_hosts", verify = Proving.none, accept: [MediaKind]?, maxSize: ByteCount?, workers = 4
    var limitRate: ByteCount?, connectTimeout = Duration.seconds(10), stallTimeout = Duration.seconds(60)

    public init() {}

    public static let schema: Schema<Self> = [
        .field("host", \.host, "The server's name or address.").required(),
        .field("port", \.port, in: 1...65_535, "Its port."),
        .field("user", \.user, "The account there.").required(),
        .field("path", \.path, "Where files go: absolute, or below the account's own folder.").required(),
        .field("key", \.key, "Private key file, best Ed25519; its public half is known to the server."),
        .field("password", \.password, "The password, as a reference to where it is kept, where no key is accepted."),
        .field("known_hosts", \.knownHosts, "The file with the hosts' keys; an unknown or changed host gets nothing."),
        .field("verify", \.verify, "Download each file again and compare, or trust the server's word."),
        .field("accept", \.accept, "Kinds of file to send; absent = all."),
        .field("max_size", \.maxSize, "Larger files are filtered for this target."),
        .field("workers", \.workers, in: 1...16, "Uploads at once, each over its own connection."),
        .field("limit_rate", \.limitRate, "Bytes per second for all uploads together; absent = no limit."),
        .field("connect_timeout", \.connectTimeout, in: .seconds(1)...(.seconds(300)), "How long connecting may take."),
        .field("stall_timeout", \.stallTimeout, in: .seconds(1)...(.seconds(3600)), "How long an upload may stand still."),
    ]

    public func validate(at node: ConfigNode) throws(ConfigError) {
        guard let path, PlacedFiles.cut(path) != nil,
            !path.uses.isDisjoint(with: ["name", "stem", "shot", "counter", "sha256", "captured"])
        else {
            throw ConfigError(
                node["path"]?.mark ?? node.mark, "bad-option", "Every file would get the same name.", hint: "Put {name} into the path.")
        }
        let isPlain = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/@?#\\".utf8.contains($0) }
        guard isPlain else { throw ConfigError(node["host"]?.mark ?? node.mark, "bad-option", "`\(host)` is no host.") }
    }

    var transport: TransportOptions {
        var options = TransportOptions()
        (options.lanes, options.connect, options.stall, options.answer) = (workers, connectTimeout, stallTimeout, stallTimeout)
        options.bytesPerSecond = limitRate?.bytes
        return options
    }

    func server(_ secrets: any SecretResolver) throws(IngestError) -> FileServer {
        var server = FileServer(.sftp, host: host, port: port, user: user)
        if let password {
            let credential = StaticCredential(password, secrets)
            server.password = { () async throws(IngestError) in try await credential.value() }
        }
        (server.key, server.knownHosts) = (key.isEmpty ? nil : Self.home(key), Self.home(knownHosts))
        return server
    }

    private static func home(_ path: String) -> String {
        path.hasPrefix("~/") ? (getenv("HOME").map { String(cString: $0) } ?? "") + path.dropFirst() : path
    }
}
