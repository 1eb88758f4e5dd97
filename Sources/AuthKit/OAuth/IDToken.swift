public import FilmgateCore
import HTTPKit

/// An ID token's claims (OpenID Connect Core 1.0 §2).
///
/// Its signature is not checked: it comes straight from the token endpoint over verified TLS, which §3.1.3.7 (6) takes
/// as proof. The algorithm must still be one that such a token may have.
public struct IDToken: Sendable {
    public let claims: JSONValue
    private let algorithm: String

    /// `unauthorized` when it is no signed token.
    public init(_ text: String) throws(IngestError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= 65_536, !parts[2].isEmpty,
            let header = Base64.bytes(parts[0]).flatMap({ JSONValue($0) }),
            let claims = Base64.bytes(parts[1]).flatMap({ JSONValue($0) }), let algorithm = header["alg"]?.text
        else { throw IngestError(.unauthorized, "The provider's ID token is not one.") }
        (self.claims, self.algorithm) = (claims, algorithm)
    }

    /// For us, from whom we asked, of now, and the answer to this very question; a minute's difference between clocks
    /// is forgiven.
    public func check(issuer: String, client: String, nonce: String?, now: Int) throws(IngestError) {
        func refused(_ why: String) -> IngestError {
            IngestError(.unauthorized, "The provider's ID token \(why)\(why.hasSuffix("?") ? "" : ".")")
        }
        guard ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA"].contains(algorithm) else {
            throw refused("is not signed in a way that can be trusted")
        }
        guard claims["iss"]?.text == issuer else { throw refused("comes from another issuer") }
        let audience: [String] =
            if case .array(let items)? = claims["aud"] { items.compactMap(\.text) } else { [claims["aud"]?.text ?? ""] }
        guard audience.contains(client) else { throw refused("is for another client") }
        if audience.count > 1 || claims["azp"] != nil, claims["azp"]?.text != client {
            throw refused("is for another client")
        }
        guard let expires = seconds("exp"), expires + 60 > now else {
            throw refused("has run out; is this machine's clock right?")
        }
        if let issued = seconds("iat"), issued - 600 > now {
            throw refused("is from the future; is this machine's clock right?")
        }
        if let nonce, claims["nonce"]?.text != nonce { throw refused("answers another question") }
    }

    /// Seconds since 1970 under `name`.
    public func seconds(_ name: String) -> Int? {
        guard let text = claims[name]?.text, let number = Double(text), number.isFinite, abs(number) < 1e12 else {
            return nil
        }
        return Int(number)
    }

    /// Whose it is.
    public var account: Account? { Account(claims: claims, issuer: claims["iss"]?.text ?? "") }
}
