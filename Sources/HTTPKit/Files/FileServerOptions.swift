public import FilmgateCore

/// Options of every target on a server of files, kept in one place.
public struct FileServerOptions: Sendable {
    public enum Proving: String, CaseIterable, ConfigValue { case none, reread }

    public var host = "", user = "", path: Template?, verify = Proving.none
    public var accept: [MediaKind]?, maxSize: ByteCount?, workers = 4, limitRate: ByteCount?
    public var connectTimeout = Duration.seconds(10), stallTimeout = Duration.seconds(60)

    public init() {}

    /// How the transport has to behave.
    public var transport: TransportOptions {
        var options = TransportOptions()
        (options.lanes, options.connect, options.stall, options.answer) = (
            workers, connectTimeout, stallTimeout, stallTimeout
        )
        options.bytesPerSecond = limitRate?.bytes
        return options
    }

    /// Finds what is wrong with them; for `ModuleConfig.validate`.
    public func check(at node: ConfigNode) throws(ConfigError) {
        guard let path, PlacedFiles.cut(path) != nil,
            !path.uses.isDisjoint(with: ["name", "stem", "shot", "counter", "sha256", "captured"])
        else {
            throw ConfigError(
                node["path"]?.mark ?? node.mark, "bad-option", "Every file would get the same name.",
                hint: "Put {name} into the path.")
        }
        let isPlain = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/@?#\\".utf8.contains($0) }
        guard isPlain else { throw ConfigError(node["host"]?.mark ?? node.mark, "bad-option", "`\(host)` is no host.") }
    }
}

/// Options that include those of `FileServerOptions`; their schema is `Schema([…own…] + FileServerOptions.fields())`.
public protocol FileServerConfig: ModuleConfig {
    var files: FileServerOptions { get set }
}

extension FileServerOptions {
    public static func fields<Config: FileServerConfig>(_: Config.Type = Config.self) -> [Field<Config>] {
        [
            .field("host", \.files.host, "The server's name or address.").required(),
            .field("user", \.files.user, "The account there.").required(),
            .field("path", \.files.path, "Where files go: absolute, or below the account's own folder.").required(),
            .field("verify", \.files.verify, "Download each file again and compare, or trust the server's word."),
            .field("accept", \.files.accept, "Kinds of file to send; absent = all."),
            .field("max_size", \.files.maxSize, "Larger files are filtered for this target."),
            .field("workers", \.files.workers, in: 1...16, "Uploads at once, each over its own connection."),
            .field("limit_rate", \.files.limitRate, "Bytes per second for all uploads together; absent = no limit."),
            .field(
                "connect_timeout", \.files.connectTimeout, in: .seconds(1)...(.seconds(300)),
                "How long connecting may take."),
            .field(
                "stall_timeout", \.files.stallTimeout, in: .seconds(1)...(.seconds(3600)),
                "How long an upload may stand still."),
        ]
    }
}

/// A target on a server of files: all that differs between them is how to sign in.
public protocol PlacedFilesTarget: UploadTarget {
    var files: PlacedFiles { get }
}

extension PlacedFilesTarget {
    public func check() async throws(IngestError) { try await files.check() }
    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        try await files.occupancy(of: path, for: job)
    }
    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? { try await files.find(job) }
    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { try await files.upload(job) }
    public func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) { await files.removeLeftovers() }
    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        try await files.verify(receipt, size: size, sha256: sha256)
    }
}

extension PlacedFiles {
    /// The files of a target called `name`, and what the engine must know of it; `transport` as the options say, or
    /// stricter.
    public static func target(
        _ kind: String, _ server: FileServer, _ options: FileServerOptions, _ transport: TransportOptions,
        _ context: ModuleContext
    ) throws(IngestError) -> (files: PlacedFiles, traits: TargetTraits) {
        guard let path = options.path, let cut = cut(path) else {
            throw IngestError(.misconfigured, "The target \(context.name) has no path with a variable in it.")
        }
        let identity = ([kind, "\(server.origin)/\(cut.base):\(options.user)"] + [context.event].compactMap { $0 })
            .joined(separator: ":")
        let files = PlacedFiles(
            FileTransport(server, transport), base: cut.base, rereads: options.verify == .reread,
            hidden: HiddenNames(state: context.state, key: identity))
        var traits = TargetTraits(
            identity: identity, layout: cut.layout, digests: [.xxh128], parallel: options.workers,
            accepts: options.accept.map { Set($0) }, maxSize: options.maxSize?.bytes)
        // Other stations' copies lie below it, too.
        traits.address = server.url(cut.base)
        return (files, traits)
    }
}
