import FilmgateCore
import Glibc

/// What a child learns of our environment: where it is and how it should speak, and nothing that may be a secret.
enum ChildEnvironment {
    static let names = [
        "HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ",
        "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "ASAN_OPTIONS",
        "TSAN_OPTIONS",
    ]

    static var lines: [String] { names.compactMap { name in value(name).map { "\(name)=\($0)" } } }

    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension PipedProcess {
    /// Starts a program of the user's, in a group of its own; `environment`: lines beside what every child gets.
    ///
    /// `unavailable` when it cannot be started now.
    convenience init(_ words: [String], beside environment: [String] = []) throws(IngestError) {
        do throws(ChildProcess.StartFailure) {
            try self.init(ChildProcess.Command(words, environment: ChildEnvironment.lines + environment))
        } catch { throw IngestError(.unavailable, "\(words.first ?? "") cannot be started: \(error.reason).") }
    }

    /// Closes its input, which asks it to end, and ends it after `patience` hundredths of a second; says how it ended:
    /// " with status 1".
    @discardableResult
    func end(patience: Int) -> String {
        input.close()
        return child.end(patience: patience).words
    }
}
