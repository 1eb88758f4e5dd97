/// A target whose service says how it is, cheaply and to anybody.
///
/// Asked before what waits is sent, again every few seconds while that goes on, and after each failure.
public protocol HealthTarget: UploadTarget {
    /// Returns when the service takes files now, or does not say how it is; throws what keeps it from taking any:
    /// `unavailable` when it says so itself, `network` when nobody answers.
    func health() async throws(IngestError)
}

/// A target whose service puts uploads off for a reason that may have gone since, and can take them up again by itself.
public protocol PutOffTarget: UploadTarget {
    /// Asks the service once to take up again all that it has put off here; how many it did.
    func takeUpAgain() async throws(IngestError) -> Int
}

/// What is left to spend at a service that is paid by credits.
public struct CreditBalance: Sendable, Hashable {
    /// What one picture costs is the service's business.
    public var balance: Int
    /// When the next of them are lost, as the service writes it; nil where none are, or it does not say.
    public var nearestExpiry: String?

    /// When the service said so, in seconds since 1970; nil for just now.
    public var heard: Int?

    public init(balance: Int, nearestExpiry: String? = nil, heard: Int? = nil) {
        (self.balance, self.nearestExpiry, self.heard) = (balance, nearestExpiry, heard)
    }
}

/// A target or a sign-in whose service is paid by credits.
public protocol CreditHolder: Sendable {
    /// What is left; nil where the service does not say.
    func credits() async throws(IngestError) -> CreditBalance?
}
