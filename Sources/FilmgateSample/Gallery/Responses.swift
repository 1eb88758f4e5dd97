import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A JSON answer with its length.
    static func json(
        _ status: HTTPResponse.Status, _ value: some ResponseEncodable, _ request: Request, _ context: GalleryContext
    ) throws -> Response {
        var response = try context.responseEncoder.encode(value, from: request, context: context)
        response.status = status
        return response
    }

    /// `{"message": …}`; the text is the gallery's own, without anything that needs escaping but quotes.
    static func notice(_ status: HTTPResponse.Status, _ message: String) -> Response {
        let text = message.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"message\":\"\(text)\"}")))
    }

    /// Promises more bytes than it sends.
    static func cut() -> Response {
        Response(
            status: .created, headers: [.contentType: "application/json"],
            body: ResponseBody(contentLength: 1000) { writer in
                try await writer.write(ByteBuffer(string: "{\"id\":"))
                throw HTTPError(.internalServerError)
            })
    }
}
