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

/// Looks at what stands under the name that an upload would get.
struct NameProbe: Sendable {
    let options: HTTPOptions
    let client: HTTPClient
    let probe: AddressProbe

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
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><propfind xmlns=\"DAV:\">"
                + "<prop><getcontentlength/></prop></propfind>",
            type: "application/xml")
        let response = try await client.look(
            HTTPExchange(HTTPRequest("PROPFIND", address, headers: [("Depth", "0")]), body: question))
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

    private func named(_ response: HTTPResponse, _ address: String, _ job: UploadJob, proof: Receipt.Proof) -> Receipt {
        var receipt = options.receipt.receipt(from: response, for: job, proof: proof, existed: true)
        receipt.url = receipt.url ?? Self.withoutQuery(address)
        return receipt
    }

    /// A query may hold a secret.
    static func withoutQuery(_ address: String) -> String { String(address.prefix { $0 != "?" }) }
}
