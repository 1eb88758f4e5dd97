import Crypto

/// Takes in an answer line by line and piece by piece, and never more of it than the limits allow.
struct AnswerReader {
    var reception = HTTPExchange.Reception.collect(1 << 20)
    private(set) var truncated = false
    /// The header block has ended.
    private(set) var isComplete = false
    private(set) var hasBegun = false
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var length: UInt64 = 0
    private var hash = SHA256()

    static let headerLimit = 200, headerByteLimit = 64 << 10

    /// False: over the limit.
    mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerByteLimit, headers.count < Self.headerLimit else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // A new block: the one before was 100 Continue or the like.
            (headers, isComplete, hasBegun) = ([], false, true)
        } else if line == "\r\n" || line == "\n" {
            isComplete = true
        } else if !isComplete {
            add(line)
        }
        return true
    }

    private mutating func add(_ line: String) {
        if line.first == " " || line.first == "\t", let last = headers.indices.last {
            headers[last].value += " " + Self.trimmed(Substring(line))
        } else if let colon = line.firstIndex(of: ":") {
            headers.append((Self.trimmed(line[..<colon]), Self.trimmed(line[line.index(after: colon)...])))
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return HeaderText.clean(String(text))
    }

    /// False: the rest is not wanted.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        length += UInt64(bytes.count)
        switch reception {
        case .collect(let limit):
            body.append(contentsOf: bytes.prefix(max(0, limit - body.count)))
            truncated = length > UInt64(limit)
        case .digest(let limit):
            truncated = length > limit
            if !truncated { hash.update(bufferPointer: bytes) }
        }
        return !truncated
    }

    func response(status: Int, url: String) -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, body: body, url: url)
        (response.truncated, response.length) = (truncated, length)
        if case .digest = reception, !truncated { response.digest = Hex.text(of: hash.finalize()) }
        return response
    }
}
