public import FilmgateCore
public import HTTPKit

/// The options of `convex`.
public struct ConvexOptions: WebConfig {
    /// Kinds of the app's functions that may write.
    enum Kind: String, CaseIterable, ConfigValue { case mutation, action }

    var url = AddressTemplate(), generate = "files:generateUploadUrl", commit = "", args: [String: Template] = [:]
    var find = ""
    var events = "", eventsPage: Int?, preferences = "", keepPreference = ""
    var generateBy = Kind.mutation, commitBy = Kind.mutation
    public var web = WebOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("url", \.url, "The deployment, such as https://happy-otter-123.convex.cloud.").required(),
            .field("generate", \.generate, "The function that returns an upload address."),
            .field("generate_by", \.generateBy, "What `generate` is in the app: a mutation or an action."),
            .field("commit", \.commit, "The function that takes `storageId` and `args`, such as files:save.")
                .required(),
            .field("commit_by", \.commitBy, "What `commit` is in the app: a mutation or an action."),
            .field("args", \.args, "Its arguments, as templates; absent = sha256, name and size."),
            .field("find", \.find, "A query that takes `sha256` and returns the file's id or null."),
            .field(
                "events", \.events,
                "A query that lists the events (`_id`, `name`, `date`); then `{event}` in `args` is the event's id."),
            .field(
                "preferences", \.preferences,
                "A query for the account's preferences, `{ name: { value, changed } }`: the chosen event and measured clocks."
            ),
            .field(
                "keep_preference", \.keepPreference,
                "The mutation that keeps one of them: it takes `name`, `value` and `changed`."),
            .field(
                "events_page", \.eventsPage,
                "Events a page, where that query takes `paginationOpts`; absent = it lists all at once."),
        ] + WebOptions.fields())

    public func validate(at node: ConfigNode) throws(ConfigError) {
        if !url.uses.isEmpty || url.query != nil {
            throw ConfigError(
                node["url"]?.mark ?? node.mark, "bad-option", "The deployment's address has no variables.")
        }
        if preferences.isEmpty != keepPreference.isEmpty {
            throw ConfigError(
                node["preferences"]?.mark ?? node["keep_preference"]?.mark ?? node.mark, "bad-option",
                "`preferences` and `keep_preference` go together: one reads, the other writes.")
        }
    }
}

