import FilmgateCore
import HTTPKit

/// What stands under a name at the server.
enum NamedCopy {
    case missing, same(Receipt), other, unknown
}

/// What the bytes at an address are, compared with ours.
enum RemoteContent {
    case missing, equal, other(String), unknown
}

extension HTTPTarget {
    /// Asks as `find` says.
    ///
    /// Nil when the server has not the bytes, or its answer is not about them.
    func ask(_ find: FindOptions, _ job: UploadJob) async throws(IngestError) -> Receipt? {
        let address = find.url.address(TemplateValues(job))
        let response = try await client.send(HTTPExchange(HTTPRequest(find.method.rawValue, address)))
        if find.missing.contains(response.status) { return nil }
        guard find.found.contains(response.status) else { throw HTTPStatus.error(for: response) }
        let proof = find.digest?.proof(in: response, for: job.digests) ?? (find.byDigest ? .equal : .silent)
        guard proof == .equal else { return nil }
        return options.receipt.receipt(from: response, for: job, proof: .server, existed: true)
    }

    /// Looks at the name that an upload would get: by its digest where the server says it, else by reading it back.
    func copy(at path: String, of job: UploadJob) async throws(IngestError) -> NamedCopy {
        let address = options.url.address(path: path, TemplateValues(job))
        let response = try await client.send(HTTPExchange(HTTPRequest("HEAD", address)))
        switch response.status {
        case 404, 410: return .missing
        case 200, 204: break
        // Where HEAD is not allowed, If-None-Match is what protects.
        case 400, 403, 405, 501: return .unknown
        default: throw HTTPStatus.error(for: response)
        }
        if let echo = options.digest, !echo.header.isEmpty {
            switch echo.proof(in: response, for: job.digests) {
            case .equal: return .same(named(response, address, job, proof: .server))
            case .differs: return .other
            case .silent: break
            }
        }
        if let length = response[header: "Content-Length"].flatMap({ UInt64($0) }), length != job.file.size { return .other }
        switch try await content(of: address, size: job.file.size, sha256: job.digests.sha256) {
        case .equal: return .same(named(response, address, job, proof: .reread))
        case .missing: return .missing
        case .other: return .other
        case .unknown: return .unknown
        }
    }

    private func named(_ response: HTTPResponse, _ address: String, _ job: UploadJob, proof: Receipt.Proof) -> Receipt {
        var receipt = options.receipt.receipt(from: response, for: job, proof: proof, existed: true)
        receipt.url = receipt.url ?? String(address.prefix { $0 != "?" })
        return receipt
    }

    /// Downloads and hashes what stands at an address; nothing is kept.
    func content(of url: String, size: UInt64, sha256: String) async throws(IngestError) -> RemoteContent {
        var exchange = HTTPExchange(HTTPRequest("GET", url))
        exchange.reception = .digest(upTo: size)
        let response = try await client.send(exchange)
        switch response.status {
        case 200:
            if response.truncated { return .other("It is larger than what was sent.") }
            if response.length != size { return .other("It has \(response.length) bytes instead of \(size).") }
            return response.digest == sha256 ? .equal : .other("Its SHA-256 is \(response.digest ?? "unknown").")
        case 404, 410: return .missing
        case 400, 403, 405, 501: return .unknown
        default: throw HTTPStatus.error(for: response)
        }
    }
}
