import FilmgateCore
import HTTPKit
import Synchronization

/// Signs each request by Signature Version 4 with the keys of a sign-in, by the server's clock where ours is wrong.
final class S3Signer: AuthProvider {
    private let source: any AWSKeySource
    private let signature: SigV4
    private let known = Mutex(0)

    init(_ source: any AWSKeySource, region: String) { (self.source, signature) = (source, SigV4(region: region)) }

    var account: String? { source.account }
    func bind(to address: String) throws(IngestError) { try source.bind(to: address) }

    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        let keys = try await source.keys()
        return try signature.sign(request, with: keys, at: WallClock.seconds + skew)
    }

    func keys() async throws(IngestError) -> AWSKeys { try await source.keys() }

    func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        try await source.renew(after: rejection)
    }

    /// Seconds by which the server's clock is ahead of ours.
    var skew: Int { known.withLock(\.self) }

    /// Takes over the server's clock, after it refused what was signed with `before`.
    ///
    /// False when that comes to the same: then the clock is not the reason.
    func adjust(to date: String?, from before: Int) -> Bool {
        guard let date, let server = HTTPDate.unixSeconds(date) else { return false }
        let difference = server - WallClock.seconds
        known.withLock { $0 = difference }
        return abs(difference - before) > 60
    }
}
