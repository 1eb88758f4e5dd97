public import FilmgateCore
public import HTTPKit

/// The options of `tus`.
public struct TusOptions: WebConfig {
    var url = AddressTemplate(), metadata: [String: Template] = [:], chunk: ByteCount?
    public var web = WebOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("url", \.url, "Where uploads are created.").required(),
            .field("metadata", \.metadata, "Further entries of Upload-Metadata, as templates."),
            .field(
                "chunk", \.chunk, "At most so many bytes per request, for proxies with a limit; absent = all at once."),
        ] + WebOptions.fields())
}

/// `tus`: resumable uploads by the tus protocol 1.0.
public struct TusTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "tus", "Sends each file by the tus protocol and goes on where a broken upload stopped.", stability: .beta,
        needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: TusOptions, client: HTTPClient
    let begun: BegunUploads

    public init(_ config: TusOptions, _ context: ModuleContext) throws(IngestError) {
        let provider = try config.web.provider(context, for: [config.url.base])
        (options, client) = (config, HTTPClient(CurlTransport(config.web.transport), auth: provider))
        let place = WebAddress(config.url.base)?.text ?? config.url.base
        // A begun upload is known by a file of this state directory: another station would make a second one.
        var traits = config.web.traits("tus", place: place, provider: provider, context, idempotent: false)
        traits.warnings.append(
            "What was sent is remembered in the state directory of this station alone: the server cannot be asked "
                + "for it by its digest, and without that memory a file is stored twice.")
        self.traits = traits
        begun = BegunUploads(state: context.state, name: "tus", key: traits.identity)
    }

    public func check() async throws(IngestError) {
        let response = try await client.send(
            HTTPExchange(HTTPRequest("OPTIONS", options.url.address(TemplateValues()))))
        guard (200..<300).contains(response.status) || response.status == 405 else {
            throw HTTPStatus.error(for: response)
        }
        if let versions = response[header: "Tus-Version"], !versions.contains("1.0.0") {
            throw IngestError(.misconfigured, "The server speaks tus \(HeaderText.clean(versions)), not 1.0.0.")
        }
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        var place = try begun.place(of: job.digests.sha256), done: UInt64?
        if let known = place, known != Self.forgotten { done = try await offset(at: known, of: job) }
        if done == nil {
            let created = try await create(job)
            try await begun.note(job.digests.sha256, created, mayBeWhole: isLast(job.file.size, from: 0, of: job))
            (place, done) = (created, 0)
        }
        guard let place, var sent = done, sent <= job.file.size else {
            // Said once: who has looked tries again, and then it is begun anew.
            try await begun.note(job.digests.sha256, Self.forgotten)
            throw IngestError(
                .rejected, "The server holds more bytes of this upload than the file has: the file may have arrived.",
                advice: "See whether it is there; if it is not, `filmgate retry --failed` sends it again.")
        }
        let existed = sent == job.file.size && job.file.size > 0
        while sent < job.file.size { sent = try await send(job, to: place, from: sent) }
        begun.end(job.digests.sha256, place)
        return receipt(job, place, existed: existed)
    }

    /// The same bytes may be wanted again, after the server has let go of these.
    public func finishRun(_ delivered: [DeliveredFile]) async throws(IngestError) { await begun.finish() }

    /// In place of an address that is not asked any more.
    private static let forgotten = "-"

    private func request(
        _ method: String, _ url: String, _ headers: [(name: String, value: String)] = []
    ) -> HTTPRequest {
        HTTPRequest(method, url, headers: [("Tus-Resumable", "1.0.0")] + headers)
    }

    /// What the server is told of the file, by name; in Base64, as it travels.
    private func notes(of job: UploadJob) -> [String: String] {
        var notes = [
            "filename": job.deliveredName, "filetype": MediaType.of(fileName: job.name), "sha256": job.digests.sha256,
        ]
        for (name, template) in options.metadata { notes[name] = template.rendered(with: job.values) { $0 } }
        return notes.mapValues { Base64.text(of: Array($0.utf8)) }
    }

    private func create(_ job: UploadJob) async throws(IngestError) -> String {
        let text = notes(of: job).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ",")
        let headers = [("Upload-Length", String(job.file.size)), ("Upload-Metadata", text)].map {
            (name: $0.0, value: $0.1)
        }
        let address = options.url.address(job.values)
        let response = try await client.deliver(HTTPExchange(request("POST", address, headers), body: .bytes([])))
        guard response.status == 201 else { throw HTTPStatus.error(for: response) }
        // Where a credential goes is decided by the file, not by the answer: another origin is refused.
        guard let place = response[header: "Location"].flatMap({ WebAddress($0, relativeTo: response.url) }),
            place.origin == WebAddress(address)?.origin
        else { throw IngestError(.untrusted, "The server sends uploads to another origin; nothing was sent there.") }
        return place.text
    }

    /// Bytes that the server has of a file's upload; nil when it knows it no longer, or means another by that address.
    private func offset(at place: String, of job: UploadJob) async throws(IngestError) -> UInt64? {
        let response = try await client.look(HTTPExchange(request("HEAD", place)))
        if [403, 404, 410].contains(response.status) {
            // By the protocol 403 may mean either: that it is gone, or that nobody is let in.
            if response.status == 403 { try await check() }
            guard begun.mayBeWhole(job.digests.sha256) else { return nil }
            throw try await doubt(
                job, place,
                "no longer knows the upload of \(job.name), and its answer to the last bytes was lost: the file may have arrived."
            )
        }
        guard (200..<300).contains(response.status),
            let offset = response[header: "Upload-Offset"].flatMap({ UInt64($0) })
        else {
            throw Self.error(for: response)
        }
        if let whole = response[header: "Upload-Length"].flatMap({ UInt64($0) }), whole != job.file.size { return nil }
        if let isOurs = Self.areSame(response[header: "Upload-Metadata"] ?? "", notes(of: job)) {
            return isOurs ? offset : nil
        }
        // Another upload may have the same length, and nothing says which file this one is of: only where all of ours
        // may have arrived is it not begun anew unasked.
        guard offset >= job.file.size, begun.mayBeWhole(job.digests.sha256) else { return nil }
        throw try await doubt(
            job, place,
            "has all of an upload and does not say of which file (no Upload-Metadata): it may be \(job.name).")
    }

    /// Said once: who has looked tries again, and then it is begun anew.
    private func doubt(_ job: UploadJob, _ place: String, _ why: String) async throws(IngestError) -> IngestError {
        try await begun.note(job.digests.sha256, place)
        return IngestError(
            .rejected, "\(WebAddress(place)?.origin ?? "The server") \(why)",
            advice: "See whether it is there; if it is not, `filmgate retry --failed` sends it again.")
    }

    /// Whether a server's notes of an upload are those of this file: an address may belong to another upload by now, of
    /// the same length.
    ///
    /// Nil where they say nothing of that. The protocol wants all notes back (tus 1.0, Upload-Metadata), and some
    /// servers keep only some: the digest decides, and where it is not among them the name must be, and nothing of what
    /// is given may be another.
    static func areSame(_ metadata: String, _ notes: [String: String]) -> Bool? {
        let pairs = metadata.split(separator: ",").map { $0.split(separator: " ").map(String.init) }
        let given = Dictionary(pairs.filter { !$0.isEmpty }.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { first, _ in
            first
        }
        if let digest = given["sha256"] { return digest == notes["sha256"] }
        if given.contains(where: { name, value in notes[name].map { $0 != value } ?? false }) { return false }
        // Of its kind or its album there are thousands.
        return given["filename"] == nil ? nil : true
    }

    private func isLast(_ length: UInt64, from offset: UInt64, of job: UploadJob) -> Bool {
        length > 0 && offset + min(length, options.chunk?.bytes ?? .max) == job.file.size
    }

    /// Sends from an offset on, and returns how far the server got.
    private func send(_ job: UploadJob, to place: String, from offset: UInt64) async throws(IngestError) -> UInt64 {
        let length = min(options.chunk?.bytes ?? .max, job.file.size - offset)
        // A part cannot be compared with the whole file's digest: what is sent last is checked to be of an unchanged
        // file.
        let slice =
            length == job.file.size
            ? job.slice : try await PartDigests.slice(job, offset: offset, length: length)
        if isLast(length, from: offset, of: job) { try await begun.note(job.digests.sha256, place, mayBeWhole: true) }
        let headers = [("Upload-Offset", String(offset)), ("Content-Type", "application/offset+octet-stream")]
        let response = try await client.deliver(
            HTTPExchange(request("PATCH", place, headers.map { (name: $0.0, value: $0.1) }), body: .file(slice)))
        guard response.status == 204 || response.status == 200 else {
            // A plain no: these bytes have not arrived.
            if (400..<500).contains(response.status), ![408, 409, 423, 460].contains(response.status) {
                try await begun.note(job.digests.sha256, place)
            }
            throw Self.error(for: response)
        }
        guard let reached = response[header: "Upload-Offset"].flatMap({ UInt64($0) }), reached > offset,
            reached <= offset + length
        else {
            // Also where it says that it has more than it was sent.
            throw IngestError(.unavailable, "The server does not say how far the upload got.")
        }
        return reached
    }

    private static func error(for response: HTTPResponse) -> IngestError {
        var error = HTTPStatus.error(for: response)
        // Out of step, locked by a try that is just ending, or a broken chunk: ask again where it stands.
        if [409, 423, 460].contains(response.status) { error.code = .unavailable }
        return error
    }

    private func receipt(_ job: UploadJob, _ place: String, existed: Bool) -> Receipt {
        Receipt(
            state: .done, url: String(place.prefix { $0 != "?" }), sha256: job.digests.sha256, verified: .none,
            at: WallClock.nanoseconds, existed: existed)
    }
}
