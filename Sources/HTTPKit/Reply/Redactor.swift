public import FilmgateCore

/// Knows what an exchange must never show, and takes it out of text: the credential as sent, decoded, encoded, and in
/// pieces.
public struct Redactor: Sendable, CustomStringConvertible, CustomReflectable {
    private var secrets: Set<String> = []

    public init() {}

    /// These, wherever they turn up.
    public init(secrets: [SecretValue]) {
        for secret in secrets { add(secret.reveal()) }
    }

    /// Takes out what `other` takes out, too.
    public mutating func add(_ other: Redactor) { secrets.formUnion(other.secrets) }

    /// Whether it takes out all that `other` does.
    public func covers(_ other: Redactor) -> Bool { secrets.isSuperset(of: other.secrets) }

    /// Everything that signing added or changed: header values, parts of the query.
    public init(plain: HTTPRequest, signed: HTTPRequest) {
        for value in Self.added(to: plain, in: signed) { add(header: value) }
        if signed.url != plain.url, let query = WebAddress(signed.url)?.query {
            let known = Set((WebAddress(plain.url)?.query ?? "").split(separator: "&"))
            for pair in query.split(separator: "&") where !known.contains(pair) {
                if let value = pair.split(separator: "=", maxSplits: 1).last { add(String(value)) }
            }
        }
    }

    /// Values of the headers that signing added or changed.
    static func added(to plain: HTTPRequest, in signed: HTTPRequest) -> [String] {
        signed.headers.filter { header in
            !plain.headers.contains { $0.name == header.name && $0.value == header.value }
        }.map(\.value)
    }

    private mutating func add(header value: String) {
        add(value)
        for part in value.split(separator: " ").dropFirst() {
            add(String(part))
            guard let bytes = Base64.bytes(part), let pair = String(validating: bytes, as: UTF8.self) else { continue }
            if let password = pair.split(separator: ":", maxSplits: 1).last { add(String(password)) }
        }
    }

    private mutating func add(_ secret: String) {
        guard secret.count >= 3 else { return }
        secrets.formUnion([secret, Percent.encode(secret), Base64.text(of: Array(secret.utf8))])
    }

    /// `text` with every secret replaced by `‹secret›`; also anything that looks like a bearer token or a JWT.
    public func scrub(_ text: String) -> String {
        var text = text
        for secret in secrets.sorted(by: { $0.count > $1.count }) { text = text.replacing(secret, with: "‹secret›") }
        return text.split(separator: " ", omittingEmptySubsequences: false).reduce(into: [Substring]()) { words, word in
            let afterBearer = words.last?.lowercased().hasSuffix("bearer") == true && word.count >= 8
            words.append(afterBearer || Self.isToken(word) ? "‹secret›" : word)
        }.joined(separator: " ")
    }

    /// `eyJ….….…`: a signed token, wherever it stands in the word.
    private static func isToken(_ word: Substring) -> Bool {
        guard let start = word.firstRange(of: "eyJ") else { return false }
        return word[start.lowerBound...].filter { $0 == "." }.count >= 2
    }

    public var description: String { "Redactor" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