/// `convex`: stores each file in a Convex deployment: one of its functions gives an address, the bytes go there,
/// another takes them in.
public struct ConvexTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "convex", "Stores each file in a Convex deployment, by functions of the app's own.", stability: .beta,
        needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: ConvexOptions, client: HTTPClient, bare: HTTPClient
    private let event: String?
    private let absence: KnownAbsence

    public init(_ config: ConvexOptions, _ context: ModuleContext) throws(IngestError) {
        try self.init(config, context, absence: KnownAbsence())
    }

    /// The same with a clock of its own; for tests.
    init(_ config: ConvexOptions, _ context: ModuleContext, absence: KnownAbsence) throws(IngestError) {
        self.absence = absence
        let transport = CurlTransport(config.web.transport)
        let provider = try config.web.provider(context, for: [config.url.base])
        event = context.event
        (options, client, bare) = (config, HTTPClient(transport, auth: provider), HTTPClient(transport))
        let place = WebAddress(config.url.base)?.origin ?? config.url.base
        var traits = config.web.traits("convex", place: place, provider: provider, context, idempotent: false)
        traits.answersByDigest = !config.find.isEmpty
        if config.find.isEmpty {
            traits.warnings.append(
                "After a lost answer a file may be stored twice, unless `commit` recognises its sha256.")
        }
        self.traits = traits
    }

    /// Reachable and signed in: asks the `find` query where there is one, else for an upload address.
    public func check() async throws(IngestError) {
        if options.find.isEmpty {
            _ = try await call(options.generateBy.rawValue, options.generate, [:])
        } else {
            _ = try await call("query", options.find, ["sha256": .string(Digests.nobodys().sha256)])
        }
    }

    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard !options.find.isEmpty, let id = try await confirmed(job.digests.sha256) else { return nil }
        return receipt(job, id, proof: .found, existed: true)
    }

    public func knows(_ job: UploadJob) async throws(IngestError) -> Bool? {
        options.find.isEmpty ? nil : try await confirmed(job.digests.sha256) != nil
    }

    /// As `known`; for its yes to be believed, the query must say no to bytes that nobody has.
    private func confirmed(_ sha256: String) async throws(IngestError) -> String? {
        guard let id = try await known(sha256) else { return nil }
        try await absence.confirm { () async throws(IngestError) in
            guard try await known(Digests.nobodys().sha256) == nil else {
                throw IngestError(
                    .misconfigured,
                    "`\(options.find)` says that it has whatever it is asked for, even bytes that do not exist.",
                    advice: "It has to return null for a digest that it does not know; then run `filmgate retry`.",
                    cause: UntruthfulAnswer())
            }
        }
        return id
    }

    /// The id of the file with that digest; nil when the query says that there is none.
    private func known(_ sha256: String) async throws(IngestError) -> String? {
        let answer = try await call("query", options.find, ["sha256": .string(sha256)])
        switch answer {
        case .null, .bool(false), .string(""), .array([]): return nil
        case .string(let id): return id
        default: break
        }
        if case .string(let id)? = answer["_id"], !id.isEmpty { return id }
        throw IngestError(
            .misconfigured, "`\(options.find)` returned neither a file's id nor null: its meaning is not known.",
            advice: "Let it return the id of the file with that sha256, or null; then run `filmgate retry`.")
    }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        let address = try await call(options.generateBy.rawValue, options.generate, [:])
        guard let url = address.text.flatMap({ WebAddress($0) }), url.isEncrypted || url.isLoopback else {
            throw IngestError(.unavailable, "`\(options.generate)` returned no address to upload to.")
        }
        let storageID = try await store(job, at: url.text)
        let answer = try await commit(job, storageID)
        let id = answer.text ?? answer["_id"]?.text ?? storageID
        // The deployment compared the bytes with the digest that went along.
        guard answer["alreadyExists"] == .bool(true) else { return receipt(job, id, proof: .server, existed: false) }
        // The app kept its earlier file: that one is the delivery, whose id and bytes only its query knows.
        if options.find.isEmpty { return receipt(job, id, proof: .none, existed: true) }
        if let earlier = try await find(job) { return earlier }
        throw IngestError(
            .rejected,
            "`\(options.commit)` says that the file exists already, but `\(options.find)` does not know these bytes.",
            advice: "Something else there has its name, perhaps: see in the app; then run `filmgate retry --failed`.")
    }

    /// The address carries its own permission: no credential goes there.
    private func store(_ job: UploadJob, at url: String) async throws(IngestError) -> String {
        let digest = Base64.text(of: Hex.bytes(job.digests.sha256) ?? [])
        let request = HTTPRequest("POST", url, headers: [("Digest", "sha-256=" + digest)])
        let response = try await bare.deliver(
            HTTPExchange(request, body: .file(job.slice, type: MediaType.of(fileName: job.name))))
        guard response.status == 200, let id = response.json?["storageId"]?.text else {
            var error = HTTPStatus.error(for: response)
            // An address that ran out, and bytes that suffered on the way: both are cured by another try.
            if response.status == 401 || response.json?["code"]?.text == "Sha256Mismatch" { error.code = .unavailable }
            throw error
        }
        return id
    }

    private func commit(_ job: UploadJob, _ storageID: String) async throws(IngestError) -> JSONValue {
        var args: JSONObject = ["storageId": .string(storageID)]
        if options.args.isEmpty {
            args["sha256"] = .string(job.digests.sha256)
            args["name"] = .string(job.deliveredName)
            args["size"] = .integer(Int64(job.file.size))
        }
        var values = job.values
        values.text["sha256"] = job.digests.sha256
        if !options.events.isEmpty, let event { values.text["event"] = event }
        for (name, template) in options.args { args[name] = .string(template.rendered(with: values) { $0 }) }
        do throws(IngestError) {
            return try await call(options.commitBy.rawValue, options.commit, args)
        } catch {
            // What exists may be a name, an event, anything: only the query can tell that it is these bytes.
            guard error.code == .rejected, error.message.lowercased().contains("already exists") else { throw error }
            if !options.find.isEmpty { return .object(["alreadyExists": .bool(true)]) }
            var error = error
            error.advice =
                "Whether it means these bytes is not known: name a query under `find`, or let it return `alreadyExists: true`."
            throw error
        }
    }

    /// Calls one of the app's functions; its own refusal is `rejected` with its words.
    func call(_ kind: String, _ path: String, _ args: JSONObject) async throws(IngestError) -> JSONValue {
        var root = options.url.base
        while root.hasSuffix("/") { root.removeLast() }
        let body = JSONValue.object(["path": .string(path), "args": .object(args), "format": .string("json")]).body
        let response = try await client.deliver(HTTPExchange(HTTPRequest("POST", "\(root)/api/\(kind)"), body: body))
        guard response.status == 200 || response.status == 560, let answer = response.json else {
            throw HTTPStatus.error(for: response)
        }
        guard answer["status"]?.text == "success" else {
            let words = HeaderText.clean(String(Self.reason(answer).prefix(200)))
            throw IngestError(.rejected, response.redactor.scrub("`\(path)` failed: \(words)"))
        }
        return answer["value"] ?? .null
    }

    /// The app's own words: a deployment in production says of any failure only "Server Error", and what the app meant
    /// is beside it.
    private static func reason(_ answer: JSONValue) -> String {
        let said = answer["errorMessage"]?.text ?? "no reason given"
        guard let data = answer["errorData"], data != .null else { return said }
        if let text = data.text { return text.isEmpty ? said : text }
        let parts = ["code", "message", "reason"].compactMap { data[$0]?.text }.filter { !$0.isEmpty }
        return parts.isEmpty ? said : parts.joined(separator: ": ")
    }

    private func receipt(_ job: UploadJob, _ id: String, proof: Receipt.Proof, existed: Bool) -> Receipt {
        Receipt(
            state: .done, id: String(HeaderText.clean(id).prefix(200)), sha256: job.digests.sha256, verified: proof,
            at: WallClock.nanoseconds,
            existed: existed)
    }
}
