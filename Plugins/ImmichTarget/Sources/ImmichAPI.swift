import FilmgateCore
import Glibc
import HTTPKit

/// The few parts of Immich's interface that an upload needs.
struct ImmichAPI: Sendable {
    /// Ends in `/`, without `api/`.
    let root: String
    let client: HTTPClient
    let known = KnownAccount()

    init(base: String, client: HTTPClient) {
        var root = WebAddress(base)?.text ?? base
        if !root.hasSuffix("/") { root += "/" }
        if root.hasSuffix("/api/") { root.removeLast(4) }
        (self.root, self.client) = (root, client)
    }

    /// Sends JSON and returns the answer's.
    func ask(_ method: String, _ path: String, _ value: JSONValue? = nil) async throws(IngestError) -> JSONValue {
        let request = HTTPRequest(method, root + "api/" + path, headers: [("Accept", "application/json")])
        let response = try await client.deliver(HTTPExchange(request, body: value?.body))
        guard (200..<300).contains(response.status) else { throw Self.error(for: response) }
        return response.json ?? .null
    }

    /// What the server has of some bytes.
    enum Standing: Hashable { case none, known(String), binned }

    /// Asks by SHA-1, and in the same breath for bytes that nobody has: only beside that no a yes is believed.
    func standing(_ sha1: String) async throws(IngestError) -> Standing {
        let nobodys = Digests.nobodys()[.sha1] ?? ""
        let asked = [sha1, nobodys].map { JSONValue.object(["id": .string($0), "checksum": .string($0)]) }
        let answer = try await ask("POST", "assets/bulk-upload-check", .object(["assets": .array(asked)]))
        guard case .array(let results)? = answer["results"] else {
            throw IngestError(.unavailable, "The server does not say which files it has.")
        }
        let nothing = results.first { $0["id"]?.text == nobodys }
        guard nothing?["action"]?.text != "reject" else {
            throw IngestError(
                .misconfigured,
                "The server says that it has whatever it is asked for, even bytes that do not exist: its answer proves nothing.",
                advice: "Check the address under `url`; then run `filmgate retry`.", cause: UntruthfulAnswer())
        }
        guard let result = results.first(where: { $0["id"]?.text == sha1 }), result["action"]?.text == "reject",
            result["reason"]?.text == "duplicate", let id = result["assetId"]?.text, isID(id)
        else { return .none }
        guard nothing != nil else {
            throw IngestError(.unavailable, "The server does not say which of the files that it is asked for it has.")
        }
        return result["isTrashed"] == .bool(true) ? .binned : .known(id)
    }

    /// Whether an asset is known to lie in the bin: a key without the right `asset.read` is not told.
    func isBinned(_ id: String) async throws(IngestError) -> Bool {
        let request = HTTPRequest("GET", root + "api/assets/\(id)", headers: [("Accept", "application/json")])
        let response = try await client.look(HTTPExchange(request))
        // Not told or not there: what the address holds says more. Anything else is no answer to the question.
        guard [200, 400, 403, 404].contains(response.status) else { throw Self.error(for: response) }
        return response.status == 200 && response.json?["isTrashed"] == .bool(true)
    }

    /// Fit to stand in an address.
    func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
            }
    }

    static func error(for response: HTTPResponse) -> IngestError {
        var error = HTTPStatus.error(for: response)
        // The account's quota comes as a plain 400.
        if response.status == 400, error.message.lowercased().contains("quota") { error.code = .storageFull }
        return error
    }
}

enum ISOTime {
    /// `2026-05-01T12:00:00.250Z`.
    static func text(nanoseconds: Int64) -> String {
        var seconds = Int(nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000).quotient), parts = tm()
        let milliseconds = String(max(0, nanoseconds % 1_000_000_000) / 1_000_000)
        var buffer = [CChar](repeating: 0, count: 32)
        gmtime_r(&seconds, &parts)
        strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text + "." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds + "Z"
    }
}
