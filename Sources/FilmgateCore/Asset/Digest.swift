/// Digest algorithms that transfer can compute in its one pass.
///
/// SHA-256 is the identity and is always there.
public enum DigestAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    case sha256, sha1, md5, xxh128
    /// What manifests of other programs use: XXH64 and XXH3 with 64 bits, and C4 IDs (SMPTE ST 2114), which are no
    /// hexadecimal.
    case xxh64, xxh3, c4
}

/// Digests of one file's bytes, in lower-case hexadecimal.
public struct Digests: Sendable, Hashable, Codable {
    public var sha256: String
    public var others: [DigestAlgorithm: String]

    public init(sha256: String, others: [DigestAlgorithm: String] = [:]) {
        (self.sha256, self.others) = (sha256, others)
    }

    public subscript(algorithm: DigestAlgorithm) -> String? { algorithm == .sha256 ? sha256 : others[algorithm] }
}

/// The bytes that a delivery is about: the SHA-256, and for a sidecar also its primary's.
///
/// Two shots may carry sidecars with the same bytes; each must arrive beside its own picture.
public struct ContentKey: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(sha256: String, beside primary: String? = nil) {
        rawValue = primary.map { sha256 + ":" + $0 } ?? sha256
    }
    public var sha256: String { rawValue.utf8.count <= 64 ? rawValue : String(rawValue.utf8.prefix(64)) ?? "" }
    /// The SHA-256 of a sidecar's primary.
    public var beside: String? { rawValue.utf8.count > 65 ? String(rawValue.utf8.dropFirst(65)) : nil }
}
