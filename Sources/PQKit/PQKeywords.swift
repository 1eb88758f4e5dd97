import FilmgateCore

/// What libpq is told for one host.
///
/// Written out in full where it matters, so that no variable of the environment (`PGSSLMODE`, `PGPASSFILE` …) weakens
/// it.
enum PQKeywords {
    /// Passwords come from where the pipeline file says; libpq complains of `/dev/null`, but not of what is not there.
    private static let noFile = "/nonexistent/passwords"
    private static let systemRoots = "/etc/ssl/certs/ca-certificates.crt"

    typealias List = [(key: String, value: String)]

    /// Beside it stands `hostaddr`, one of the addresses of the host's name, which libpq then does not look up: what the
    /// server must prove to be stays its name.
    static func of(_ host: PQAddress.Host, _ options: PQOptions) throws(IngestError) -> List {
        let address = options.address
        var words: List = [
            ("host", host.name), ("port", String(host.port)), ("user", address.user),
            ("dbname", address.database),
            ("client_encoding", "UTF8"), ("application_name", "filmgate"), ("gssencmode", "disable"),
            ("passfile", noFile),
            // A standby cannot write down what is told, and a server of an older history is refused after that.
            ("target_session_attrs", "read-write"),
        ]
        words += [
            ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
        ]
        words.append(("sslmode", address.tls ?? (host.isThisMachine ? "prefer" : "verify-full")))
        let mayBind = options.certificate == nil && !host.isThisMachine
        words.append(("channel_binding", address.channelBinding ?? (mayBind ? "require" : "prefer")))
        if address.tls == "verify-full" || address.tls == "verify-ca" || !host.isThisMachine {
            words.append(("sslrootcert", options.root ?? systemRoots))
        }
        words.append(("ssl_min_protocol_version", "TLSv1.2"))
        if let certificate = options.certificate { words.append(("sslcert", certificate)) }
        if let key = options.key { words.append(("sslkey", key)) }
        if let password = try options.password?() { words.append(("password", password.reveal())) }
        return words
    }
}
