public import FilmgateCore
public import HTTPKit

/// The options of `immich`.
public struct ImmichOptions: WebConfig {
    var url = AddressTemplate(), album: Template?, stack = true
    public var web = WebOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("url", \.url, "The server's address, such as https://photos.example.").required(),
            .field(
                "album", \.album, "Puts every file into this album, as a template: `{event}`; created where missing."),
            .field("stack", \.stack, "Joins RAW and JPEG of one frame into a stack."),
        ] + WebOptions.fields())

    public func validate(at node: ConfigNode) throws(ConfigError) {
        if !url.uses.isEmpty || url.query != nil {
            throw ConfigError(node["url"]?.mark ?? node.mark, "bad-option", "The server's address has no variables.")
        }
    }
}

/// `immich`: uploads to an Immich server, releases 1.106 to 3.
public struct ImmichTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "immich", "Uploads to an Immich server, asking it by SHA-1 what it has; albums, and stacks of RAW and JPEG.",
        stability: .beta, needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: ImmichOptions, api: ImmichAPI
    let groups: ImmichGroups

    public init(_ config: ImmichOptions, _ context: ModuleContext) throws(IngestError) {
        let provider = try config.web.provider(context, for: [config.url.base])
        options = config
        api = ImmichAPI(base: config.url.base, client: HTTPClient(CurlTransport(config.web.transport), auth: provider))
        groups = ImmichGroups(api)
        var traits = config.web.traits(
            "immich", place: api.root, provider: provider, context, digests: [.sha1], idempotent: true)
        traits.answersByDigest = true
        // What the server knows; sidecars and sound it refuses.
        traits.accepts = traits.accepts ?? [.jpeg, .raw, .heif, .image, .video]
        self.traits = traits
    }

    /// Reachable, and the key is good.
    public func check() async throws(IngestError) {
        _ = try await api.ask("GET", "users/me")
        _ = try await api.ask("GET", "server/version")
    }

    /// Asks by SHA-1, as the server itself recognises files; what is not in its album is not there yet.
    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard let sha1 = job.digests[.sha1], case .known(let id) = try await api.standing(sha1) else { return nil }
        if let album = options.album, try await !groups.holds(id, sha1, in: album.rendered(with: job.values) { $0 }) {
            return nil
        }
        return receipt(job, id, existed: true)
    }

    /// In its albums or not; what lies in its bin is as good as gone.
    public func knows(_ job: UploadJob) async throws(IngestError) -> Bool? {
        guard let sha1 = job.digests[.sha1] else { return nil }
        if case .known = try await api.standing(sha1) { return true }
        return false
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        let (id, existed) = try await stored(job)
        if let album = options.album { try await groups.add(id, toAlbum: album.rendered(with: job.values) { $0 }) }
        if options.stack, job.asset.kind == .jpeg || job.asset.kind == .raw || job.asset.kind == .heif {
            try await groups.add(id, toStackOf: job)
        }
        return receipt(job, id, existed: existed)
    }

    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        guard let id = receipt.id, api.isID(id) else { return .cannotTell }
        // What lies there can be downloaded like anything else, until the bin is emptied.
        if try await api.isBinned(id) {
            return .discarded("It lies in the server's bin, which is emptied after a while.")
        }
        return try await api.client.compare("\(api.root)api/assets/\(id)/original", size: size, sha256: sha256)
            .verification
    }

    /// The server's id of the file, which is sent unless the server has it.
    private func stored(_ job: UploadJob) async throws(IngestError) -> (id: String, existed: Bool) {
        if let sha1 = job.digests[.sha1], let id = await groups.takeOutside(sha1) { return (id, true) }
        var (id, existed) = try await send(job, asOldClient: true)
        if id.isEmpty { (id, existed) = try await send(job, asOldClient: false) }
        guard existed else { return (id, false) }
        // It also calls a duplicate what lies in its bin, from where it will be removed.
        switch try await api.standing(job.digests[.sha1] ?? "") {
        case .known(let id): return (id, true)
        case .binned:
            throw IngestError(
                .rejected, "\(job.name) lies in the server's bin; it was not taken out.",
                advice: "Restore it there, or empty the bin; then run `filmgate retry --failed`.")
        case .none:
            throw IngestError(
                .rejected,
                "The server calls \(job.name) a duplicate, but when it is asked it does not know these bytes.")
        }
    }

    /// The id that the server gave; empty when it does not understand the fields of older releases.
    private func send(_ job: UploadJob, asOldClient: Bool) async throws(IngestError) -> (id: String, existed: Bool) {
        var form = Multipart()
        let sha1 = job.digests[.sha1] ?? job.digests.sha256
        // Required up to release 2, unknown from 3 on. No `duration`: its form changed between releases, and stills
        // need none.
        if asOldClient {
            form.add("deviceAssetId", "\(job.name)-\(sha1.prefix(16))")
            form.add("deviceId", "filmgate")
        }
        let time = ISOTime.text(nanoseconds: job.asset.origin.modified)
        form.add("fileCreatedAt", time)
        form.add("fileModifiedAt", time)
        form.add("filename", job.deliveredName)
        form.add("isFavorite", "false")
        // Fields before the file: the server reads the form in order.
        form.add("assetData", file: job.slice, fileName: job.deliveredName, type: MediaType.of(fileName: job.name))
        let request = HTTPRequest(
            "POST", api.root + "api/assets", headers: [("x-immich-checksum", sha1), ("Accept", "application/json")])
        var exchange = HTTPExchange(request, body: form.body)
        // What it knows by the checksum in the head it need not read.
        exchange.mayEndEarly = true
        let response = try await api.client.deliver(exchange)
        let words = String(decoding: response.body.prefix(4096), as: UTF8.self)
        if response.status == 400, asOldClient, words.contains("device") { return ("", false) }
        guard response.status == 200 || response.status == 201, let id = response.json?["id"]?.text, api.isID(id) else {
            throw ImmichAPI.error(for: response)
        }
        let existed = response.json?["status"]?.text == "duplicate"
        guard existed || !response.isEarly else {
            throw IngestError(.network, "The server said that it had \(job.name) before all of it was sent.")
        }
        return (id, existed)
    }

    private func receipt(_ job: UploadJob, _ id: String, existed: Bool) -> Receipt {
        // The server recognises files by the SHA-1 of what it stored: what it calls a duplicate it holds, and it names
        // no digest of that.
        Receipt(
            state: .done, url: "\(api.root)photos/\(id)", id: id, sha256: job.digests.sha256,
            verified: existed ? .found : .none, at: WallClock.nanoseconds, existed: existed)
    }
}
