import FilmgateCore
import HTTPKit

/// A bucket that can be asked: addresses, signed requests, and the service's own words about failures.
struct S3Client: Sendable {
    let base: WebAddress, http: HTTPClient, signer: S3Signer?

    func url(_ key: String, query: String = "") -> String {
        base.text + Percent.encode(path: key) + (query.isEmpty ? "" : "?" + query)
    }

    /// Sends with the body's digest signed along; once more after keys that had run out, and after a clock that was
    /// wrong.
    func send(_ request: HTTPRequest, body: HTTPBody? = nil, sha256: String) async throws(IngestError) -> HTTPResponse {
        var exchange = HTTPExchange(request, body: body)
        exchange.request.set("x-amz-content-sha256", sha256)
        let skew = signer?.skew, sent = try await signer?.keys()
        let response = try await http.deliver(exchange)
        switch S3Failure.code(response) {
        case "RequestTimeTooSkewed":
            guard let signer, let skew, signer.adjust(to: response[header: "Date"], from: skew) else { return response }
            return try await http.deliver(exchange)
        case "ExpiredToken", "TokenRefreshRequired", "InvalidToken":
            guard let signer, let sent else { return response }
            var isNew = try await signer.renew(after: Rejection(status: 401))
            // Whoever was refused first has them already: what was sent is compared, not what was known last.
            if !isNew { isNew = try await !signer.keys().isSame(as: sent) }
            guard isNew else { return response }
            return try await http.deliver(exchange)
        default: return response
        }
    }

    /// Every service gives what it stores an ETag; whoever says 200 without one (a network's sign-in page, a service's
    /// console at another port) has stored nothing.
    func isStored(_ response: HTTPResponse) -> Bool {
        // Web servers give their pages an ETag, too.
        response[header: "ETag"] != nil && !response.isPage || response.xml.first("ETag") != nil
    }

    func isListing(_ response: HTTPResponse) -> Bool { response.xml.has("ListBucketResult") }

    /// A request without a body.
    func ask(_ method: String, _ url: String, headers: [(name: String, value: String)] = []) async throws(IngestError)
        -> HTTPResponse
    {
        let body: HTTPBody? = method == "POST" ? .bytes([]) : nil
        return try await send(HTTPRequest(method, url, headers: headers), body: body, sha256: JobDigest.empty)
    }
}

enum JobDigest {
    /// SHA-256 of nothing.
    static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// Hexadecimal to the Base64 that S3's headers want; empty when it is no digest.
    static func base64(_ hex: String?) -> String { hex.flatMap { Hex.bytes($0) }.map { Base64.text(of: $0) } ?? "" }
}

/// What S3's error codes mean to the engine.
enum S3Failure {
    /// Also of an error inside of a success.
    static func code(_ response: HTTPResponse) -> String? {
        if response.status >= 300 { return response.xml.first("Code") }
        return response.xml.pieces("Error").first?.first("Code")
    }

    /// For a 200 that no service of this kind gives.
    static func notS3(_ response: HTTPResponse) -> IngestError {
        IngestError(
            .untrusted,
            "\(WebAddress(response.url)?.origin ?? "The service") answers, but not as S3 does; what was sent is not there.",
            advice:
                "On a network with a sign-in page, sign in there first; else check `endpoint`: a service's web page has another port."
        )
    }

    static func error(for response: HTTPResponse) -> IngestError {
        let code = code(response) ?? ""
        if code.isEmpty, response.status == 404 || response.status == 405, !response.body.isEmpty {
            return notS3(response)
        }
        // A success of a kind that no service gives, such as WebDAV's 207.
        if code.isEmpty, (200..<300).contains(response.status) { return notS3(response) }
        var error = HTTPStatus.error(for: response)
        if !code.isEmpty {
            let words = response.xml.first("Message").map { String(HeaderText.clean($0).prefix(200)) } ?? ""
            let place = WebAddress(response.url)?.origin ?? "The service"
            error.message = response.redactor.scrub(
                "\(place) answered \(response.status) \(HeaderText.clean(String(code.prefix(80)))): \(words)")
        }
        switch code {
        case "RequestTimeout", "BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "IncompleteBody":
            error.code = .network
        case "ConditionalRequestConflict", "OperationAborted", "SlowDown", "InternalError", "ServiceUnavailable":
            error.code = .unavailable
        // Put together by a try whose answer was lost, or ended by somebody: the next try looks for the object, and
        // begins anew.
        case "NoSuchUpload", "InvalidPart", "InvalidPartOrder": error.code = .unavailable
        case "QuotaExceeded": error.code = .storageFull
        case "NoSuchBucket", "AccessDenied", "SignatureDoesNotMatch", "InvalidAccessKeyId",
            "AuthorizationHeaderMalformed", "ExpiredToken",
            "RequestTimeTooSkewed", "PermanentRedirect", "IllegalLocationConstraintException":
            // What concerns every file holds the target; none is set aside for it.
            error.code = .unauthorized
        case "NotImplemented":
            error.code = .unauthorized
            error.advice =
                "This service does not know If-None-Match: set `if_none_match: false`; each name is then asked for before it is used."
        default: break
        }
        if code == "NoSuchBucket" {
            error.advice = "Check `bucket`, `endpoint` and `region`; the bucket must be there before."
        }
        if let region = region(in: response) {
            // An answer to HEAD has no body that could say so.
            if code.isEmpty { error.code = .unauthorized }
            error.advice = "The bucket is in \(region): write that as `region`."
        }
        return error
    }

    /// Where the bucket is, said by a service that was asked for it in another region.
    private static func region(in response: HTTPResponse) -> String? {
        guard response.status == 301 || response.status == 400 else { return nil }
        let said = response[header: "x-amz-bucket-region"] ?? response.xml.first("Region")
        return said.map { HeaderText.clean(String($0.prefix(40))) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
