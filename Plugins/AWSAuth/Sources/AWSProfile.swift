import FilmgateCore
import Glibc
import HTTPKit

/// One profile of AWS's credentials file: an INI file that every AWS tool knows.
struct AWSProfile {
    var file: String, name: String

    /// `misconfigured` when the file is missing, open to others, or has no such profile with keys.
    func keys() throws(IngestError) -> AWSKeys {
        let values = Self.values(of: name, in: try text())
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"], !id.isEmpty,
            !secret.isEmpty
        else {
            throw IngestError(
                .misconfigured, "\(file) has no keys for the profile `\(name)`.",
                advice: "Run `aws configure --profile \(name)`.")
        }
        // AWS's own tools leave an empty line behind.
        let token = values["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 }
        guard (id + (token ?? "")).utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw IngestError(.misconfigured, "The keys of the profile `\(name)` hold characters that no key has.")
        }
        return AWSKeys(accessKey: id, secretKey: SecretValue(secret), sessionToken: token.map { SecretValue($0) })
    }

    private func text() throws(IngestError) -> String {
        let path = file.hasPrefix("~/") ? (getenv("HOME").map { String(cString: $0) } ?? "") + file.dropFirst() : file
        let handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard handle >= 0 else {
            throw IngestError(.misconfigured, "\(file) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { close(handle) }
        var facts = stat()
        guard fstat(handle, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= 1 << 20 else {
            throw IngestError(.misconfigured, "\(file) is not a credentials file.")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw IngestError(.misconfigured, "\(file) can be read by others.", advice: "Run: chmod 600 \(file)")
        }
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= 1 << 20 {
            let count = read(handle, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
    }

    /// The keys and values below `[name]`, or `[profile name]`, up to the next heading.
    static func values(of name: String, in text: String) -> [String: String] {
        var values: [String: String] = [:], inside = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(line)
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                let heading = trimmed(line[line.index(after: line.startIndex)..<end])
                inside = heading == name || heading == "profile \(name)"
            } else if inside, let equals = line.firstIndex(of: "=") {
                values[trimmed(line[..<equals]).lowercased()] = trimmed(line[line.index(after: equals)...])
            }
        }
        return values
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var text = text.drop { $0.isWhitespace }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
