import FilmgateCore
import HTTPKit

/// An identity token as another sign-in would give it, signed by nobody.
public enum TestToken {
    /// `ends`: seconds since 1970.
    ///
    /// The signature holds `mark`, to be looked for where no token belongs.
    public static func identity(
        issuer: String, ends: Int, audience: String = OIDCDouble.client, mark: String = "identity-canary-5e2d"
    ) -> String {
        let claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(audience), "sub": .string("001.ann"), "exp": .integer(Int64(ends)),
        ]
        let head = JSONValue.object(["alg": .string("RS256"), "kid": .string("1")])
        return [head, .object(claims)].map { OIDCDouble.url(Array($0.serialized.utf8)) }.joined(separator: ".") + "."
            + mark
    }
}
