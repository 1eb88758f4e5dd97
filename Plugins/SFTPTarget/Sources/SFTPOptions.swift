public import FilmgateCore
import Glibc
public import HTTPKit

/// The options of `sftp`.
public struct SFTPOptions: FileServerConfig {
    var port = 22, key = "~/.ssh/id_ed25519", password: Secret?, knownHosts = "~/.ssh/known_hosts"
    public var files = FileServerOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("port", \.port, in: 1...65_535, "The server's port."),
            .field("key", \.key, "Private key file, best Ed25519; its public half is known to the server."),
            .field(
                "password", \.password, "The password, as a reference to where it is kept, where no key is accepted."),
            .field(
                "known_hosts", \.knownHosts, "The file with the hosts' keys; an unknown or changed host gets nothing."),
        ] + FileServerOptions.fields())

    public func validate(at node: ConfigNode) throws(ConfigError) { try files.check(at: node) }

    func server(_ secrets: any SecretResolver) -> FileServer {
        var server = FileServer(.sftp, host: files.host, port: port, user: files.user)
        server.password = password.map { StaticCredential($0, secrets) }
        (server.key, server.knownHosts) = (key.isEmpty ? nil : Self.home(key), Self.home(knownHosts))
        return server
    }

    private static func home(_ path: String) -> String {
        path.hasPrefix("~/") ? (getenv("HOME").map { String(cString: $0) } ?? "") + path.dropFirst() : path
    }
}
