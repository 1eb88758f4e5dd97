public import FilmgateCore
public import HTTPKit

/// The options of `ftp`.
public struct FTPOptions: FileServerConfig {
    enum Encryption: String, CaseIterable, ConfigValue { case explicit, implicit, none }

    var port: Int?, password = Secret(), tls = Encryption.explicit, allowCleartext = false, caFile: String?
    public var files = FileServerOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("port", \.port, "The server's port; absent = 21, or 990 for implicit TLS."),
            .field("password", \.password, "The password, as a reference to where it is kept.").required(),
            .field("tls", \.tls, "`explicit` (AUTH TLS), `implicit` (FTPS), or `none`, readable by anyone on the way."),
            .field("allow_cleartext", \.allowCleartext, "Says that `tls: none` is meant."),
            .field("ca_file", \.caFile, "PEM file of the authorities to trust instead of the system's."),
        ] + FileServerOptions.fields())

    public func validate(at node: ConfigNode) throws(ConfigError) {
        try files.check(at: node)
        if tls == .none, !allowCleartext {
            throw ConfigError(
                node["tls"]?.mark ?? node.mark, "bad-option",
                "Password and pictures would cross the network readable by anyone.",
                hint: "In a network that you trust, `allow_cleartext: true` allows it.")
        }
    }

    var transport: TransportOptions {
        var options = files.transport
        options.authorities = caFile
        return options
    }

    func server(_ secrets: any SecretResolver) -> FileServer {
        let isImplicit = tls == .implicit
        var server = FileServer(
            isImplicit ? .ftps : .ftp, host: files.host, port: port ?? (isImplicit ? 990 : 21), user: files.user)
        server.password = StaticCredential(password, secrets)
        server.cleartext = tls == .none
        return server
    }
}
