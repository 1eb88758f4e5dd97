public import FilmgateCore
public import HTTPKit

/// The options of `rclone`.
public struct RcloneOptions: WebConfig {
    var url = AddressTemplate("http://127.0.0.1:5572/") ?? AddressTemplate(), remote = ""
    var path = Template("{event}/{name}")
    var poll = Duration.milliseconds(200)
    public var web = WebOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("url", \.url, "Where `rclone rcd` answers; on this machine, since it reads the files itself."),
            .field("remote", \.remote, "The remote as rclone knows it, with a folder where wanted: `dropbox:Photos`.")
                .required(),
            .field("path", \.path, "The file's path there, as a template."),
            .field(
                "poll", \.poll, in: .milliseconds(10)...(.seconds(30)),
                "The longest pause between two questions how far a copy is."),
        ] + WebOptions.fields())

    public func validate(at node: ConfigNode) throws(ConfigError) {
        guard let address = WebAddress(url.base), address.isLoopback, url.layout == nil, url.query == nil else {
            throw ConfigError(
                node["url"]?.mark ?? node.mark, "bad-option",
                "rclone must run on this machine: it reads the files itself.", hint: "Write http://127.0.0.1:5572/.")
        }
        guard remote.contains(":") else {
            throw ConfigError(
                node["remote"]?.mark ?? node.mark, "bad-option", "`\(remote)` is no remote.",
                hint: "Write `name:folder`.")
        }
        guard let path, !path.uses.isDisjoint(with: ["name", "stem", "shot", "counter", "sha256", "captured"]) else {
            throw ConfigError(
                node["path"]?.mark ?? node.mark, "bad-option", "Every file would get the same name.",
                hint: "Use {name}.")
        }
    }
}

