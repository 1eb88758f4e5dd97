import FilmgateCore
import HTTPKit

/// What stands under a name at the server.
enum NamedCopy {
    case missing
    case same(Receipt)
    case other
    /// Something is there, and its bytes cannot be read.
    case unreadable
    /// Nobody may look.
    case unknown
}

extension HTTPTarget {
    /// What the server says about some bytes.
    enum FindAnswer {
        case missing
        case known(HTTPResponse)
        case differs(String)
        case silent
    }

    /// Asks as `find` says.
    ///
    /// Nil when the server has not the bytes, or its answer is not about them.
    func ask(_ find: FindOptions, _ job: UploadJob) async throws(IngestError) -> Receipt? {
        guard case .known(let response) = try await knowledge(find, job.digests, TemplateValues(job)) else { return nil }
        return options.receipt.receipt(from: response, for: job, proof: .server, existed: true)
    }

    /// What the server says about bytes of these digests; before its first yes is believed, it must say no to bytes that nobody has.
    func knowledge(_ find: FindOptions, _ digests: Digests, _ values: TemplateValues) async throws(IngestError) -> FindAnswer {
        let answer = try await bareAnswer(find, digests, values)
        guard case .known = answer, !trust.saysNo else { return answer }
        do throws(IngestError) { try await askForNothing(find, values) } catch {
            // A server may refuse to look for such a digest at all: that is no yes.
            guard error.code == .rejected else { throw error }
            trust.noteNo()
        }
        return answer
    }

    private func bareAnswer(_ find: FindOptions, _ digests: Digests, _ values: TemplateValues) async throws(IngestError) -> FindAnswer {
        let response = try await client.send(HTTPExchange(HTTPRequest(find.method.rawValue, find.url.address(values))))
        let proof = find.found.contains(response.status) ? find.digest?.proof(in: response, for: digests) : nil
        // An address that a redirect leads to may say whose bytes it has; that it answers at all says nothing.
        if proof == .equal { return .known(response) }
        try response.requireOwnAddress()
        if find.missing.contains(response.status) { return .missing }
        guard find.found.contains(response.status) else { throw HTTPStatus.error(for: response) }
        switch proof ?? (find.byDigest ? .equal : .silent) {
        case .equal: return .known(response)
        case .differs(let said): return .differs(said)
        case .silent: return .silent
        }
    }

    /// `misconfigured` when the server says that it has bytes that nobody can have: it would say so of every file.
    func askForNothing(_ find: FindOptions, _ values: TemplateValues = TemplateValues()) async throws(IngestError) {
        guard case .known = try await bareAnswer(find, .nobodys, values.asking(for: .nobodys)) else { return trust.noteNo() }
        throw IngestError(
            .misconfigured, "\(place) says that it has whatever it is asked for, even bytes that do not exist: its answer proves nothing.",
            advice: "Check the address under `find`, and its `found` and `missing`; then run `filmgate retry`.")
    }

    /// Looks at the name that an upload would get: by its digest where the server says it, else by reading it back.
    func copy(at path: String, of job: UploadJob) async throws(IngestError) -> NamedCopy {
        let address = options.url.address(path: path, TemplateValues(job))
        let response = try await probe.look(at: address)
        switch response.status {
        case 404, 410: return .missing
        case 200, 204, 206, 416: break
        case 400, 403, 405, 501: return try await property(at: address, of: job)
        default: throw HTTPStatus.error(for: response)
        }
        if let echo = options.digest, !echo.header.isEmpty {
            switch echo.proof(in: response, for: job.digests) {
            case .equal: return .same(named(response, address, job, proof: .server))
            case .differs: return .other
            case .silent: break
            }
        }
        if let length = response.wholeLength, length != job.file.size { return .other }
        switch try await client.compare(address, size: job.file.size, sha256: job.digests.sha256) {
        case .equal: return .same(named(response, address, job, proof: .reread))
        case .missing: return .missing
        case .other: return .other
        case .unknown: return .unreadable
        }
    }

    /// A server that speaks WebDAV (RFC 4918) tells of a file that nobody may read.
    private func property(at address: String, of job: UploadJob) async throws(IngestError) -> NamedCopy {
        let question = HTTPBody.text(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><propfind xmlns=\"DAV:\"><prop><getcontentlength/></prop></propfind>",
            type: "application/xml")
        let response = try await client.look(HTTPExchange(HTTPRequest("PROPFIND", address, headers: [("Depth", "0")]), body: question))
        switch response.status {
        case 404, 410: return .missing
        case 207:
            guard let answer = response.xml.pieces("multistatus").first, answer.first("href") != nil else {
                return .unknown
            }
            guard let size = answer.first("getcontentlength").flatMap({ UInt64($0) }) else { return .unreadable }
            return size == job.file.size ? .unreadable : .other
        default: return .unknown
        }
    }

    /// What keeps from sending where nobody can see what would be replaced; nil where the options say that it may be sent all the same.
    func unseen(_ path: String, of job: UploadJob) -> IngestError? {
        if options.unseen == .send { return nil }
        return IngestError(
            .misconfigured, "\(place) does not show what exists at \(path): a file there could be replaced, so nothing was sent.",
            advice: "Give the account the right to read, or put {sha256} into `url`. Where the server keeps If-None-Match, or may replace, "
                + "`unseen: send` allows it.")
    }

    /// What is said where something stands at the name that may be this very file.
    func ambiguous(_ path: String) -> IngestError {
        IngestError(
            .rejected, "Something stands at \(path) that \(place) lets nobody read: it may be this very file, sent before.",
            advice: "Look at it there; then remove it, or give the account the right to read, and run `filmgate retry --failed`.")
    }

    private func named(_ response: HTTPResponse, _ address: String, _ job: UploadJob, proof: Receipt.Proof) -> Receipt {
        var receipt = options.receipt.receipt(from: response, for: job, proof: proof, existed: true)
        receipt.url = receipt.url ?? Self.bare(address)
        return receipt
    }

    /// The receipt for bytes that were sent: where the answer does not name them, they are where they were put.
    func receipt(from response: HTTPResponse, for job: UploadJob, proof: Receipt.Proof, existed: Bool = false) -> Receipt {
        var receipt = options.receipt.receipt(from: response, for: job, proof: proof, existed: existed)
        // Without a query that varies it could not be asked for later.
        if receipt.url == nil, options.namesByPath, options.url.query?.uses.isEmpty != false {
            receipt.url = Self.bare(options.url.address(path: job.path, TemplateValues(job)))
        }
        return receipt
    }

    /// Without its query, which may hold a secret.
    private static func bare(_ address: String) -> String { String(address.prefix { $0 != "?" }) }
}

extension Digests {
    /// Of bytes that nobody has.
    static var nobodys: Digests {
        Digests(
            sha256: String(repeating: "0", count: 64),
            others: [.sha1: String(repeating: "0", count: 40), .md5: String(repeating: "0", count: 32)])
    }
}
