import FilmgateCore
import HTTPKit

/// Answers that refuse an upload: whether they are about the one file, or about the place that all of them go to.
extension HTTPTarget {
    /// The server says that the name is in use, and not that these bytes have it.
    func taken(_ job: UploadJob, _ response: HTTPResponse, hasBegun: Bool) async throws(IngestError) -> Receipt {
        switch try await names.copy(at: job.path, of: job) {
        case .same(let receipt): return receipt
        case .missing: throw try await inTheWay(job, response)
        case .other:
            if let receipt = try await finished(job, hasBegun: hasBegun) { return receipt }
            throw options.refusal(response)
        // These bytes are nowhere, says who was asked for them: another name may be free.
        case .unreadable where options.find != nil, .unknown where options.find != nil: throw options.refusal(response)
        case .unreadable, .unknown:
            // Under another name it could be there twice.
            guard options.isNamedByDigest else { throw options.ambiguous(job.path) }
            return receipt(from: response, for: job, proof: .none, existed: true)
        }
    }

    /// What stands under the name right before it is sent there: the receipt for these very bytes, nil for nothing,
    /// else why it is not sent there.
    ///
    /// Not every server knows If-None-Match (nginx does not): what came there since the name was chosen would be
    /// replaced.
    func standing(_ job: UploadJob, hasBegun: Bool) async throws(IngestError) -> Receipt? {
        switch try await names.copy(at: job.path, of: job) {
        case .missing: return nil
        case .same(let receipt): return receipt
        case .other:
            if let receipt = try await finished(job, hasBegun: hasBegun) { return receipt }
            throw options.inUse(job.path)
        // These bytes are nowhere, says who was asked for them.
        case .unreadable where options.find != nil: throw options.inUse(job.path)
        case .unreadable: throw options.ambiguous(job.path)
        case .unknown:
            if let error = options.unseenError(job.path) { throw error }
            return nil
        }
    }

    /// Finishes what an own try that broke off left under the name; nil where nothing of the kind stands there.
    private func finished(_ job: UploadJob, hasBegun: Bool) async throws(IngestError) -> Receipt? {
        let address = options.url.address(path: job.path, TemplateValues(job)), isBroken = own.takeBroken(job)
        guard options.namesByPath, isBroken || hasBegun, try await client.holdsBeginning(of: job, at: address) else {
            return nil
        }
        var exchange = options.exchange(for: job)
        exchange.request.headers.removeAll { $0.name.lowercased() == "if-none-match" }
        let response = try await sent(exchange, job)
        let echo = options.digest?.proof(in: response, for: job.digests) ?? .silent
        guard options.expect.contains(response.status) else { throw HTTPStatus.error(for: response) }
        try await requireSentOnce(job, response)
        let receipt = try await accepted(response, echo, job)
        // A busy server may have begun only now with the try that broke off, and have cut the file again.
        if case .same = try await names.copy(at: job.path, of: job) { return receipt }
        throw IngestError(.unavailable, "\(address) does not hold what was sent after a try that broke off.")
    }

    /// Sends, and notes what may have left a part of itself under the name.
    func sent(_ exchange: HTTPExchange, _ job: UploadJob) async throws(IngestError) -> HTTPResponse {
        do throws(IngestError) {
            let response = try await client.send(exchange)
            if response.status >= 500 || response.wasRepeated { own.broke(job) }
            if response.status == 504 { own.gaveUp(job) }
            return response
        } catch {
            own.broke(job)
            throw error
        }
    }

    /// `network` for a file that was sent anew unasked to its own name, so that the next try looks at it first.
    ///
    /// A busy server may begin only now with what came over the connection that ended, and would cut what it has just
    /// stored. Where nobody may look, the answer has to do.
    func requireSentOnce(_ job: UploadJob, _ response: HTTPResponse) async throws(IngestError) {
        guard response.wasRepeated, options.namesByPath else { return }
        switch try await names.copy(at: job.path, of: job) {
        case .unknown, .unreadable: return
        case .missing, .same, .other: break
        }
        throw IngestError(.network, "The connection to \(place) ended while \(job.path) was sent.")
    }

    /// Something is in the way, and nothing is at the name.
    ///
    /// It may be a file that nobody is shown: then another name helps, and each file tries one. But PUT is refused in
    /// the same words where the folder is missing (409, RFC 4918 §9.7.1), and then no name does: `untrusted`, which
    /// holds the target.
    private func inTheWay(_ job: UploadJob, _ response: HTTPResponse) async throws(IngestError) -> IngestError {
        let found =
            "The server says that something is in the way (\(response.status)), but has nothing at that address."
        let mayBeName = response.status == 412 ? true : try await isThere(folder: job)
        if trust.isAboutOneFile(in: job.folder, first: mayBeName) { return options.refusal(response, found) }
        var error = options.refusal(response, found)
        error.code = .untrusted
        error.advice =
            "The folder may be missing there: create it, or use `webdav`, which makes folders. "
            + "If the server says so of names in use, let "
            + "`digest` or `find` tell what has them. Then run `filmgate retry`."
        return error
    }

    private func isThere(folder job: UploadJob) async throws(IngestError) -> Bool {
        let answer = try await probe.look(at: options.url.address(path: job.folder, TemplateValues(job)))
        return answer.status != 404 && answer.status != 410
    }

    /// Any other refusal of an upload.
    ///
    /// 404 and 410 are about the address: until something was taken there, every file of the card would hear the same.
    func refused(_ job: UploadJob, _ response: HTTPResponse) async throws(IngestError) -> Receipt {
        if (300..<400).contains(response.status) {
            return try await settled(job, response, or: options.redirectError(response))
        }
        var error = HTTPStatus.error(for: response)
        guard response.status == 404 || response.status == 410, !trust.isAboutOneFile(in: job.folder, first: false)
        else { throw error }
        error.code = .untrusted
        error.advice = "Check `url`, and whether what it names is there; then run `filmgate retry`."
        throw error
    }
}

extension UploadJob {
    /// Of its path, with the `/` at its end; empty where there is none.
    var folder: String { path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? "" }
}
