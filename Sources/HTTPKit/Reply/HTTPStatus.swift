public import FilmgateCore

/// What a status code means to the engine, when a target does not know it better.
public enum HTTPStatus {
    /// The failure that an unwanted answer stands for, with the server's own words, bounded and without secrets.
    ///
    /// A web page in place of an answer is `untrusted`. 401, 403 and 407 hold the target (a refusal concerns every
    /// file, so none is set aside for it); 402 and 507 pause it; 408, 425, 429 and 5xx are tried again, `Retry-After`
    /// first; redirects elsewhere are `untrusted`; all other answers set the file aside.
    public static func error(for response: HTTPResponse) -> IngestError {
        if response.isPage { return response.pageError }
        let code = code(for: response.status)
        let words = ServerWords.of(response)
        let place = WebAddress(response.url)?.origin ?? "the server"
        var message = response.redactor.scrub(sentence(response, place))
        if !words.isEmpty { message += " It says: \(words)" }
        return IngestError(code, message, advice: advice(for: response.status), retryAfter: RetryAfter.of(response))
    }

    static func code(for status: Int) -> IngestError.Code {
        switch status {
        case 401, 403, 407: .unauthorized
        case 402, 507: .storageFull
        case 408, 425, 429, 509: .rateLimited
        case 501, 505: .rejected
        case 500...: .unavailable
        case 300..<400: .untrusted
        default: .rejected
        }
    }

    private static func sentence(_ response: HTTPResponse, _ place: String) -> String {
        let status = response.status
        switch status {
        case 401: return "\(place) does not accept the credential (401)."
        case 403: return "\(place) refuses this account (403)."
        case 407: return "A proxy on the way to \(place) wants a sign-in first (407)."
        case 402: return "\(place) requires payment first (402)."
        case 404, 410: return "\(place) does not know this address (\(status))."
        case 413: return "\(place) finds the file too large (413)."
        case 415: return "\(place) does not take this kind of file (415)."
        case 429: return "\(place) asks for fewer requests (429)."
        case 507: return "\(place) has no room left (507)."
        case 300..<400:
            let elsewhere = response[header: "Location"].flatMap { WebAddress($0, relativeTo: response.url) }?.origin
            let name = elsewhere == place ? "another address of its own" : elsewhere
            return
                "\(place) redirects to \(name ?? "an address that cannot be followed") (\(status)); nothing was sent there."
        default: return "\(place) answered \(status)."
        }
    }

    private static func advice(for status: Int) -> String? {
        switch status {
        case 401, 403: "Check the credential and its rights, then run `filmgate retry`."
        case 407:
            "Write user and password before the host in `http_proxy`, with an @ after them; `no_proxy` names what is reached without it."
        case 300..<400: "If the new address is right, write it into the pipeline file."
        default: nil
        }
    }
}

/// How long a server asks to be left alone (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// No server can park a queue for longer.
    public static let limit = Duration.seconds(900)

    /// Seconds, or a date measured against the server's own clock where it says it.
    ///
    /// Nil when nothing usable is there.
    public static func of(_ response: HTTPResponse) -> Duration? {
        guard let text = response[header: "Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(limit, .seconds(Int(text) ?? Int(limit.components.seconds)))
        }
        guard let then = HTTPDate.unixSeconds(text) else { return nil }
        let now = response[header: "Date"].flatMap(HTTPDate.unixSeconds) ?? HTTPDate.now
        return .seconds(min(Int(limit.components.seconds), max(0, then - now)))
    }
}
