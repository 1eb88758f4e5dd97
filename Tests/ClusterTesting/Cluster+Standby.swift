import Foundation

extension Cluster {
    /// A streaming standby of a running cluster.
    public convenience init(standbyOf primary: Cluster) throws {
        try self.init(copying: { data in
            try Cluster.server(
                "pg_basebackup",
                [
                    "-D", data, "-h", primary.socket, "-p", "\(primary.port)", "-U", "postgres", "-R", "-c", "fast",
                    "--no-sync",
                ])
        })
    }

    /// A certificate for `name` with its key and its authority, made with openssl; the folder has `authority.crt`,
    /// `server.crt` and `server.key` afterwards.
    public static func certificate(for name: String, in folder: String, days: Int = 2) throws {
        let ca = folder + "/authority"
        try tool(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", ca + ".key", "-out", ca + ".crt", "-days",
                "2", "-subj", "/CN=Test authority",
            ])
        try tool(
            "openssl",
            [
                "req", "-newkey", "rsa:2048", "-nodes", "-keyout", folder + "/server.key", "-out",
                folder + "/server.csr", "-subj", "/CN=\(name)",
            ])
        let names = "subjectAltName=" + (name.first?.isNumber == true ? "IP:" : "DNS:") + name
        try names.write(toFile: folder + "/names", atomically: false, encoding: .utf8)
        var words = [
            "x509", "-req", "-in", folder + "/server.csr", "-CA", ca + ".crt", "-CAkey", ca + ".key", "-CAcreateserial",
            "-out", folder + "/server.crt", "-extfile", folder + "/names",
        ]
        words += ["-days", "\(days)"]
        try tool("openssl", words)
        try tool("chmod", ["600", folder + "/server.key"])
        if getuid() == 0 { try tool("chown", ["postgres", folder + "/server.key", folder + "/server.crt"]) }
    }

    /// A certificate for a role and its key, `ROLE.crt` and `ROLE.key`, by the authority of that folder.
    public static func certificate(ofRole role: String, in folder: String) throws {
        let key = folder + "/\(role).key", request = folder + "/\(role).csr", ca = folder + "/authority"
        try tool(
            "openssl",
            ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, "-subj", "/CN=\(role)"])
        try tool(
            "openssl",
            [
                "x509", "-req", "-in", request, "-CA", ca + ".crt", "-CAkey", ca + ".key", "-CAcreateserial", "-days",
                "2",
                "-out", folder + "/\(role).crt",
            ])
        try tool("chmod", ["600", key])
    }
}
