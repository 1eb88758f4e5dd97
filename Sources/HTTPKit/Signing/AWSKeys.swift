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
}

/// A sign-in that gives AWS keys, for targets that sign by themselves; `sign` of the same provider signs whole
/// requests.
public protocol AWSKeySource: AuthProvider {
    /// `unauthorized` when there are none.
    func keys() async throws(IngestError) -> AWSKeys
}
