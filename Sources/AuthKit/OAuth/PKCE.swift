import CryptographyKit
import HTTPKit

/// Proof that who redeems a code is who asked for it (RFC 7636, S256).
public struct PKCE: Sendable {
    public let verifier: String

    public init() { self.init(verifier: Self.random()) }
    init(verifier: String) { self.verifier = verifier }

    public var challenge: String { Self.url(RunningHash.digest(of: Array(verifier.utf8), .sha256)) }

    /// 32 random bytes as 43 characters that need no encoding in an address: for verifiers, states and nonces.
    public static func random() -> String {
        var random = SystemRandomNumberGenerator()
        return url((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// The alphabet of RFC 4648 §5 without padding.
    static func url(_ bytes: [UInt8]) -> String {
        Base64.text(of: bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Takes as long for any difference as for none.
    public static func same(_ a: String, _ b: String) -> Bool { MessageCode.equal(Array(a.utf8), Array(b.utf8)) }
}
