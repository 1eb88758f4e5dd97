import Glibc

/// What a child learns of our environment: where it is and how it should speak, and nothing that may be a secret.
enum ChildEnvironment {
    static let names = [
        "HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "TMPDIR",
        "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "ASAN_OPTIONS", "TSAN_OPTIONS",
    ]

    static var lines: [String] { names.compactMap { name in value(name).map { "\(name)=\($0)" } } }

    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
