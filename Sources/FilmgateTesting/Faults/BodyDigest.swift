import CryptographyKit

/// The SHA-256 of the file in a request's body while it passes: of the whole body, or of a form's last part.
struct BodyDigest: Sendable {
    private var hash = RunningHash(.sha256)
    /// Where the file lies in the body; nil until a form's head has been read.
    private var range: Range<Int>?
    private var head: [UInt8] = []
    private var position = 0
    private let length: Int, closing: Int?

    /// `type` as in the request's `Content-Type`.
    init(length: Int, type: String?) {
        self.length = length
        if let type, type.hasPrefix("multipart/"), let mark = type.firstRange(of: "boundary=") {
            let boundary = type[mark.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
            closing = boundary.utf8.count + 8
        } else {
            (closing, range) = (nil, 0..<length)
        }
    }

    mutating func update(_ bytes: [UInt8]) {
        guard let range else { return look(bytes) }
        let from = max(range.lowerBound - position, 0), to = min(range.upperBound - position, bytes.count)
        if from < to { bytes[from..<to].withUnsafeBytes { hash.update($0) } }
        position += bytes.count
    }

    /// The file begins after the empty line that follows its `filename`.
    private mutating func look(_ bytes: [UInt8]) {
        head += bytes
        guard let closing, let name = head.firstRange(of: Array("filename=\"".utf8)),
            let end = head[name.upperBound...].firstRange(of: Array("\r\n\r\n".utf8))
        else { return }
        range = end.upperBound..<max(end.upperBound, length - closing)
        let all = head
        head = []
        update(all)
    }

    /// Lower-case hexadecimal; of what has passed so far.
    var text: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: hash.digest().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
