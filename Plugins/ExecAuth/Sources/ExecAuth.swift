public import AuthKit
public import FilmgateCore
public import HTTPKit

/// `exec`: asks a program for the credential, as git and kubectl do.
public struct ExecAuth: Module, SessionProvider {
    public struct Options: ModuleConfig {
        var command: [String] = [], headerName = "Authorization", prefix = "Bearer ", timeout = Duration.seconds(30)
        var origins: [String] = [], plainHTTP = false

        public init() {}
        public static let schema: Schema<Self> = [
            .field("command", \.command, "The program by its whole path, and its arguments; no shell is involved.")
                .required(),
            .field("header", \.headerName, "The header that carries what it prints."),
            .field("prefix", \.prefix, "Text before it, with its space where one belongs there."),
            .field("timeout", \.timeout, in: .seconds(1)...(.seconds(300)), "How long it may take."),
            .field(
                "origins", \.origins, "The only origins that may receive it; absent = those of the targets that use it."
            ),
            .field(
                "plain_http", \.plainHTTP,
                "Also sends it over plain http to other machines, readable by anyone on the way."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            guard command.first?.hasPrefix("/") == true, command.allSatisfy({ !$0.contains("\0") }) else {
                throw ConfigError(
                    node["command"]?.mark ?? node.mark, "bad-option", "`command` begins with a program's whole path.")
            }
            guard HeaderText.isName(headerName), HeaderText.clean(prefix) == prefix else {
                throw ConfigError(
                    node["header"]?.mark ?? node.mark, "bad-header", "`\(headerName)` is not a header's name.")
            }
            try CredentialScope.check(origins, at: node)
        }
    }

    public static let manifest = Manifest("exec", "Signs with what a credential helper of yours prints.")

    public let session: AccountSession, scope: CredentialScope
    private let options: Options

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        self.init(config, context, clock: AccountSession.wallClock)
    }

    /// The same with another clock; for tests.
    init(_ config: Options, _ context: ModuleContext, clock: @escaping @Sendable () -> Int) {
        options = config
        let scope = CredentialScope(context.name, origins: config.origins, plainHTTP: config.plainHTTP)
        self.scope = scope
        session = AccountSession(
            name: context.name, vault: context.vault, grant: ExecGrant(options: config, clock: clock), clock: clock,
            places: { scope.origins })
    }

    /// The helper is told in any case: what it keeps is its own.
    public func signOut() async throws(IngestError) {
        try await session.signOut()
        try await ExecGrant(options: options, clock: AccountSession.wallClock).run("logout")
    }

    public var header: (name: String, prefix: String) { (options.headerName, options.prefix) }

    /// The helper signs in by itself; this only asks it now.
    public func signIn(_ prompter: any SignInPrompter, _ preference: SignInPreference) async throws(IngestError)
        -> Account
    {
        try await session.signIn(scope.origins, preference) { () async throws(IngestError) in
            try await ExecGrant(options: options, clock: AccountSession.wallClock).ask("login")
        }
    }
}
