public import AuthKit
public import FilmgateCore
public import HTTPKit

/// `framefast`: signs in at FrameFast (SabaiPics): an account through the browser, or one event by its user name and
/// PIN.
public struct FrameFastAuth: Module, SessionProvider {
    public struct Options: ModuleConfig {
        var api = "https://api.framefast.io", loginURL = "https://app.framefast.io/auth/desktop"
        var username: String?, password = Secret(), device = "filmgate"
        var redirectPorts: [Int] = [], origins: [String] = [], caFile: String?

        public init() {}
        public static let schema: Schema<Self> = [
            .field("api", \.api, "Address of the API."),
            .field("login_url", \.loginURL, "The page where a person signs in."),
            .field("username", \.username, "An event's user name; with it no account is needed."),
            .field("password", \.password, "The event's PIN, as a reference to where it is kept."),
            .field("device", \.device, "What the service calls this machine."),
            .field(
                "redirect_ports", \.redirectPorts, "Ports that the browser may come back to; absent = any free one."),
            .field(
                "origins", \.origins,
                "The only origins that may receive the token; absent = those of the targets that use it."),
            .field("ca_file", \.caFile, "PEM file of the authorities to trust instead of the system's."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            for (key, text) in [("api", api), ("login_url", loginURL)] {
                guard let address = WebAddress(text), address.isEncrypted || address.isLoopback, address.query == nil
                else {
                    throw ConfigError(node[key]?.mark ?? node.mark, "bad-option", "`\(text)` is not an https address.")
                }
            }
            guard (username == nil) == (password.reference == .none) else {
                throw ConfigError(node.mark, "missing-key", "`username` and `password` belong together.")
            }
            guard device.utf8.count <= 200 else {
                throw ConfigError(node["device"]?.mark ?? node.mark, "bad-option", "`device` is too long.")
            }
            try CredentialScope.check(origins, at: node)
        }
    }

    public static let manifest = Manifest(
        "framefast", "Signs in at FrameFast: an account, or one event by its PIN.", stability: .beta)

    public let session: AccountSession, scope: CredentialScope
    let options: Options, grant: FrameFastGrant

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        var transport = TransportOptions()
        (transport.lanes, transport.stall, transport.answer) = (2, .seconds(30), .seconds(30))
        transport.authorities = config.caFile
        self.init(config, context, transport: CurlTransport(transport))
    }

    /// The same over another transport and clock; for tests.
    init(
        _ config: Options, _ context: ModuleContext, transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Int = AccountSession.wallClock
    ) {
        let base = WebAddress(config.api).map { $0.origin + ($0.path == "/" ? "" : $0.path) } ?? config.api
        grant = FrameFastGrant(
            api: JSONPost(base, transport), options: config, secrets: context.lookup.secrets, clock: clock)
        options = config
        let scope = CredentialScope(context.name, origins: config.origins, plainHTTP: false)
        self.scope = scope
        session = AccountSession(
            name: context.name, vault: context.vault, grant: grant, clock: clock, places: { scope.origins })
    }

    /// An event's user name says whose uploads they are.
    public var account: String? { options.username }

    public func signIn(_ prompter: any SignInPrompter, _ preference: SignInPreference) async throws(IngestError)
        -> Account
    {
        try await session.signIn(scope.origins, preference) { () async throws(IngestError) in
            if let credential = try await grant.obtain(again: true) { return credential }
            guard preference.flow != .device else {
                throw IngestError(
                    .misconfigured, "FrameFast has no sign-in by device code.", advice: "Use --browser or --paste.")
            }
            let listener = try LoopbackListener(ports: options.redirectPorts), state = PKCE.random()
            let back = Percent.encode("\(listener.redirect)?state=\(state)")
            await prompter.invite(
                SignInPrompt(
                    url: "\(options.loginURL)?redirect_url=\(back)&flow=code", opens: preference.flow != .paste))
            let answer = try await Callback.answer(listener, prompter, state: state, paste: preference.flow == .paste)
            return try await grant.redeem(answer.code(state: state, issuer: nil))
        }
    }
}

extension FrameFastAuth: CreditHolder {
    /// An event's token says what was left when it was given; an account's targets ask the service.
    public func credits() async throws(IngestError) -> CreditBalance? {
        guard options.username != nil else { return nil }
        let credential = try await session.credential()
        let left = credential.extra[FrameFastGrant.credits].flatMap { Int($0.reveal()) }
        return left.map { CreditBalance(balance: $0, heard: credential.obtained) }
    }
}
