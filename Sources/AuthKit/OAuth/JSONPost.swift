public import FilmgateCore
public import HTTPKit

/// Talks JSON with a sign-in API that is no OAuth provider.
public struct JSONPost: Sendable {
    let transport: any HTTPTransport
    public let base: String

    /// `base`: scheme, host and port, without a slash at its end.
    public init(_ base: String, _ transport: any HTTPTransport) { (self.base, self.transport) = (base, transport) }

    /// The answer, whatever its status; `hidden` never shows in it.
    public func send(
        _ method: String, _ path: String, _ body: JSONObject? = nil, headers: [(name: String, value: String)] = [],
        hidden: [SecretValue] = []
    ) async throws(IngestError) -> HTTPResponse {
        try ProviderMetadata.require(base + path)
        let request = HTTPRequest(method, base + path, headers: [("Accept", "application/json")] + headers)
        let text = body.map { HTTPBody.text(JSONValue.object($0).serialized, type: "application/json") }
        var response = try await transport.send(HTTPExchange(request, body: text))
        response.redactor = Redactor(secrets: hidden)
        return response
    }

    /// Seconds since 1970 by our own clock for a moment that the server gave by its own.
    public static func local(_ moment: Int, in response: HTTPResponse, receivedAt now: Int) -> Int {
        let theirs = response[header: "Date"].flatMap(HTTPDate.unixSeconds) ?? now
        return now + (moment - theirs)
    }
}
