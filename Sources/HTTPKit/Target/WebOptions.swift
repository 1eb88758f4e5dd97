public import FilmgateCore

/// Options of every target that speaks HTTP, kept in one place: sign-in, what is taken, and manners on the network.
public struct WebOptions: Sendable {
    public var auth: AuthReference?, account: String?
    public var accept: [MediaKind]?, maxSize: ByteCount?
    public var workers = 4, limitRate: ByteCount?, caFile: String?
    public var connectTimeout = Duration.seconds(10), stallTimeout = Duration.seconds(60)
    public var answerTimeout = Duration.seconds(120)

    public init() {}

    /// How the transport has to behave; `agent` as it introduces itself.
    public var transport: TransportOptions {
        var options = TransportOptions()
        (options.lanes, options.connect, options.stall, options.answer) = (
            workers, connectTimeout, stallTimeout, answerTimeout
        )
        (options.authorities, options.bytesPerSecond) = (caFile, limitRate?.bytes)
        return options
    }

    /// The sign-in that the options name, bound to these addresses; nil when they name none.
    public func provider(_ context: ModuleContext, for addresses: [String]) throws(IngestError) -> (any AuthProvider)? {
        guard let name = auth?.name else { return nil }
        guard let found = context.lookup.auth[name] else {
            throw IngestError(.misconfigured, "There is no sign-in `\(name)`.")
        }
        for address in addresses where !address.isEmpty { try found.bind(to: address) }
        return found
    }

    /// What the engine must know; `place` names the account's root, without secrets.
    ///
    /// The identity is kind, place, account and event, whatever the target is called in the file.
    ///
    /// `idempotent`: whoever sends the same bytes again makes no second asset, also another station.
    public func traits(
        _ kind: String, place: String, provider: (any AuthProvider)?, _ context: ModuleContext, layout: Template? = nil,
        digests: Set<DigestAlgorithm> = [], idempotent: Bool
    ) -> TargetTraits {
        let signIn = TargetTraits.SignIn(auth, account: account, provider, place: "\(kind):\(place)", context)
        var traits = TargetTraits(
            identity: signIn.identity,
            layout: layout,
            // What is sent is compared with what was read, by the digest that costs least.
            digests: digests.subtracting([.sha256]).union([.xxh128]), parallel: workers, idempotent: idempotent,
            accepts: accept.map { Set($0) },
            maxSize: maxSize?.bytes)
        traits.address = place.contains("://") ? place : nil
        (traits.signIn, traits.event) = (account == nil ? signIn : nil, signIn.event)
        return traits
    }
}

/// Options that include those of `WebOptions`; their schema is `Schema([…own…] + WebOptions.fields())`.
public protocol WebConfig: ModuleConfig {
    var web: WebOptions { get set }
}

extension WebOptions {
    public static let accountHelp =
        "Whose sign-in that is, \"\" as without one: another account has copies of its own. Absent = what the sign-in says "
        + "of itself, or its entry's name."

    public static func fields<Config: WebConfig>(_: Config.Type = Config.self) -> [Field<Config>] {
        [
            .field("auth", \.web.auth, "The entry under `auth:` that signs the requests."),
            .field("account", \.web.account, Self.accountHelp),
            .field("accept", \.web.accept, "Kinds of file to send; absent = all that the server takes."),
            .field("max_size", \.web.maxSize, "Larger files are filtered for this target."),
            .field("workers", \.web.workers, in: 1...32, "Uploads at once, each over its own connection."),
            .field("limit_rate", \.web.limitRate, "Bytes per second for all uploads together; absent = no limit."),
            .field("ca_file", \.web.caFile, "PEM file of the authorities to trust instead of the system's."),
            .field(
                "connect_timeout", \.web.connectTimeout, in: .seconds(1)...(.seconds(300)),
                "How long connecting may take."),
            .field(
                "stall_timeout", \.web.stallTimeout, in: .seconds(1)...(.seconds(3600)),
                "How long an upload may stand still."),
            .field(
                "answer_timeout", \.web.answerTimeout, in: .seconds(1)...(.seconds(3600)),
                "How long the server may think after the last byte."),
        ]
    }
}
