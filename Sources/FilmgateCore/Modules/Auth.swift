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

/// A refusal by the server: the facts that a provider needs to decide whether renewing helps.
public struct Rejection: Sendable {
    public var status: Int
    /// `WWW-Authenticate`, where given.
    public var challenge: String?
    public init(status: Int, challenge: String? = nil) { (self.status, self.challenge) = (status, challenge) }
}

/// Signs requests. Holds or fetches credentials; never shows them. May be called from many tasks at once.
public protocol AuthProvider: Sendable {
    /// Adds the credential. A credential is bound to the origins that the pipeline file names and is refused for any other.
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest
    /// After a 401: tries to get a better credential. True: the request is worth one more try.
    func renew(after rejection: Rejection) async throws(IngestError) -> Bool
}

extension AuthProvider {
    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool { false }
}
