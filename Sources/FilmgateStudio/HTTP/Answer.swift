import FilmgateCore
import HTTPTypes
import Hummingbird
import NIOCore

/// What is sent back, before the headers that every answer has.
struct Answer: Sendable {
    /// Writes an answer that has no end of its own; it is cancelled when the client goes.
    typealias Stream = @Sendable (_ write: (ByteBuffer) async throws -> Void) async throws -> Void

    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields
    var body: ByteBuffer
    /// Instead of `body`.
    var stream: Stream?

    init(_ status: HTTPResponse.Status = .ok, type: String, _ bytes: ByteBuffer) {
        (self.status, body) = (status, bytes)
        headers = [.contentType: type, .cacheControl: "no-store"]
    }

    static func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Answer {
        Answer(status, type: "application/json", ByteBuffer(string: text))
    }
    static func html(_ text: String, _ status: HTTPResponse.Status = .ok) -> Answer {
        Answer(status, type: "text/html; charset=utf-8", ByteBuffer(string: text))
    }

    static func refusal(_ error: StudioError) -> Answer {
        var answer = json(error.json, error.status)
        if let time = error.retryAfter { answer.headers[.retryAfter] = String(max(1, time.components.seconds)) }
        return answer
    }

    /// Server-sent events.
    static func events(_ stream: @escaping Stream) -> Answer {
        var answer = Answer(.ok, type: "text/event-stream", ByteBuffer())
        answer.stream = stream
        return answer
    }

    /// Sends what the closure writes, instead of `body`.
    mutating func send(_ stream: @escaping Stream) { self.stream = stream }

    func response(to request: Request) -> Response {
        var headers = headers
        for field in SecurityHeaders.all where headers[field.name] == nil { headers.append(field) }
        guard let stream else {
            return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
        }
        let body = ResponseBody { writer in
            // One at a time: nobody else writes until the closure is done.
            nonisolated(unsafe) var own = writer
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                try await stream { try await own.write($0) }
            }
            try await writer.finish(nil)
        }
        return Response(status: status, headers: headers, body: body)
    }
}

/// What every answer says to the browser.
enum SecurityHeaders {
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
        + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

    static let all: HTTPFields = {
        var fields = HTTPFields()
        let texts = [
            ("Content-Security-Policy", policy), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
            (
                "Permissions-Policy",
                "camera=(), microphone=(), geolocation=(), payment=(), usb=(), screen-wake-lock=(self)"
            ),
        ]
        for (name, value) in texts {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }()
}
