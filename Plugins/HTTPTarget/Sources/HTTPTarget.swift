public import FilmgateCore
import HTTPKit

/// `http`: delivers each file with one PUT or POST to a server of any kind.
public struct HTTPTarget: Module, UploadTarget {
    public static let manifest = Manifest(
        "http", "Sends each file to a web server, by PUT or as a form.", needs: [.file, .digest], gives: [.receipt])

    public let traits: TargetTraits
    let options: HTTPOptions, client: HTTPClient
    private let free = FreeNames()
    let own: OwnTries
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
    init(
        _ config: HTTPOptions, _ context: ModuleContext, transport: any HTTPTransport,
        absence: KnownAbsence = KnownAbsence()
    ) throws(IngestError) {
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
        let (client, place) = (client, config.place)
        question = config.find.map { DigestQuestion(options: $0, client: client, absence: absence, place: place) }
        traits = config.traits(context, provider)
        own = OwnTries(state: context.state, key: traits.identity)
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
        guard options.url.layout != nil, !options.isNamedByDigest else { return .free }
        switch try await names.copy(at: path, of: job) {
        case .missing:
            free.note(path, for: job.digests.sha256)
            if options.needsLook { own.expect(path, for: job.digests.sha256) }
            trust.noteFree()
            return .free
        case .unknown:
            if let error = options.unseenError(path) { throw error }
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
                    + "then run `filmgate retry`.",
                cause: UntruthfulAnswer())
        }
    }

    public func find(_ job: UploadJob) async throws(IngestError) -> Receipt? {
        if let question {
            let answer = try await question.answer(about: job.digests, TemplateValues(job))
            guard case .known(let response, let proof) = answer else {
                try own.requireOver(job, at: place)
                return nil
            }
            return options.receipt.receipt(from: response, for: job, proof: proof, existed: true)
        }
        if options.forbidsOverwriting, free.isNoted(job.path, for: job.digests.sha256) { return nil }
        guard options.url.layout != nil else { return nil }
        switch try await names.copy(at: job.path, of: job) {
        case .same(let receipt): return receipt
        case .missing:
            free.note(job.path, for: job.digests.sha256)
            return nil
        // Nor is it sent there: `upload` looks for itself.
        case .other: return nil
        // A name made of the digest can only be held by the same bytes: sending them replaces nothing.
        case .unreadable where options.isNamedByDigest, .unknown where options.isNamedByDigest: return nil
        case .unreadable: throw options.ambiguous(job.path)
        case .unknown:
            if let error = options.unseenError(job.path) { throw error }
            // There is no more to be learned.
            free.note(job.path, for: job.digests.sha256)
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

    public func upload(_ job: UploadJob) async throws(IngestError) -> Receipt {
        let isFree = free.take(job.path, for: job.digests.sha256)
        guard options.needsLook else { return try await deliver(job, hasBegun: options.isNamedByDigest) }
        // As it was before this try.
        let hasBegun = try own.hasBegun(job)
        if !isFree, let receipt = try await standing(job, hasBegun: hasBegun) {
            own.end(job)
            return receipt
        }
        try await own.begin(job)
        let receipt = try await deliver(job, hasBegun: hasBegun)
        own.end(job)
        return receipt
    }

    /// Sends; `hasBegun`: what stands under the name may have come from a try before this one.
    private func deliver(_ job: UploadJob, hasBegun: Bool) async throws(IngestError) -> Receipt {
        let response = try await sent(options.exchange(for: job), job)
        let echo = options.digest?.proof(in: response, for: job.digests) ?? .silent
        if options.expect.contains(response.status) {
            try await requireSentOnce(job, response)
            return try await accepted(response, echo, job)
        }
        guard options.exists.contains(response.status) else { return try await refused(job, response) }
        if echo == .equal { return receipt(from: response, for: job, proof: .server, existed: true) }
        if let receipt = try await find(job) { return receipt }
        guard options.url.layout != nil else { throw options.refusal(response) }
        return try await taken(job, response, hasBegun: hasBegun)
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
            // A sign-in page says yes as well, but never that it made something of what came.
            if response.status != 201 {
                do throws(IngestError) { try response.requireOwnAddressForFiles() } catch {
                    return try await settled(job, response, or: error)
                }
            }
            try response.requireNoRefusal()
            if options.saysNothing(response) { return try await settled(job, response, or: options.pageError) }
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
        let found = try await client.inspect(options.readable(url), size: size, sha256: sha256)
        // Where a service says that a file is, there may be a page about it instead.
        if case .other = found.copy, !options.isNamed(url), found.answer.isAbout(fileAt: url) { return .cannotTell }
        return found.copy.verification
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

    var place: String { options.place }
}