/// `rclone`: delivers to any of rclone's remotes, through one daemon that stays.
public struct RcloneTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "rclone", "Delivers to any of rclone's remotes through a running `rclone rcd`.", stability: .beta,
        needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: RcloneOptions, daemon: RcloneDaemon, listing: NameListing
    /// Names that we began to copy to when nothing was there: what the remote tells no digest of is ours by that.
    let begun: BegunUploads

    public init(_ config: RcloneOptions, _ context: ModuleContext) throws(IngestError) {
        let provider = try config.web.provider(context, for: [config.url.base])
        // rclone sends, not we: each of the copies at once gets its share of the limit.
        var transport = config.web.transport
        let share = transport.bytesPerSecond.map { $0 / UInt64(max(1, config.web.workers)) }
        transport.bytesPerSecond = nil
        let daemon = RcloneDaemon(
            base: config.url.base, remote: config.remote, client: HTTPClient(CurlTransport(transport), auth: provider),
            rate: share, interval: config.poll)
        (options, self.daemon) = (config, daemon)
        listing = NameListing { folder async throws(IngestError) in try await daemon.names(in: folder) }
        traits = config.web.traits(
            "rclone", place: config.remote, provider: nil, context, layout: config.path, digests: [.sha1, .md5],
            idempotent: true)
        begun = BegunUploads(state: context.state, name: "rclone", key: traits.identity)
    }

    public func check() async throws(IngestError) {
        _ = try await daemon.ask("rc/noopauth", [:])
        _ = try await daemon.names(in: "")
    }

    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        if try await listing.isFree(path) { return .free }
        guard let there = try await daemon.stat(path) else { return .free }
        return there.holds(job) == true ? .same(receipt(job, at: path, proof: .server, existed: true)) : .other
    }

    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard try await !listing.isFree(job.path), try await daemon.stat(job.path)?.holds(job) == true else {
            return nil
        }
        return receipt(job, at: job.path, proof: .server, existed: true)
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        let receipt = try await deliver(job)
        begun.end(job.digests.sha256, Percent.encode(job.path))
        return receipt
    }

    private func deliver(_ job: UploadJob) async throws(IngestError) -> Receipt {
        // JSON has only Unicode: the scalars that stand for other bytes here would name another file there.
        guard ![job.file.path, job.path].contains(where: { $0.unicodeScalars.contains { $0.value >= 0x10FF80 } }) else {
            throw IngestError(
                .rejected, "The name of this file is not UTF-8, and rclone cannot be told any other.",
                advice: "Give such files another name with `rename`.")
        }
        let wasBegun = try begun.place(of: job.digests.sha256) == Percent.encode(job.path)
        let group = daemon.group(of: job.digests.sha256, at: job.path)
        var earlier: Int64 = 0
        if wasBegun { earlier = try await daemon.earlierCopies(in: group) }
        // rclone replaces what is there: so it is looked at before.
        if try await !listing.claim(job.path), let there = try await daemon.stat(job.path) {
            return try settled(job, there, wasBegun: wasBegun)
        }
        // It reads the file by itself: what it is given is looked at right before.
        _ = try await PartDigests.slice(job, offset: 0, length: job.file.size)
        try await begun.note(job.digests.sha256, Percent.encode(job.path))
        let wasSent = try await daemon.copy(job.file.path, to: job.path, in: group, earlier: earlier)
        guard let there = try await daemon.stat(job.path) else {
            throw IngestError(.unavailable, "\(options.remote)/\(job.path) is not there although rclone copied it.")
        }
        // What came there in between stays, and rclone passed ours over: nothing was begun there.
        guard wasSent else {
            try await begun.note(job.digests.sha256, wasBegun ? Percent.encode(job.path) : "/")
            return try settled(job, there, wasBegun: wasBegun)
        }
        guard there.holds(job) != false else {
            throw IngestError(.corruptData, "\(options.remote)/\(job.path) holds other bytes than were sent.")
        }
        return receipt(job, at: job.path, proof: proof(there, job))
    }

    /// Something has the name: the receipt where it is this file, else `nameTaken`.
    private func settled(_ job: UploadJob, _ there: RemoteFile, wasBegun: Bool) throws(IngestError) -> Receipt {
        // Many cameras' RAW files are all of one size: without a digest that says nothing of whose these are.
        let isOurs = there.holds(job) ?? wasBegun
        guard isOurs else {
            throw IngestError(.nameTaken, "\(options.remote)/\(job.path) exists already, with other bytes.")
        }
        return receipt(job, at: job.path, proof: proof(there, job), existed: true)
    }

    /// How much is proven of a file that does not have other bytes.
    private func proof(_ there: RemoteFile, _ job: UploadJob) -> Receipt.Proof {
        there.holds(job) == true ? .server : there.size == nil ? .none : .size
    }

    /// By the size and the SHA-256 that the remote knows; receipts keep no other digest.
    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        guard let place = receipt.id, place.hasPrefix(root), place != root else { return .cannotTell }
        // A remote that knows only others is not made to read the file for nothing.
        let algorithm = try await daemon.bestDigest() == .sha256 ? DigestAlgorithm.sha256 : nil
        guard let there = try await daemon.stat(String(place.dropFirst(root.count)), algorithm) else { return .missing }
        if let theirs = there.size, theirs != size { return .differs("It has \(theirs) bytes instead of \(size).") }
        guard let theirs = there.hashes[.sha256]?.lowercased() else { return .cannotTell }
        return theirs == sha256 ? .equal : .differs("Its SHA-256 is \(HeaderText.clean(String(theirs.prefix(200)))).")
    }

    /// What stands before each path in a receipt's id.
    private var root: String {
        options.remote + (options.remote.hasSuffix(":") || options.remote.hasSuffix("/") ? "" : "/")
    }

    private func receipt(_ job: UploadJob, at path: String, proof: Receipt.Proof, existed: Bool = false) -> Receipt {
        Receipt(
            state: .done, id: root + path, sha256: job.digests.sha256, verified: proof, at: WallClock.nanoseconds,
            existed: existed)
    }
}
