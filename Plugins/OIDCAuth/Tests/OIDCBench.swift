import AuthKit
import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization

@testable import OIDCAuth

/// The module and its double.
final class OIDCBench: AccountBench {
    let double: OIDCDouble, clock = BenchClock(), folder: ScratchFolder
    let options: [(String, ConfigNode.Value)]
    /// The client's secret, from a program that fails where there is none.
    let secret = CanarySecrets("client-canary-secret", missing: .unauthorized)
    private let slept = Mutex<(count: Int, then: (@Sendable (Int) -> Void)?)>((0, nil))

    /// Called after each pause of a device code, with their number.
    var onSleep: (@Sendable (Int) -> Void)? {
        get { slept.withLock { $0.then } }
        set { slept.withLock { $0.then = newValue } }
    }

    private func sleep(_ seconds: Double) {
        clock.advance(Int(seconds.rounded(.up)))
        let (count, then) = slept.withLock { slept in
            slept.count += 1
            return slept
        }
        then?(count)
    }

    init(_ profile: OIDCDouble.Profile = OIDCDouble.Profile(), _ options: [(String, ConfigNode.Value)] = []) throws {
        let clock = clock
        (double, folder) = (try OIDCDouble(profile, clock: { clock.now }), try ScratchFolder())
        self.options = options
    }

    func module(_ more: [(String, ConfigNode.Value)] = [], at place: String? = nil) throws -> OIDCAuth {
        let base: [(String, ConfigNode.Value)] = [
            ("issuer", .scalar(double.issuer, quoted: true)), ("client_id", .scalar(OIDCDouble.client, quoted: true)),
        ]
        let pairs = (base + options + more).map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), ConfigNode($0.1)) }
        var errors: [ConfigError] = []
        let options = OIDCOptions.schema.decode(ConfigNode(.map(pairs)), errors: &errors)
        if let first = errors.first { throw first }
        let context = ModuleContext(
            name: "studio", logger: Logger(label: "test"), state: state,
            lookup: Lookup(secrets: secret))
        let clock = clock
        let provider = OIDCAuth(
            options, context, transport: CurlTransport(), clock: { clock.now }, sleep: { self.sleep($0) })
        try provider.bind(to: place ?? target)
        return provider
    }

    func provider() throws -> any AccountProvider { try module() }
    func signIn(_ provider: any AccountProvider) async throws(IngestError) {
        _ = try await provider.signIn(TestPrompter(), SignInPreference(flow: .device))
    }
    func pass(seconds: Int) { clock.advance(seconds) }

    func order(_ trouble: AccountFault) {
        double.set { profile in
            (profile.down, profile.refuses) = (trouble == .down, trouble == .refuses)
            profile.trouble = trouble.pageStatus.map { .pageOf(status: $0) }
            if trouble == .losesOne { (profile.loses, profile.overlap) = (1, true) }
        }
    }

    // A renewal whose answer was lost was granted all the same.
    var renewals: Int { double.renewals }
    var secrets: [String] { double.secrets }
    var state: String { folder.path }
    var lifetime: Int { 900 }
    var revokes: Bool { true }
    var revoked: Int { double.revoked.count }
}
