import FilmgateCore
import Glibc

/// One file that holds a secret.
///
/// Links are followed (container platforms mount secrets that way); what counts is the file behind them.
struct SecretFile {
    let path: String, shown: String
    /// Below these, a file may be readable by others.
    let trusted: [String]

    func value() throws(IngestError) -> SecretValue {
        let handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard handle >= 0 else { throw failure(errno) }
        defer { close(handle) }
        try check(handle)
        guard let bytes = TextFile.contents(of: handle, limit: SystemSecrets.maxBytes) else { throw failure(errno) }
        guard bytes.count <= SystemSecrets.maxBytes else {
            throw IngestError(.misconfigured, "The secret \(shown) is longer than \(SystemSecrets.maxBytes >> 10) KiB.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw IngestError(.misconfigured, "The secret \(shown) is not UTF-8 text.")
        }
        return try Self.stripped(text, shown)
    }

    private func check(_ handle: CInt) throws(IngestError) {
        var status = stat()
        guard fstat(handle, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw IngestError(.misconfigured, "The secret \(shown) is not an ordinary file.")
        }
        guard status.st_mode & 0o077 == 0 || isTrusted(handle) else {
            throw IngestError(
                .misconfigured, "The secret \(shown) can be read by others.", advice: "Run: chmod 600 \(path)")
        }
    }

    /// Judged by where the opened file really is, so that no `..` or link leads out of a trusted directory.
    private func isTrusted(_ handle: CInt) -> Bool {
        guard let real = Self.canonical("/proc/self/fd/\(handle)") else { return false }
        return trusted.contains { directory in Self.canonical(directory).map { real.hasPrefix($0 + "/") } ?? false }
    }

    private static func canonical(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private func failure(_ code: CInt) -> IngestError {
        switch code {
        case ENOENT, ENOTDIR:
            IngestError(
                .misconfigured, "The secret \(shown) does not exist.", advice: "Create the file, with mode 600.")
        default: IngestError(.misconfigured, "The secret \(shown) cannot be read: \(String(cString: strerror(code))).")
        }
    }

    /// Without the byte order mark and the one line end that editors add; `misconfigured` when nothing is left, or a
    /// NUL would cut it short elsewhere.
    static func stripped(_ text: String, _ shown: String) throws(IngestError) -> SecretValue {
        var scalars = text.unicodeScalars
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        if scalars.last == "\n" {
            scalars.removeLast()
            if scalars.last == "\r" { scalars.removeLast() }
        }
        guard !scalars.isEmpty else { throw IngestError(.misconfigured, "The secret \(shown) is empty.") }
        guard !scalars.contains("\0") else {
            throw IngestError(.misconfigured, "The secret \(shown) holds a NUL character.")
        }
        return SecretValue(String(scalars))
    }
}
