public import AuthKit
public import FilmgateCore
public import HTTPKit

/// `clerk`: an API key, an OAuth application, or an e-mail code or password and a session whose tokens live a minute.
public struct ClerkAuth: Module, SessionProvider {
    public static let manifest = Manifest(
        "clerk", "Signs in at Clerk: API key, browser, e-mail code or password.", stability: .beta)

    public let session: AccountSession, scope: CredentialScope
    let options: ClerkOptions, oauth: OAuthClient?, frontend: ClerkFrontend
    private let key: ClerkKey?

    public init(_ config: ClerkOptions, _ context: ModuleContext) throws(IngestError) {
        var transport = TransportOptions()
        (transport.lanes, transport.stall, transport.answer) = (2, .seconds(30), .seconds(30))
        self.init(config, context, transport: CurlTransport(transport), base: config.base)
    }

    /// The same over another transport, clock and place; for tests.
    init(
        _ config: ClerkOptions, _ context: ModuleContext, transport: any HTTPTransport, base: String,
        clock: @escaping @Sendable () -> Int = AccountSession.wallClock
    ) {
        options = config
        frontend = ClerkFrontend(name: context.name, base: base, options: config, transport: transport, clock: clock)
        oauth = config.clientID.map { OAuthClient(issuer: base, id: $0, transport: transport, clock: clock) }
        let scope = CredentialScope(context.name, origins: config.origins, plainHTTP: config.plainHTTP)
        self.scope = scope
        let key = ClerkKey(key: config.apiKey, secrets: context.lookup.secrets, clock: clock)
        self.key = config.way == .apiKey ? key : nil
        let grant: any AccountGrant =
            switch config.way {
            case .apiKey: key
            case .oauth:
                ClerkOAuth(client: oauth ?? OAuthClient(issuer: base, id: "", transport: transport, clock: clock))
            case .email: frontend
            }
        session = AccountSession(
            name: context.name, vault: context.vault, grant: grant, clock: clock, places: { scope.origins })
    }

    /// Where the session is Filmgate's own; a browser's page does both by itself, and a key stands for itself.
    public var abilities: Set<SignInAbility> { options.way == .email ? [.registration, .identityToken] : [] }

    public func signIn(_ prompter: any SignInPrompter, _ preference: SignInPreference) async throws(IngestError)
        -> Account
    {
        guard preference.flow != .device else {
            throw IngestError(
                .misconfigured, "Clerk has no sign-in by device code.",
                advice: "Use --browser or --paste, or an API key.")
        }
        return try await session.signIn(scope.origins, preference) { () async throws(IngestError) in
            if let oauth {
                let form = [(name: "scope", value: options.scopes.joined(separator: " "))]
                return try await CodeGrant(oauth, form, ports: options.redirectPorts).run(
                    prompter, paste: preference.flow == .paste)
            }
            // Nobody has to: it is looked up where it is kept, and what keeps from that is said.
            if let key, let credential = try await key.obtain() { return credential }
            if preference.flow == .identityToken {
                return try await ClerkIdentity(frontend: frontend, prompter: prompter, registers: preference.registers)
                    .run()
            }
            if preference.registers { return try await ClerkSignUp(frontend: frontend, prompter: prompter).run() }
            return try await ClerkSignIn(frontend: frontend, prompter: prompter).run()
        }
    }
}
