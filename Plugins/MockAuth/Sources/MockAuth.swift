public import AuthKit
public import FilmgateCore
public import HTTPKit

/// `mock`: signs in anybody at once, for tests of pipelines; `check` refuses it unless told otherwise.
public struct MockAuth: Module, SessionProvider {
    public struct Options: ModuleConfig {
        enum Fault: String, CaseIterable, ConfigValue { case none, signIn = "sign_in", renewal }

        var account = "mock", lifetime = Duration.seconds(3600), fault = Fault.none, origins: [String] = []

        public init() {}
        public static let schema: Schema<Self> = [
            .field("account", \.account, "Who is signed in."),
            .field("lifetime", \.lifetime, in: .seconds(1)...(.seconds(864_000)), "How long a token holds."),
            .field("fault", \.fault, "What is refused."),
            .field(
                "origins", \.origins,
                "The only origins that may receive the token; absent = those of the targets that use it."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) { try CredentialScope.check(origins, at: node) }
    }

    public static let manifest = Manifest(
        "mock", "Signs anybody in, for tests only.", stability: .experimental, testsOnly: true)

    public let session: AccountSession, scope: CredentialScope
    private let grant: MockGrant

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        self.init(config, context, clock: AccountSession.wallClock)
    }

    /// The same with another clock; for tests.
    init(_ config: Options, _ context: ModuleContext, clock: @escaping @Sendable () -> Int) {
        grant = MockGrant(options: config, clock: clock)
        scope = CredentialScope(context.name, origins: config.origins, plainHTTP: false)
        session = AccountSession(name: context.name, vault: context.vault, grant: grant, clock: clock)
    }

    public func signIn(_ prompter: any SignInPrompter, _ preference: SignInPreference) async throws(IngestError)
        -> Account
    {
        try await session.signIn(scope.origins, preference) { () async throws(IngestError) in
            if grant.options.fault == .signIn {
                throw IngestError(.unauthorized, "The mock sign-in was told to refuse.")
            }
            return grant.fresh()
        }
    }
}

/// A provider that is not there.
struct MockGrant: AccountGrant {
    let options: MockAuth.Options, clock: @Sendable () -> Int

    /// Unmistakable in any log: this protects nothing.
    func fresh() -> Credential {
        let token = "mock-\(options.account)-\(UInt32.random(in: 0 ... .max))"
        var credential = Credential(
            issuer: "mock", client: "mock", access: SecretValue(token), obtained: clock(),
            account: Account(id: options.account, issuer: "mock"))
        credential.refresh = SecretValue("mock-refresh")
        credential.expires = clock() + Int(options.lifetime.components.seconds)
        return credential
    }

    func issued(_ credential: Credential) -> Bool { credential.issuer == "mock" }

    func refresh(_ credential: Credential) async throws(IngestError) -> Credential {
        if options.fault == .renewal { throw IngestError(.unauthorized, "The mock sign-in was told not to renew.") }
        return fresh()
    }
}
