import FilmgateCore
import Glibc
import HTTPKit

/// The few parts of Immich's interface that an upload needs.
struct ImmichAPI: Sendable {
    /// Ends in `/`, without `api/`.
    let root: String
    let client: HTTPClient

    init(base: String, client: HTTPClient) {
        var root = WebAddress(base)?.text ?? base
        if !root.hasSuffix("/") { root += "/" }
        if root.hasSuffix("/api/") { root.removeLast(4) }
        (self.root, self.client) = (root, client)
    }

    /// Sends JSON and returns the answer's.
    func ask(_ method: String, _ path: String, _ value: JSONValue? = nil) async throws(IngestError) -> JSONValue {
        let request = HTTPRequest(method, root + "api/" + path, headers: [("Accept", "application/json")])
        let response = try await client.send(HTTPExchange(request, body: value?.body))
        guard (200..<300).contains(response.status) else { throw Self.error(for: response) }
        return response.json ?? .null
    }

    /// The server's id of the asset with these bytes; nil when it has none, or only in its bin.
    func known(_ sha1: String) async throws(IngestError) -> String? {
        let question = JSONValue.object(["assets": .array([.object(["id": .string(sha1), "checksum": .string(sha1)])])])
        let answer = try await ask("POST", "assets/bulk-upload-check", question)
        guard let result = answer.at("results.0"), result["id"]?.text == sha1, result["action"]?.text == "reject",
            result["reason"]?.text == "duplicate", result["isTrashed"] != .bool(true), let id = result["assetId"]?.text, isID(id)
        else { return nil }
        return id
    }

    /// Fit to stand in an address.
    func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
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
