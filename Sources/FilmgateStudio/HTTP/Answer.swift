import FilmgateCore
import HTTPTypes
import Hummingbird
import NIOCore

/// What is sent back, before the headers that every answer has.
struct Answer: Sendable {
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields
    var body: ByteBuffer

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

    var response: Response {
        var headers = headers
        for field in SecurityHeaders.all where headers[field.name] == nil { headers.append(field) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
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
            ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), screen-wake-lock=(self)"),
        ]
        for (name, value) in texts { if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) } }
        return fields
    }()
}
