public import AuthKit
public import FilmgateCore
public import HTTPKit

/// `oidc`: OAuth 2.0 and OpenID Connect: device code, browser with PKCE, pasted address, client credentials.
public struct OIDCAuth: Module, SessionProvider {
    public static let manifest = Manifest(
        "oidc", "Signs in at an OAuth or OpenID provider, and renews by itself.", stability: .beta)

    public let session: AccountSession, scope: CredentialScope
    let options: OIDCOptions, client: OAuthClient
    private let sleep: @Sendable (Double) async throws -> Void

    public init(_ config: OIDCOptions, _ context: ModuleContext) throws(IngestError) {
        var transport = TransportOptions()
        (transport.lanes, transport.stall, transport.answer) = (2, .seconds(30), .seconds(30))
        transport.authorities = config.caFile
        self.init(config, context, transport: CurlTransport(transport))
    }

    /// The same over another transport, clock and way to wait; for tests.
    init(
        _ config: OIDCOptions, _ context: ModuleContext, transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Int = AccountSession.wallClock,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        (options, self.sleep) = (config, sleep)
        client = OAuthClient(
            issuer: config.provider, id: config.clientID, secret: config.clientSecret, secrets: context.lookup.secrets,
            transport: transport, clock: clock)
        let scope = CredentialScope(context.name, origins: config.origins, plainHTTP: config.plainHTTP)
        self.scope = scope
        session = AccountSession(
            name: context.name, vault: context.vault, grant: OIDCGrant(client: client, options: config), clock: clock,
            places: { scope.origins })
    }

    public func bearer(_ credential: Credential) throws(IngestError) -> SecretValue {
        guard options.token == .id else { return credential.access }
        guard let identity = credential.identity else {
            throw IngestError(
                .unauthorized, "\(client.issuer) gave no ID token.",
                advice: "Add `openid` to `scopes`, or set `bearer: access`.")
        }
        return identity
    }

    /// A machine's sign-in has nobody's identity.
    public var abilities: Set<SignInAbility> { options.flow == .clientCredentials ? [] : [.identityToken] }

    public func signIn(_ prompter: any SignInPrompter, _ preference: SignInPreference) async throws(IngestError)
        -> Account
    {
        try await session.signIn(scope.origins, preference) { () async throws(IngestError) in
            if preference.flow == .identityToken { return try await exchanged(prompter) }
            let flow = try await flow(preference)
            switch flow {
            case .device: return try await DeviceGrant(client, options.form, sleep: sleep).run(prompter)
            case .browser, .paste:
                let grant = CodeGrant(client, options.form + options.authorization, ports: options.redirectPorts)
                return try await grant.run(prompter, paste: flow == .paste)
            case .clientCredentials:
                guard let credential = try await OIDCGrant(client: client, options: options).obtain() else {
                    throw IngestError(.unauthorized, "\(client.issuer) gave no token.")
                }
                return credential
            }
        }
    }

    private func exchanged(_ prompter: any SignInPrompter) async throws(IngestError) -> Credential {
        let (text, token) = try await IDToken.handedIn(prompter, now: client.clock())
        return try await TokenExchange(client, try options.exchangeForm(token)).run(text)
    }

    /// What the person says, else the file, else what the provider offers.
    private func flow(_ preference: SignInPreference) async throws(IngestError) -> OIDCOptions.Flow {
        if options.flow == .clientCredentials { return .clientCredentials }
        switch preference.flow {
        case .device: return .device
        case .browser: return .browser
        case .paste: return .paste
        case .identityToken, nil: break
        }
        if let flow = options.flow { return flow }
        return try await client.discovery.metadata().device == nil ? .browser : .device
    }
}
