import FilmgateCore
import HTTPKit

/// Signs a child's requests with the sign-ins that its entry names, for the addresses that its entry names: the child
/// never holds a credential that it was not given for one request.
struct RequestSigner: Sendable {
    private let signIns: [String: any AuthProvider]

    /// Nil when the entry names none.
    ///
    /// `misconfigured` when a sign-in is missing or may not be used for the address.
    init?(
        _ names: [String: AuthReference], _ fields: [OptionField], _ options: JSONObject, _ context: ModuleContext
    ) throws(IngestError) {
        if names.isEmpty { return nil }
        var found: [String: any AuthProvider] = [:]
        for (option, reference) in names {
            guard let provider = context.lookup.auth[reference.name] else {
                throw IngestError(.misconfigured, "There is no sign-in called `\(reference.name)`.")
            }
            let address = fields.first { $0.description.name == option }?.address.flatMap { options[$0]?.string }
            if let address { try provider.bind(to: address) }
            found[option] = provider
        }
        signIns = found
    }

    /// The accounts, for a target's identity.
    var accounts: [String] { signIns.sorted { $0.key < $1.key }.compactMap(\.value.account) }

    /// The answer to what a child asks.
    ///
    /// `hide` is called with a request and the same with its credential, before anybody gets that.
    func answer(
        _ asked: JSONValue, hide: (_ plain: HTTPRequest, _ signed: HTTPRequest) -> Void
    ) async throws(IngestError) -> JSONValue {
        let name = asked["auth"]?.string ?? (signIns.count == 1 ? signIns.keys.first : nil) ?? ""
        guard let provider = signIns[name] else {
            throw IngestError(.misconfigured, "No sign-in is given under `\(name)`.")
        }
        switch asked["do"]?.string {
        case "sign":
            let plain = try RequestText.request(asked["request"]), signed = try await provider.sign(plain)
            hide(plain, signed)
            return RequestText.json(signed)
        case "renew":
            let status = asked["status"]?.whole.flatMap { Int(exactly: $0) } ?? 401
            let signed = asked["request"] == nil ? nil : try RequestText.request(asked["request"])
            let rejection = Rejection(status: status, challenge: asked["challenge"]?.string, request: signed)
            return .object(["retry": .bool(try await provider.renew(after: rejection))])
        default: throw IngestError(.misconfigured, "A module can ask for `sign` and `renew`.")
        }
    }
}

/// The head of a request as JSON: `{"method": …, "url": …, "headers": [[name, value], …]}`.
enum RequestText {
    static func json(_ request: HTTPRequest) -> JSONValue {
        .object([
            "method": .string(request.method), "url": .string(request.url),
            "headers": .array(request.headers.map { .array([.string($0.name), .string($0.value)]) }),
        ])
    }

    static func request(_ value: JSONValue?) throws(IngestError) -> HTTPRequest {
        guard let method = value?["method"]?.string, let url = value?["url"]?.string, HeaderText.isName(method) else {
            throw IngestError(.misconfigured, "A request to be signed has a method and an address.")
        }
        return HTTPRequest(method, url, headers: try headers(value?["headers"]))
    }

    /// Pairs of name and value; `unauthorized` when one could not be sent.
    static func headers(_ value: JSONValue?) throws(IngestError) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        let pairs =
            value?.members.map { $0.map { [$0.key, $0.value.string ?? ""] } } ?? value?.items?.map { $0.texts ?? [] }
            ?? []
        for pair in pairs.prefix(100) {
            guard pair.count == 2, HeaderText.isName(pair[0]),
                pair[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else {
                throw IngestError(.unauthorized, "A header that no request may have was given for signing.")
            }
            headers.append((pair[0], pair[1]))
        }
        return headers
    }
}
