import FileKit
public import FilmgateCore

/// `exec`: hands each file to a program of yours.
public struct ExecTarget: Module, UploadTarget {
    public struct Options: ModuleConfig {
        var command: [String] = [], identity = "", timeout = Duration.seconds(600), workers = 2
        var accept: [MediaKind]?, maxSize: ByteCount?

        public init() {}
        public static let schema: Schema<Self> = [
            .field("command", \.command, "The program by its absolute path, and its arguments; no shell is involved.")
                .required(),
            .field("identity", \.identity, "Names the place in the ledger; absent = the command itself."),
            .field(
                "timeout", \.timeout, in: .milliseconds(100)...(.seconds(86_400)), "How long it may take for one file."),
            .field("workers", \.workers, in: 1...32, "Programs at once."),
            .field("accept", \.accept, "Kinds of file that it takes; absent = all."),
            .field("max_size", \.maxSize, "Larger files are filtered for this target."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            guard command.first?.hasPrefix("/") == true else {
                throw ConfigError(
                    node["command"]?.mark ?? node.mark, "bad-option", "The program is named by its absolute path.",
                    hint: "Write [/usr/local/bin/deliver, …].")
            }
        }
    }

    public static let manifest = Manifest(
        "exec", "Hands each file to a program of yours.", stability: .beta, needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    private let options: Options, pool: BlockingPool

    public init(_ config: Options, _ context: ModuleContext) throws(IngestError) {
        options = config
        pool = BlockingPool(width: config.workers)
        let place = config.identity.isEmpty ? config.command.joined(separator: " ") : config.identity
        var traits = TargetTraits(
            identity: (["exec", place] + [context.event].compactMap { $0 }).joined(separator: ":"),
            parallel: config.workers,
            idempotent: false, accepts: config.accept.map { Set($0) }, maxSize: config.maxSize?.bytes)
        traits.warnings.append(
            "A program that is ended before it answered is started again for the same file: it must know by "
                + "FILMGATE_SHA256 what it has stored, or stores it twice.")
        self.traits = traits
    }

    /// The program is there and may be run; it is not started.
    public func check() async throws(IngestError) {
        let program = options.command.first ?? ""
        guard let facts = try FileFacts.of(program), facts.kind != .directory, Program.isExecutable(program) else {
            throw IngestError(.misconfigured, "\(program) is not a program that can be run.")
        }
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        try await pool.stoppable { [options] stop throws(IngestError) in try Self.deliver(job, options, stop) }
    }

    private static func deliver(_ job: UploadJob, _ options: Options, _ stop: StopFlag) throws(IngestError) -> Receipt {
        // The program reads the file by itself: what it is given is looked at before.
        let found = try FileCopy.hash(path: job.file.path)
        guard found.size == job.file.size, found.digests.sha256 == job.digests.sha256 else {
            throw IngestError(
                .corruptData, "\(job.file.path) no longer holds the bytes that were read before; it was not handed on.")
        }
        let program = Program(words: options.command, environment: environment(job), timeout: options.timeout)
        let ending = try program.run(stop)
        guard ending.status == 0 else { throw ExitSense.error(ending, program: options.command[0]) }
        return try receipt(job, ending.output, of: options.command[0])
    }

    /// What the program is told; the file's path last, as an argument would be cut apart by nobody either.
    private static func environment(_ job: UploadJob) -> [String: String] {
        [
            "FILMGATE_FILE": job.file.path, "FILMGATE_NAME": job.name, "FILMGATE_PATH": job.path,
            "FILMGATE_SHA256": job.digests.sha256, "FILMGATE_SIZE": String(job.file.size),
            "FILMGATE_KIND": job.asset.kind.rawValue, "FILMGATE_EVENT": job.event ?? "",
        ]
    }

    /// The program's last line says what the file is called there: `id=…`, `url=…` or `sha256=…`, or else it is the id
    /// itself.
    ///
    /// `corruptData` when it says that it stored other bytes.
    private static func receipt(_ job: UploadJob, _ output: String, of program: String) throws(IngestError) -> Receipt {
        let line = output.split(separator: "\n").last.map(String.init) ?? ""
        var facts: [String: String] = [:]
        for word in line.split(separator: " ") {
            let pair = word.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { facts[String(pair[0])] = String(pair[1]) }
        }
        let id = facts["id"] ?? (facts.isEmpty && !line.isEmpty ? String(line.prefix(200)) : nil)
        let said = facts["sha256"]?.lowercased(), isProven = said == job.digests.sha256
        if let said, !isProven, said.utf8.count == 64, said.allSatisfy(\.isHexDigit) {
            throw IngestError(
                .corruptData, "\(program) stored other bytes than it was given: their SHA-256 is \(said).")
        }
        return Receipt(
            state: .done, url: facts["url"], id: id ?? job.digests.sha256, sha256: job.digests.sha256,
            verified: isProven ? .server : .none, at: WallClock.nanoseconds, existed: facts["existed"] == "true")
    }
}
