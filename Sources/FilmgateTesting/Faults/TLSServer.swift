import Glibc

/// `openssl s_server` with a self-signed certificate for `localhost`, made for this one server; ended and removed with the object.
public final class TLSServer: Sendable {
    public let port: Int
    /// PEM file of the certificate.
    public let certificate: String
    private let folder: String, process: pid_t

    public struct Failure: Error {}

    public static let isAvailable = access("/usr/bin/openssl", X_OK) == 0

    public init() async throws {
        var template = Array("/tmp/filmgate-tls-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else { throw Failure() }
        (folder, certificate) = (path, path + "/cert.pem")
        let key = path + "/key.pem"
        let made = Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost", "-keyout", key, "-out", path + "/cert.pem",
        ])
        var status: CInt = -1
        waitpid(made, &status, 0)
        guard status == 0, let free = try? Socket.listen() else { throw Failure() }
        close(free.descriptor)
        port = free.port
        process = Self.run(["s_server", "-quiet", "-www", "-accept", String(free.port), "-cert", path + "/cert.pem", "-key", key])
        for _ in 0..<500 {
            if let there = Socket.connect(port) {
                close(there)
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failure()
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        for name in ["cert.pem", "key.pem"] { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    private static func run(_ arguments: [String]) -> pid_t {
        var process: pid_t = -1
        var words = (["openssl"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: CInt in 0...2 { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
        posix_spawn(&process, "/usr/bin/openssl", &actions, nil, &words, environ)
        return process
    }
}
