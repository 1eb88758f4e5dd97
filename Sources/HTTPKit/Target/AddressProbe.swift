public import FilmgateCore
import Synchronization

/// Asks what stands at an address, without its bytes.
///
/// HEAD has to say what GET would (RFC 9110 §9.3.2), and some servers' HEAD does not: its first yes, with the length,
/// and its first no are compared with what GET says, and where they differ only GET is believed from then on. A name
/// that is taken for free is replaced.
public final class AddressProbe: Sendable {
    private struct State { var agreed: Set<Bool> = [], isLying = false }
    private let client: HTTPClient
    private let state = Mutex(State())

    public init(_ client: HTTPClient) { self.client = client }

    /// The answer's head; where HEAD is not allowed or not to be believed, of the first byte.
    public func look(at address: String) async throws(IngestError) -> HTTPResponse {
        if state.withLock(\.isLying) { return try await firstByte(at: address) }
        let head = try await client.look(HTTPExchange(HTTPRequest("HEAD", address)))
        if [400, 403, 405, 501].contains(head.status) { return try await firstByte(at: address) }
        guard let said = Self.isThere(head.status), !state.withLock({ $0.agreed.contains(said) }) else { return head }
        let answer = try await firstByte(at: address)
        // Where GET does not tell, there is nothing better.
        let isThere = Self.isThere(answer.status) ?? said
        let agrees =
            isThere == said
            && (!said || head.wholeLength == nil || answer.wholeLength == nil || head.wholeLength == answer.wholeLength)
        state.withLock { state in
            if agrees { state.agreed.insert(said) } else { state.isLying = true }
        }
        return agrees ? head : answer
    }

    private func firstByte(at address: String) async throws(IngestError) -> HTTPResponse {
        var exchange = HTTPExchange(HTTPRequest("GET", address, headers: [("Range", "bytes=0-0")]))
        exchange.reception = .collect(1)
        return try await client.look(exchange)
    }

    /// Nil where the answer says neither; 416 is said of an empty file.
    private static func isThere(_ status: Int) -> Bool? {
        switch status {
        case 200, 204, 206, 416: true
        case 404, 410: false
        default: nil
        }
    }
}

extension HTTPResponse {
    /// Bytes of the whole file, whether all of it was asked for or a part; nil where the answer does not say.
    public var wholeLength: UInt64? {
        guard status == 206 || status == 416 else { return self[header: "Content-Length"].flatMap { UInt64($0) } }
        return self[header: "Content-Range"]?.split(separator: "/").last.flatMap { UInt64($0) }
    }
}
