public import FilmgateCore

/// What the bytes at an address are, compared with ours.
public enum RemoteCopy: Sendable, Hashable {
    case missing, equal, other(String)
    /// The server does not let them be read.
    case unknown

    /// For `UploadTarget.verify`.
    public var verification: Verification {
        switch self {
        case .missing: .missing
        case .equal: .equal
        case .other(let why): .differs(why)
        case .unknown: .cannotTell
        }
    }
}

extension HTTPClient {
    /// Whether what stands at an address is the beginning of the job's bytes, and not all of them: what some servers
    /// keep of an upload that broke off.
    public func holdsBeginning(of job: UploadJob, at url: String) async throws(IngestError) -> Bool {
        var exchange = HTTPExchange(HTTPRequest("GET", url))
        exchange.reception = .digest(upTo: job.file.size)
        let found = try await look(exchange)
        guard found.status == 200, !found.truncated, found.length < job.file.size else { return false }
        return try await PartDigests.slice(job, offset: 0, length: found.length).sha256 == found.digest
    }

    /// Downloads and hashes what stands at an address; nothing is kept.
    ///
    /// After a redirect only the right bytes are an answer; any other is `untrusted`.
    public func compare(_ url: String, size: UInt64, sha256: String) async throws(IngestError) -> RemoteCopy {
        try await inspect(url, size: size, sha256: sha256).copy
    }

    /// As `compare`, with the answer that it was found by: what it says that it is, and how it begins.
    public func inspect(
        _ url: String, size: UInt64, sha256: String
    ) async throws(IngestError) -> (copy: RemoteCopy, answer: HTTPResponse) {
        var exchange = HTTPExchange(HTTPRequest("GET", url))
        exchange.reception = .digest(upTo: size)
        let response = try await send(exchange)
        if response.status == 200, !response.truncated, response.length == size, response.digest == sha256 {
            return (.equal, response)
        }
        try response.requireOwnAddress()
        switch response.status {
        case 200:
            if response.truncated { return (.other("It is larger than what was sent."), response) }
            if response.length != size {
                return (.other("It has \(response.length) bytes instead of \(size)."), response)
            }
            return (.other("Its SHA-256 is \(response.digest ?? "unknown")."), response)
        case 404, 410: return (.missing, response)
        case 400, 403, 405, 501: return (.unknown, response)
        default: throw HTTPStatus.error(for: response)
        }
    }
}

extension UploadJob {
    /// The whole file as a body's piece; its last bytes leave only when the digest of all of them agrees.
    public var slice: FileSlice {
        FileSlice(path: file.path, size: file.size, sha256: digests.sha256, xxh128: digests[.xxh128])
    }

    /// The last part of the name that the engine chose; the original name where the target has no names of its own.
    public var deliveredName: String { path.split(separator: "/").last.map(String.init) ?? name }
}
