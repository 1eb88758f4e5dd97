/// The head of an HTTP request, as far as signing it needs.
public struct HTTPRequest: Sendable {
    public var method: String
    /// Absolute, percent-encoded.
    public var url: String
    public var headers: [(name: String, value: String)]

    public init(_ method: String, _ url: String, headers: [(name: String, value: String)] = []) {
        (self.method, self.url, self.headers) = (method, url, headers)
    }

    public subscript(header name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Replaces every header of that name.
    public mutating func set(_ name: String, _ value: String) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append((name, value))
    }
}

/// Method and address without its query: headers and query may carry credentials, so no printed form shows them.
extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(method) \(url.prefix { $0 != "?" && $0 != "#" })" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A refusal by the server: the facts that a provider needs to decide whether renewing helps.
public struct Rejection: Sendable {
    public var status: Int
    /// `WWW-Authenticate`, where given.
    public var challenge: String?
    /// The request as it was signed.
    ///
    /// A provider whose credential is newer by now only has to say so: many callers, one renewal.
    public var request: HTTPRequest?
    public init(status: Int, challenge: String? = nil, request: HTTPRequest? = nil) {
        (self.status, self.challenge, self.request) = (status, challenge, request)
    }
}

/// Signs requests.
///
/// Holds or fetches credentials; never shows them. May be called from many tasks at once.
public protocol AuthProvider: Sendable {
    /// Who signs, as far as it is known without reading a secret: part of a target's identity in the ledger.
    var account: String? { get }
    /// Called by a target while it is built, with the address from its options: from then on its origin (scheme, host,
    /// port) may be signed for, and no other. `misconfigured` when the provider's own options name other origins.
    func bind(to address: String) throws(IngestError)
    /// Has what it needs to sign a request; may look up secrets and ask a credential helper. `unauthorized` when it has
    /// not.
    func ready() async throws(IngestError)
    /// Adds the credential. A credential is bound to the origins that the pipeline file names and is refused for any
    /// other.
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest
    /// After a 401: tries to get a better credential. True: the request is worth one more try.
    func renew(after rejection: Rejection) async throws(IngestError) -> Bool
}

extension AuthProvider {
    public var account: String? { nil }
    public func bind(to address: String) throws(IngestError) {}
    public func ready() async throws(IngestError) {}
    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool { false }
}
