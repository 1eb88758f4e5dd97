public import FilmgateCore
public import HTTPKit
import Synchronization

/// `aws`: keys for S3 and what speaks its dialect: written down by reference, or a profile of AWS's own files.
public struct AWSAuth: Module, AWSKeySource {
    public struct Options: ModuleConfig {
        var accessKey: String?, secretKey = Secret(), sessionToken = Secret(), profile: String?
        var file = "~/.aws/credentials"
        var region = "us-east-1", service = "s3", origins: [String] = [], plainHTTP = false

        public init() {}
        public static let schema: Schema<Self> = [
            .field("access_key", \.accessKey, "The access key's id."),
            .field("secret_key", \.secretKey, "The secret access key, as a reference to where it is kept."),
            .field(
                "session_token", \.sessionToken, "The session's token, as a reference, where the keys are temporary."),
            .field("profile", \.profile, "A profile of the credentials file, in place of keys."),
            .field("file", \.file, "The credentials file, which only you may read."),
            .field("region", \.region, "The region that requests are signed for."),
            .field("service", \.service, "The service that requests are signed for."),
            .field(
                "origins", \.origins,
                "The only origins that requests are signed for; absent = those of the targets that use it."),
            .field("plain_http", \.plainHTTP, "Also signs for plain http to other machines."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            let keys = accessKey != nil || secretKey.reference != .none
            guard keys != (profile != nil) else {
                throw ConfigError(node.mark, "missing-key", "Give `access_key` and `secret_key`, or a `profile`.")
            }
            guard !keys || (accessKey != nil && secretKey.reference != .none) else {
                throw ConfigError(node.mark, "missing-key", "`access_key` and `secret_key` belong together.")
            }
            guard profile == nil || sessionToken.reference == .none else {
                throw ConfigError(node.mark, "bad-option", "A profile brings its own session token.")
            }
            for (name, text) in [("access_key", accessKey ?? "x"), ("region", region), ("service", service)] {
                guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x2C }) else {
                    throw ConfigError(
                        node[name]?.mark ?? node.mark, "bad-option", "`\(name)` holds characters that it cannot have.")
                }
            }
            try CredentialScope.check(origins, at: node)
        }
    }

    public static let manifest = Manifest("aws", "Signs for S3 and its kin with AWS Signature Version 4.")

    private let options: Options, scope: CredentialScope, secrets: any SecretResolver, clock: @Sendable () -> Int
    private let known = KeyMemory()

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        self.init(config, context, clock: { HTTPDate.now })
    }

    /// The same with another clock; for tests.
    init(_ config: Options, _ context: ModuleContext, clock: @escaping @Sendable () -> Int) {
        (options, secrets, self.clock) = (config, context.lookup.secrets, clock)
        scope = CredentialScope(context.name, origins: config.origins, plainHTTP: config.plainHTTP)
    }

    public var account: String? { options.accessKey ?? options.profile.map { "profile \($0)" } }

    public func bind(to address: String) throws(IngestError) { try scope.bind(address) }

    public func ready() async throws(IngestError) { _ = try await keys() }

    public func keys() async throws(IngestError) -> AWSKeys {
        if let keys = known.keys { return keys }
        let fresh = try await lookedUp()
        known.keys = fresh
        return fresh
    }

    private func lookedUp() async throws(IngestError) -> AWSKeys {
        do throws(IngestError) {
            if let profile = options.profile { return try AWSProfile(file: options.file, name: profile).keys() }
            let secret = try await secrets.value(of: options.secretKey)
            let token =
                options.sessionToken.reference == .none ? nil : try await secrets.value(of: options.sessionToken)
            guard token.map({ $0.reveal().utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) ?? true else {
                throw IngestError(.unauthorized, "The session token holds characters that no header may have.")
            }
            return AWSKeys(accessKey: options.accessKey ?? "", secretKey: secret, sessionToken: token)
        } catch {
            throw IngestError(.unauthorized, error.message, advice: error.advice, cause: error)
        }
    }

    /// The body counts by `x-amz-content-sha256`, which the target sets; without it the body goes unsigned.
    public func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        try scope.require(request)
        return try SigV4(region: options.region, service: options.service).sign(
            request, with: try await keys(), at: clock())
    }

    /// The keys may have been replaced where they are kept; keys that are still the same were refused for good.
    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        let before = known.keys
        guard let fresh = try? await lookedUp() else { return false }
        known.keys = fresh
        // Of several requests under way the later refusals come when the first has found the new keys.
        if let sent = rejection.request, !fresh.isNamed(in: sent) { return true }
        return before?.isSame(as: fresh) != true
    }
}

/// Keys looked up last; shown by nothing.
final class KeyMemory: Sendable, CustomReflectable {
    private let stored = Mutex<AWSKeys?>(nil)
    var keys: AWSKeys? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
    var customMirror: Mirror { Mirror(self, children: []) }
}
