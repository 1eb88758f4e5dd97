import FilmgateCore
import HTTPKit

/// The question that `find` describes: whether the server has certain bytes.
///
/// A yes is believed only beside a no to bytes that nobody has, of the same moment.
struct DigestQuestion: Sendable {
    enum Answer {
        case missing
        /// `server` where the answer named the digest itself, and else `found`.
        case known(HTTPResponse, Receipt.Proof)
        case differs(String)
        case silent
    }
    let options: FindOptions
    let client: HTTPClient
    let absence: KnownAbsence
    /// The server, as messages name it.
    let place: String

    /// What the server says about bytes of these digests; for a yes to be believed, it must say no to bytes that nobody
    /// has.
    func answer(about digests: Digests, _ values: TemplateValues) async throws(IngestError) -> Answer {
        let answer = try await bareAnswer(about: digests, values)
        guard case .known(let response, _) = answer else { return answer }
        try await absence.confirm(Self.look(of: response)) { () async throws(IngestError) in
            do throws(IngestError) { try await requireNo(values) } catch {
                // A server may refuse to look for such a digest at all: that is no yes.
                guard error.code == .rejected else { throw error }
            }
        }
        return answer
    }

    /// What tells one server's yes from that of another that answers in its place.
    private static func look(of response: HTTPResponse) -> String {
        [String(response.status), response[header: "Content-Type"] ?? "", response[header: "Server"] ?? ""]
            .joined(separator: "\n")
    }

    private func bareAnswer(about digests: Digests, _ values: TemplateValues) async throws(IngestError) -> Answer {
        let response = try await client.send(
            HTTPExchange(HTTPRequest(options.method.rawValue, options.url.address(values))))
        let proof = options.found.contains(response.status) ? options.digest?.proof(in: response, for: digests) : nil
        // An address that a redirect leads to may say whose bytes it has; that it answers at all says nothing.
        if proof == .equal { return .known(response, .server) }
        try response.requireOwnAddress()
        if options.missing.contains(response.status) { return .missing }
        // A page for people says nothing of the bytes that a program asks for.
        guard options.found.contains(response.status), !response.isPage else { throw HTTPStatus.error(for: response) }
        switch proof ?? (options.byDigest ? .equal : .silent) {
        case .equal: return .known(response, .found)
        case .differs(let said): return .differs(said)
        case .silent: return .silent
        }
    }

    /// `misconfigured` when the server says that it has bytes that nobody can have: it would say so of every file.
    func requireNo(_ values: TemplateValues = TemplateValues()) async throws(IngestError) {
        let nobodys = Digests.nobodys()
        guard case .known = try await bareAnswer(about: nobodys, values.asking(for: nobodys)) else { return }
        throw IngestError(
            .misconfigured,
            "\(place) says that it has whatever it is asked for, even bytes that do not exist: "
                + "its answer proves nothing.",
            advice: "Check the address under `find`, and its `found` and `missing`; then run `filmgate retry`.",
            cause: UntruthfulAnswer())
    }
}
