public import FilmgateCore
import HTTPKit

/// `http`: delivers each file with one PUT or POST to a server of any kind.
public struct HTTPTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "http", "Sends each file to a web server, by PUT or as a form.", needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: HTTPOptions, client: HTTPClient
    private let free = FreeNames()
    /// Names that a try of this run was sending to when it broke off.
    let broken = FreeNames(lifetime: .seconds(86_400))
    let trust = AnswerTrust()
    let probe: AddressProbe
    let names: NameProbe
    /// Nil where no `find` says how to ask.
    let question: DigestQuestion?

    public init(_ config: HTTPOptions, _ context: ModuleContext) throws(IngestError) {
        var transport = TransportOptions()
        (transport.lanes, transport.connect) = (config.workers, config.connectTimeout)
        (transport.stall, transport.answer) = (config.stallTimeout, config.answerTimeout)
        (transport.authorities, transport.bytesPerSecond) = (config.caFile, config.limitRate?.bytes)
        try self.init(config, context, transport: CurlTransport(transport))
    }

    /// The same over another transport; for tests.
    init(_ config: HTTPOptions, _ context: ModuleContext, transport: any HTTPTransport) throws(IngestError) {
        options = config
        var provider: (any AuthProvider)?
        if let name = config.auth?.name {
            guard let found = context.lookup.auth[name] else {
                throw IngestError(.misconfigured, "There is no sign-in `\(name)`.")
            }
            let addresses = [config.url.base, config.find?.url.base ?? "", config.preferences.base]
            for address in addresses where !address.isEmpty { try found.bind(to: address) }
            provider = found
        }
        client = HTTPClient(transport, auth: provider)
        probe = AddressProbe(client)
        names = NameProbe(options: config, client: client, probe: probe)
        let (client, trust, place) = (client, trust, Self.place(config))
        question = config.find.map { DigestQuestion(options: $0, client: client, trust: trust, place: place) }
        traits = Self.traits(config, context, account: provider.map { $0.account ?? config.auth?.name ?? "" })
    }

    private static func traits(_ config: HTTPOptions, _ context: ModuleContext, account: String?) -> TargetTraits {
        let place = WebAddress(config.url.base).map { $0.origin + $0.path } ?? config.url.base
        let key = config.headers.contains {
            $0.key.lowercased() == "idempotency-key" && $0.value.uses.contains("sha256")
        }
        let used = config.templates.reduce(into: Set<String>()) { $0.formUnion($1.uses) }
        var digests = Set([DigestAlgorithm.sha1, .md5].filter { used.contains($0.rawValue) })
        digests.formUnion(
            config.sendDigest.map(\.algorithm)
                + [config.digest?.algorithm, config.find?.digest?.algorithm].compactMap { $0 })
        var traits = TargetTraits(
            identity: (["http", place] + [account, context.event].compactMap { $0 }).joined(separator: ":"),
            layout: config.url.layout, digests: digests.subtracting([.sha256]).union([.xxh128]),
            parallel: config.workers, idempotent: config.verb == .put || config.deduplicates || key,
            accepts: config.accept.map { Set($0) }, maxSize: config.maxSize?.bytes)
        (traits.address, traits.answersByDigest) = (place, config.find != nil)
        if !traits.idempotent, config.find == nil {
            traits.warnings.append(
                "After a lost answer a file may be stored twice: say with `find` how to ask for it, "
                    + "or set `deduplicates`."
            )
        }
        return traits
    }

    /// Asks for bytes that nobody has, or else for the address itself: reachable, trusted and signed in, or the reason
    /// why not.
    public func check() async throws(IngestError) {
        if let question { return try await question.requireNo() }
        let response = try await client.send(HTTPExchange(HTTPRequest("HEAD", options.url.base)))
        // Many servers answer HEAD on an upload address with 404 or 405: they are there and let us in.
        if (200..<300).contains(response.status) { return }
        if [400, 404, 405, 410, 411, 415, 422, 501].contains(response.status) { return }
        throw HTTPStatus.error(for: response)
    }

    public func occupancy(of path: String, for job: UploadJob) async throws(IngestError) -> Occupancy {
        // A name made of the digest can only be held by the same bytes.
        guard options.url.layout != nil, !isNamedByDigest else { return .free }
        switch try await names.copy(at: path, of: job) {
        case .missing:
            free.note(path, for: job.digests.sha256)
            trust.noteFree()
            return .free
        case .unknown:
            if let error = unseen(path, of: job) { throw error }
            return .free
        case .same(let receipt): return .same(receipt)
        case .other, .unreadable:
            if trust.noteTaken() { try await askForFreeName(beside: path, job) }
            return .other
        }
    }

    /// `misconfigured` when even a name that nobody can have used is taken: then all are, and no number behind it makes
    /// one free.
    private func askForFreeName(beside path: String, _ job: UploadJob) async throws(IngestError) {
        let folder = path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? ""
        let name = "\(folder)filmgate-\(String(UInt64.random(in: .min ... .max), radix: 16))-\(job.name)"
        switch try await names.copy(at: name, of: job) {
        case .missing, .unknown: trust.noteThatSomeAreFree()
        case .same, .other, .unreadable:
            throw IngestError(
                .misconfigured, "\(place) says that every name is taken, even one that nobody can have used.",
                advice:
                    "It may answer each address with a page of its own: check `url` and `auth`, "
                    + "then run `filmgate retry`."
            )
        }
    }

    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        if let question {
            let answer = try await question.answer(about: job.digests, TemplateValues(job))
            guard case .known(let response) = answer else { return nil }
            return options.receipt.receipt(from: response, for: job, proof: .server, existed: true)
        }
        if options.forbidsOverwriting, free.take(job.path, for: job.digests.sha256) { return nil }
        guard options.url.layout != nil else { return nil }
        switch try await names.copy(at: job.path, of: job) {
        case .same(let receipt): return receipt
        case .missing, .other: return nil
        // A name made of the digest can only be held by the same bytes: sending them replaces nothing.
        case .unreadable where isNamedByDigest, .unknown where isNamedByDigest: return nil
        case .unreadable: throw ambiguous(job.path)
        case .unknown:
            if let error = unseen(job.path, of: job) { throw error }
            return nil
        }
    }

    public func knows(_ job: UploadJob) async throws(IngestError) -> Bool? {
        let values = TemplateValues(job)
        guard let question, question.options.byDigest, question.options.isFilled(by: values) else { return nil }
        switch try await question.answer(about: job.digests, values) {
        case .known: return true
        case .missing, .differs: return false
        case .silent: return nil
        }
    }

    var isNamedByDigest: Bool { options.url.layout?.uses.contains("sha256") == true }

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        let response = try await sent(options.exchange(for: job), job)
        let echo = options.digest?.proof(in: response, for: job.digests) ?? .silent
        if options.expect.contains(response.status) {
            try await requireSentOnce(job, response)
            return try await accepted(response, echo, job)
        }
        guard options.exists.contains(response.status) else { throw refused(job, response) }
        if echo == .equal { return receipt(from: response, for: job, proof: .server, existed: true) }
        if let receipt = try await find(job) { return receipt }
        guard options.url.layout != nil else { throw refusal(response) }
        return try await taken(job, response)
    }

    /// The server says that it has stored the file; looked at before it is believed.
    func accepted(
        _ response: HTTPResponse, _ echo: AnswerProof, _ job: UploadJob
    ) async throws(IngestError) -> Receipt {
        if case .differs(let said) = echo {
            throw IngestError(
                .corruptData,
                "\(place) stored other bytes than were sent: its digest is \(response.redactor.scrub(said)).")
        }
        if echo == .silent {
            try response.requireOwnAddressForFiles()
            try response.requireNoRefusal()
            if saysNothing(response) { return try await settled(job, byPage: response) }
        }
        trust.noteStored(in: job.folder)
        return receipt(from: response, for: job, proof: echo == .equal ? .server : .none)
    }

    public func verify(_ receipt: Receipt, size: UInt64, sha256: String) async throws(IngestError) -> Verification {
        let digests = Digests(sha256: sha256), values = TemplateValues(digests: digests)
        if let question, question.options.byDigest, question.options.isFilled(by: values) {
            switch try await question.answer(about: digests, values) {
            case .missing: return .missing
            case .known: return .equal
            case .differs(let said): return .differs("It says that its digest is \(said).")
            case .silent: return .cannotTell
            }
        }
        guard let url = receipt.url, WebAddress(url)?.origin == WebAddress(options.url.base)?.origin else {
            return .cannotTell
        }
        let found = try await client.inspect(readable(url), size: size, sha256: sha256)
        // Where a service says that a file is, there may be a page about it instead.
        if case .other = found.copy, !isNamed(url), found.answer.isAbout(fileAt: url) { return .cannotTell }
        return found.copy.verification
    }

    /// A receipt's address as the server wants to be asked for it: with the literal query of `url`, which receipts do
    /// not keep.
    private func readable(_ url: String) -> String {
        guard isNamed(url), let query = options.url.query, query.uses.isEmpty else { return url }
        return url + "?" + query.source
    }

    /// Whether files are PUT there, so that what stands there is the file itself.
    private func isNamed(_ url: String) -> Bool {
        guard options.namesByPath, let base = WebAddress(options.url.base)?.text else { return false }
        return (WebAddress(url)?.text ?? url).hasPrefix(base)
    }

    /// The receipt for bytes that were sent: where the answer does not name them, they are where they were put.
    func receipt(
        from response: HTTPResponse, for job: UploadJob, proof: Receipt.Proof, existed: Bool = false
    ) -> Receipt {
        var receipt = options.receipt.receipt(from: response, for: job, proof: proof, existed: existed)
        // Without a query that varies it could not be asked for later.
        if receipt.url == nil, options.namesByPath, options.url.query?.uses.isEmpty != false {
            receipt.url = NameProbe.withoutQuery(options.url.address(path: job.path, TemplateValues(job)))
        }
        return receipt
    }

    /// What keeps from sending where nobody can see what would be replaced; nil where the options say that it may be
    /// sent all the same.
    func unseen(_ path: String, of job: UploadJob) -> IngestError? {
        if options.unseen == .send { return nil }
        return IngestError(
            .misconfigured,
            "\(place) does not show what exists at \(path): a file there could be replaced, so nothing was sent.",
            advice:
                "Give the account the right to read, or put {sha256} into `url`. "
                + "Where the server keeps If-None-Match, or may replace, "
                + "`unseen: send` allows it.")
    }

    /// What is said where something stands at the name that may be this very file.
    func ambiguous(_ path: String) -> IngestError {
        IngestError(
            .rejected,
            "\(path) exists, and \(place) lets nobody read it: it may be this very file, sent before.",
            advice:
                "Look at it there; then remove it, or give the account the right to read, "
                + "and run `filmgate retry --failed`."
        )
    }

    var place: String { Self.place(options) }
    private static func place(_ options: HTTPOptions) -> String { WebAddress(options.url.base)?.origin ?? "The server" }
}
