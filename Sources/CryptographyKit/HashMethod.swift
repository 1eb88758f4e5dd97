/// The hash functions that Filmgate uses.
public enum HashMethod: Sendable, CaseIterable {
    case sha256, sha512
    /// Only where a server or a file format asks for it: not safe against a forger.
    case sha1, md5

    /// The length of a digest in bytes.
    public var size: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        case .sha1: 20
        case .md5: 16
        }
    }

    var found: OpenSSLObject {
        switch self {
        case .sha256: Self.foundSHA256
        case .sha512: Self.foundSHA512
        case .sha1: Self.foundSHA1
        case .md5: Self.foundMD5
        }
    }

    private static let foundSHA256 = OpenSSLObject.hash("SHA2-256")
    private static let foundSHA512 = OpenSSLObject.hash("SHA2-512")
    private static let foundSHA1 = OpenSSLObject.hash("SHA1")
    private static let foundMD5 = OpenSSLObject.hash("MD5")
}
