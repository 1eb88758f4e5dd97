public import FilmgateCore

/// Carries one request to a server and brings back its answer; the only thing that targets and sign-in know of the
/// network.
public protocol HTTPTransport: Sendable {
    /// Sends one request and returns whatever the server answers, errors and redirects included: nothing is followed,
    /// retried or signed.
    ///
    /// Waits without holding a thread of the cooperative pool. Cancelling the task ends the transfer within about a
    /// second (`cancelled`). `network` when no whole answer came, or a yes before the whole body was sent; the server
    /// may then still have the whole request: ask it before sending again. `untrusted` when its certificate fails,
    /// `corruptData` when a file no longer holds the promised bytes (the last are then not sent).
    func send(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse
}

/// One request with its body, and what to do with the answer.
public struct HTTPExchange: Sendable {
    /// What becomes of the answer's body.
    public enum Reception: Sendable, Hashable {
        /// Kept in memory up to so many bytes; the rest is not read.
        case collect(Int)
        /// Hashed as it comes, not kept; at most so many bytes.
        case digest(upTo: UInt64)
    }

    public var request: HTTPRequest
    /// Nil for a request without a body; an empty body sends `Content-Length: 0`.
    public var body: HTTPBody?
    public var reception = Reception.collect(1 << 20)
    /// The server may say that all is well before it has the whole body, as some do that know it by its digest; else
    /// that is no answer.
    public var mayEndEarly = false
    /// Bytes sent so far; called at most a few times a second, on the worker's thread: must be quick.
    public var progress: (@Sendable (UInt64) -> Void)?

    public init(_ request: HTTPRequest, body: HTTPBody? = nil) { (self.request, self.body) = (request, body) }
}

/// A server's whole answer; the body is bounded by what the exchange asked for.
public struct HTTPResponse: Sendable {
    public var status: Int
    /// In the order received, at most 200 lines and 64 KiB.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// The body went on past the limit and was cut.
    public var truncated = false
    /// SHA-256 and length of the body, for `Reception.digest`.
    public var digest: String?, length: UInt64 = 0
    /// The body's first bytes, for `Reception.digest`.
    ///
    /// At most 512.
    public var opening: [UInt8] = []
    /// Where the answer came from, after redirects within the same origin.
    public var url: String
    /// Another address of that origin answered than the one that was asked.
    public var isRedirected = false
    /// It came before the whole body was sent.
    public var isEarly = false
    /// The body was sent anew after a connection that ended without an answer: the server may have a part of it from
    /// there, and may still do something with that.
    public var wasRepeated = false
    /// What must never be shown of this exchange.
    public var redactor = Redactor()

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], url: String = "") {
        (self.status, self.headers, self.body, self.url) = (status, headers, body, url)
    }

    /// The first header of that name, whatever its case.
    public subscript(header name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as JSON; nil when it is none.
    public var json: JSONValue? { truncated ? nil : JSONValue(body) }
}

/// How a transport behaves towards its server.
public struct TransportOptions: Sendable {
    public enum Version: Sendable, Hashable {
        /// HTTP/1.1, one connection per worker: the default, since HTTP/2 uploads crawl where windows are small and the
        /// way is long.
        case http1
        /// HTTP/2 where the server offers it.
        case negotiated
    }
    /// Transfers at once, each with a connection of its own.
    ///
    /// 1…64.
    public var lanes = 4
    /// How long name lookup, connecting and the TLS handshake may take together.
    public var connect = Duration.seconds(10)
    /// A transfer that moves fewer than 128 bytes a second for so long is given up.
    public var stall = Duration.seconds(60)
    /// How long after its beginning an upload can have met the end of a kept connection, and is sent once more unasked.
    ///
    /// Later the process may have stood still meanwhile, and the file may have come there from elsewhere.
    public var race = Duration.seconds(10)
    /// How long the server may think about a request that it has in full.
    public var answer = Duration.seconds(120)
    /// PEM file of the authorities to trust instead of the system's.
    ///
    /// Verification itself cannot be switched off.
    public var authorities: String?
    /// Upper limit of what is sent over all workers together; bodies only.
    public var bytesPerSecond: UInt64?
    /// What the limit is measured with.
    public var clock = LimiterClock.system
    public var version = Version.http1
    public var agent = "filmgate"

    public init() {}
}
