/// Builds a `multipart/form-data` body (RFC 7578) with its exact length.
public struct Multipart: Sendable {
    private var pieces: [HTTPBody.Piece] = []
    private let boundary: String

    public init() {
        var random = SystemRandomNumberGenerator()
        boundary = "filmgate-" + String(random.next(), radix: 16) + String(random.next(), radix: 16)
    }

    /// A text field.
    public mutating func add(_ name: String, _ value: String) {
        pieces.append(.bytes(head(name, file: nil, type: nil) + Array(value.utf8) + Array("\r\n".utf8)))
    }

    /// A file field; `fileName` is what the server is told.
    public mutating func add(_ name: String, file slice: FileSlice, fileName: String, type: String) {
        pieces += [.bytes(head(name, file: fileName, type: type)), .file(slice), .bytes(Array("\r\n".utf8))]
    }

    /// The finished body.
    public var body: HTTPBody {
        HTTPBody(
            pieces + [.bytes(Array("--\(boundary)--\r\n".utf8))], type: "multipart/form-data; boundary=\(boundary)")
    }

    private func head(_ name: String, file: String?, type: String?) -> [UInt8] {
        var text =
            Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8) + Self.quoted(name)
            + Array("\"".utf8)
        if let file { text += Array("; filename=\"".utf8) + Self.quoted(file) + Array("\"".utf8) }
        if let type { text += Array("\r\nContent-Type: \(HeaderText.clean(type))".utf8) }
        return text + Array("\r\n\r\n".utf8)
    }

    /// As browsers do it (WHATWG HTML, multipart/form-data): only quote, CR and LF are escaped, everything else goes as
    /// it is.
    static func quoted(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for byte in PathBytes.of(text) {
            switch byte {
            case UInt8(ascii: "\""): result += Array("%22".utf8)
            case 0x0D: result += Array("%0D".utf8)
            case 0x0A: result += Array("%0A".utf8)
            case 0: result += Array("%00".utf8)
            default: result.append(byte)
            }
        }
        return result
    }
}
