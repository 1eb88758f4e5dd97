public import FilmgateCore
import HTTPKit

/// The options of `ftp`.
public struct FTPOptions: ModuleConfig {
    enum Proving: String, CaseIterable, ConfigValue { case none, reread }
    enum Encryption: String, CaseIterable, ConfigValue { case explicit, implicit, none }

    var host = "", port: Int?, user = "", password = Secret(), path: Template?, tls = Encryption.explicit, allowCleartext = false
    var verify = Proving.none, accept: [MediaKind]?, maxSize: ByteCount?, workers = 4, limitRate: ByteCount?, caFile: String?
    var connectTimeout = Duration.seconds(10), stallTimeout = Duration.seconds(60)

    public init() {}

    public static let schema: Schema<Self> = [
        .field("host", \.host, "The server's name or address.").required(),
        .field("port", \.port, "Its port; absent = 21, or 990 for implicit TLS."),
        .field("user", \.user, "The account there.").required(),
        .field("password", \.password, "The password, as a reference to where it is kept.").required(),
        .field("path", \.path, "Where files go: absolute, or below the account's own folder.").required(),
        .field("tls", \.tls, "`explicit` (AUTH TLS), `implicit` (FTPS), or `none`, readable by anyone on the way."),
        .field("allow_cleartext", \.allowCleartext, "Says that `tls: none` is meant."),
        .field("verify", \.verify, "Download each file again and compare, or trust the server's word."),
        .field("accept", \.accept, "Kinds of file to send; absent = all."),
        .field("max_size", \.maxSize, "Larger files are filtered for this target."),
        .field("workers", \.workers, in: 1...16, "Uploads at once, each over its own connection."),
        .field("limit_rate", \.limitRate, "Bytes per second for all uploads together; absent = no limit."),
        .field("ca_file", \.caFile, "PEM file of the authorities to trust instead of the system's."),
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
        if tls == .none, !allowCleartext {
            throw ConfigError(
                node["tls"]?.mark ?? node.mark, "bad-option", "Password and pictures would cross the network readable by anyone.",
                hint: "In a network that you trust, `allow_cleartext: true` allows it.")
        }
    }

    var transport: TransportOptions {
        var options = TransportOptions()
        (options.lanes, options.connect, options.stall, options.answer) = (workers, connectTimeout, stallTimeout, stallTimeout)
        (options.bytesPerSecond, options.authorities) = (limitRate?.bytes, caFile)
        return options
    }

    func server(_ secrets: any SecretResolver) throws(IngestError) -> FileServer {
        let isImplicit = tls == .implicit
        var server = FileServer(isImplicit ? .ftps : .ftp, host: host, port: port ?? (isImplicit ? 990 : 21), user: user)
        let credential = StaticCredential(password, secrets)
        server.password = { () async throws(IngestError) in try await credential.value() }
        server.cleartext = tls == .none
        return server
    }
}
