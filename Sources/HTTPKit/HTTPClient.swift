public import FilmgateCore
import Synchronization

/// A transport with a credential: signs, renews once after a 401, and follows redirects only within the same origin.
public struct HTTPClient: Sendable {
    public let transport: any HTTPTransport
    public let auth: (any AuthProvider)?
    private let memo = RedactorCache()

    /// Redirects followed for one request.
    public static let redirectLimit = 3

    public init(_ transport: any HTTPTransport, auth: (any AuthProvider)? = nil) {
        (self.transport, self.auth) = (transport, auth)
    }

    /// Sends and returns the server's answer, whatever its status, except a 401 that renewing did not cure:
    /// `unauthorized`.
    ///
    /// 307 and 308 (for GET and HEAD also 301, 302 and 303) are followed within the same origin, each address signed
    /// anew; a redirect to anywhere else comes back as it is, and no credential goes there. The body must be
    /// repeatable, as `HTTPBody` is.
    public func send(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
        let asked = exchange.request.url
        var exchange = exchange, renewed = false
        for _ in 0...Self.redirectLimit {
            var (response, signed) = try await sendSigned(exchange)
            if response.status == 401, let auth, !renewed {
                renewed = true
                if try await auth.renew(
                    after: Rejection(status: 401, challenge: response[header: "WWW-Authenticate"], request: signed))
                {
                    // A person may have signed in meanwhile, which takes its time.
                    if exchange.body != nil { try SendRight.current?.check() }
                    (response, signed) = try await sendSigned(exchange)
                }
            }
            if response.status == 401 { throw HTTPStatus.error(for: response) }
            guard let next = redirect(response, of: exchange.request) else {
                response.isRedirected = !Self.isSame(asked, exchange.request.url)
                return response
            }
            exchange.request.url = next
        }
        throw IngestError(.untrusted, "\(exchange.request) redirects more than \(Self.redirectLimit) times.")
    }

    /// As `send`, for a question about one address: the answer of another one, such as a sign-in page, is `untrusted`.
    public func look(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
        let response = try await send(exchange)
        try response.requireOwnAddress()
        return response
    }

    /// As `send`, for a file or for what makes one of it: a success that another address answered is `untrusted`.
    public func deliver(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
        let response = try await send(exchange)
        if (200..<300).contains(response.status) { try response.requireOwnAddressForFiles() }
        return response
    }

    /// Servers that send on to the same address with or without its last slash mean the same thing.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        guard first != second else { return true }
        guard let one = WebAddress(first), let other = WebAddress(second), one.query == other.query else {
            return false
        }
        return one.path.split(separator: "/") == other.path.split(separator: "/")
    }

    private func sendSigned(_ exchange: HTTPExchange) async throws(IngestError) -> (HTTPResponse, HTTPRequest) {
        var signed = exchange
        if let auth { signed.request = try await auth.sign(exchange.request) }
        let redactor = memo.redactor(plain: exchange.request, signed: signed.request)
        do throws(IngestError) {
            var response = try await transport.send(signed)
            response.redactor = redactor
            return (response, signed.request)
        } catch {
            var error = error
            error.message = redactor.scrub(error.message)
            throw error
        }
    }

    /// The address to go on to; nil when this answer is to be judged as it is.
    private func redirect(_ response: HTTPResponse, of request: HTTPRequest) -> String? {
        let reads = request.method == "GET" || request.method == "HEAD"
        guard response.status == 307 || response.status == 308 || (reads && (301...303).contains(response.status)),
            let location = response[header: "Location"], let from = WebAddress(request.url),
            let to = WebAddress(location, relativeTo: request.url), to.origin == from.origin
        else { return nil }
        return to.text
    }
}

/// What signing adds is mostly the same for one request after the other: what must not be shown of it is worked out
/// once.
private final class RedactorCache: Sendable {
    private let last = Mutex<(added: [String], redactor: Redactor)?>(nil)

    func redactor(plain: HTTPRequest, signed: HTTPRequest) -> Redactor {
        guard signed.url == plain.url else { return Redactor(plain: plain, signed: signed) }
        let added = Redactor.added(to: plain, in: signed)
        if let last = last.withLock(\.self), last.added == added { return last.redactor }
        let made = Redactor(plain: plain, signed: signed)
        last.withLock { $0 = (added, made) }
        return made
    }
}
