import Glibc

/// `openssl s_server` with a self-signed certificate for `localhost`, made for this one server; ended and removed with
/// the object.
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
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", path + "/cert.pem",
        ])
        var status: CInt = -1
        waitpid(made, &status, 0)
        guard status == 0 else { throw Failure() }
        // The server chooses its port itself: one chosen here and given back could belong to another server by then.
        let words = path + "/words.txt"
        process = Self.run(
            ["s_server", "-www", "-accept", "0", "-cert", path + "/cert.pem", "-key", key], output: words)
        for _ in 0..<500 {
            if let chosen = Self.port(in: words) {
                port = chosen
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        throw Failure()
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        for name in ["cert.pem", "key.pem", "words.txt"] { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    /// From the line `ACCEPT [::]:PORT`; nil before it is whole.
    private static func port(in words: String) -> Int? {
        guard let file = fopen(words, "rb") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.first { $0.hasPrefix("ACCEPT ") }.flatMap { Int($0.split(separator: ":").last ?? "") }
    }

    private static func run(_ arguments: [String], output: String = "/dev/null") -> pid_t {
        var process: pid_t = -1
        var words = (["openssl"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: CInt in [0, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn(&process, "/usr/bin/openssl", &actions, nil, &words, environ)
        return process
    }
}
