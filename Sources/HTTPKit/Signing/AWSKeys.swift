public import FilmgateCore

/// Keys for AWS and for what speaks its dialect, good until they expire.
public struct AWSKeys: Sendable {
    public var accessKey: String
    public var secretKey: SecretValue
    /// Sent along where the keys are temporary.
    public var sessionToken: SecretValue?
    /// Seconds since 1970; nil = until somebody changes them.
    public var expires: Int?

    public init(accessKey: String, secretKey: SecretValue, sessionToken: SecretValue? = nil, expires: Int? = nil) {
        (self.accessKey, self.secretKey, self.sessionToken, self.expires) = (
            accessKey, secretKey, sessionToken, expires
        )
    }

    /// The same keys, whenever they expire.
    public func isSame(as other: AWSKeys) -> Bool {
        accessKey == other.accessKey && secretKey.reveal() == other.secretKey.reveal()
            && sessionToken?.reveal() == other.sessionToken?.reveal()
    }

    /// Whether a signed request names this access key and session; it does not tell one secret key from the next.
    public func isNamed(in request: HTTPRequest) -> Bool {
        request[header: "Authorization"]?.contains("Credential=\(accessKey)/") == true
            && request[header: "x-amz-security-token"] == sessionToken?.reveal()
    }
}

/// A sign-in that gives AWS keys, for targets that sign by themselves; `sign` of the same provider signs whole
/// requests.
public protocol AWSKeySource: AuthProvider {
    /// `unauthorized` when there are none.
    func keys() async throws(IngestError) -> AWSKeys
}
