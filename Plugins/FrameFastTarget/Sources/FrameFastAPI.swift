import FilmgateCore
import HTTPKit

/// Where a file may be sent, and with which headers; good for a few minutes.
struct UploadTicket: Sendable {
    var id: String, url: String
    var headers: [(name: String, value: String)]
}

/// What the service says about one upload.
struct UploadStatus: Sendable, Hashable {
    var state: String, code: String, message: String, photo: String?
}

/// The parts of the service's interface that uploads need.
struct FrameFastAPI: Sendable {
    let base: String, event: String
    let client: HTTPClient
    /// Without the credential: for addresses that carry their own signature.
    let bare: HTTPClient
    /// For small questions, which are answered soon or not at all.
    let quick: any HTTPTransport

    /// `fine`: further statuses that are no failure.
    func ask(_ method: String, _ path: String, _ value: JSONValue? = nil, fine: Set<Int> = []) async throws(IngestError)
        -> JSONValue
    {
        try await answer(method, path, value, fine: fine).json ?? .null
    }

    private func answer(
        _ method: String, _ path: String, _ value: JSONValue?, fine: Set<Int>, by other: HTTPClient? = nil
    ) async throws(IngestError) -> HTTPResponse {
        let response = try await (other ?? client).deliver(request(method, path, value))
        guard (200..<300).contains(response.status) || fine.contains(response.status) else {
            throw Self.error(for: response)
        }
        return response
    }

    private func request(_ method: String, _ path: String, _ value: JSONValue? = nil) -> HTTPExchange {
        var root = base
        while root.hasSuffix("/") { root.removeLast() }
        var request = HTTPRequest(method, root + path, headers: [("Accept", "application/json")])
        request.set("traceparent", Self.traceparent())
        let body = value?.body ?? (method == "POST" ? .bytes([]) : nil)
        return HTTPExchange(request, body: body)
    }

    func presign(_ job: UploadJob, type: String, source: String?) async throws(IngestError) -> UploadTicket {
        var fields: JSONObject = [
            "eventId": .string(event), "contentType": .string(type), "contentLength": .integer(Int64(job.file.size)),
            "filename": .string(job.deliveredName),
        ]
        if let source { fields["source"] = .string(source) }
        return try ticket(await ask("POST", "/uploads/presign", .object(fields)))
    }

    /// What the service says to another try of an upload that was begun: a new address, that it has gone on without us,
    /// or that it does not know it.
    enum Resumption: Sendable { case ticket(UploadTicket), goneOn, unknown }

    func presignAgain(_ id: String) async throws(IngestError) -> Resumption {
        let response = try await answer("POST", "/uploads/\(Percent.encode(id))/presign", nil, fine: [404, 409])
        switch response.status {
        case 404: return .unknown
        case 409: return .goneOn
        default: return .ticket(try ticket(response.json ?? .null))
        }
    }

    /// Whether the service goes on by itself with an upload that it has and put off for want of credits.
    ///
    /// False where it has cleared the bytes away, or does not know it any more.
    func takeUpAgain(_ id: String) async throws(IngestError) -> Bool {
        let path = "/uploads/events/\(Percent.encode(event))/\(Percent.encode(id))/retry"
        return Self.requeued(try await answer("POST", path, nil, fine: [404, 409])) > 0
    }

    /// The same for all of the event's; how many.
    func takeUpAllAgain() async throws(IngestError) -> Int {
        Self.requeued(try await answer("POST", "/uploads/events/\(Percent.encode(event))/retry-all", nil, fine: []))
    }

    private static func requeued(_ response: HTTPResponse) -> Int {
        guard (200..<300).contains(response.status), case .integer(let count)? = response.json?.at("data.requeued")
        else { return 0 }
        return Int(clamping: count)
    }

    /// Asked without the credential: whether anybody is served.
    func health() async throws(IngestError) -> HTTPResponse {
        try await HTTPClient(quick).send(request("GET", "/health"))
    }

    func dashboard() async throws(IngestError) -> JSONValue {
        try await answer("GET", "/dashboard", nil, fine: [], by: HTTPClient(quick, auth: client.auth)).json ?? .null
    }

    /// At most 50 at once; what the service does not know it leaves out.
    func status(of ids: [String]) async throws(IngestError) -> [String: UploadStatus] {
        let answer = try await ask(
            "GET", "/uploads/status?ids=" + ids.prefix(50).map { Percent.encode($0) }.joined(separator: ","))
        guard case .array(let items)? = answer["data"] else {
            throw IngestError(.unavailable, "FrameFast does not say what became of the uploads.")
        }
        return items.reduce(into: [:]) { table, item in
            guard let id = item["uploadId"]?.text, let state = item["status"]?.text else { return }
            table[id] = UploadStatus(
                state: state, code: item["errorCode"]?.text ?? "", message: item["errorMessage"]?.text ?? "",
                photo: item["photoId"]?.text)
        }
    }

    private func ticket(_ answer: JSONValue) throws(IngestError) -> UploadTicket {
        guard let data = answer["data"], let id = data["uploadId"]?.text, let url = data["putUrl"]?.text,
            let address = WebAddress(url), address.isEncrypted || address.isLoopback,
            case .object(let headers)? = data["requiredHeaders"]
        else { throw IngestError(.unavailable, "FrameFast's answer has no usable address to send to.") }
        // The length is set by the body itself; two of them would break the request.
        let signed = headers.sorted { $0.key < $1.key }.compactMap { pair in
            pair.key.lowercased() == "content-length" ? nil : pair.value.text.map { (name: pair.key, value: $0) }
        }
        return UploadTicket(id: id, url: url, headers: signed)
    }

    private static func error(for response: HTTPResponse) -> IngestError {
        var error = HTTPStatus.error(for: response)
        switch response.status {
        case 402:
            error.advice = "Buy credits; then run `filmgate retry`."
        case 404, 410:
            // That concerns every file.
            let words = ServerWords.of(response), said = words.isEmpty ? "" : " It says: \(words)"
            error.code = .untrusted
            error.message =
                (response.status == 410
                    ? "FrameFast says that the event is over (410)." : "FrameFast does not know the event (404).")
                + said
            error.advice = "Choose another event, then run `filmgate retry`."
        default: break
        }
        return error
    }

    /// W3C Trace Context; for the service's own requests only, never for the storage's.
    private static func traceparent() -> String {
        var generator = SystemRandomNumberGenerator()
        let numbers = (0..<3).map { _ in generator.next() as UInt64 }
        let text = numbers.map { number in
            Hex.text(of: (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) })
        }
        return "00-\(text[0])\(text[1])-\(text[2])-01"
    }
}
