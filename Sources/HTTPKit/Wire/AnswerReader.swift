import CryptographyKit

/// Takes in an answer line by line and piece by piece, and never more of it than the limits allow.
struct AnswerReader {
    var reception = HTTPExchange.Reception.collect(1 << 20)
    private(set) var truncated = false
    /// The header block has ended.
    private(set) var isComplete = false
    private(set) var hasBegun = false
    /// The latest line before or after the body: of FTP what the server said at last.
    private(set) var lastLine = ""
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private var body: [UInt8] = [], opening: [UInt8] = []
    private var length: UInt64 = 0
    private var hash = RunningHash(.sha256)

    private static let openingLimit = 512
    static let headerLimit = 200, headerByteLimit = 64 << 10

    /// False: over the limit.
    mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerByteLimit, headers.count < Self.headerLimit else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        lastLine = line
        if line.hasPrefix("HTTP/") {
            // A new block: the one before was 100 Continue or the like.
            (headers, isComplete, hasBegun) = ([], false, true)
        } else if line.utf8.elementsEqual("\r\n".utf8) || line.utf8.elementsEqual("\n".utf8) {
            isComplete = true
        } else if !isComplete {
            add(line)
        }
        return true
    }

    private mutating func add(_ line: String) {
        if line.utf8.first == 0x20 || line.utf8.first == 0x09, let last = headers.indices.last {
            headers[last].value += " " + Self.trimmed(Substring(line))
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
            headers.append((Self.trimmed(line[..<colon]), Self.trimmed(line[line.index(after: colon)...])))
        }
    }

    /// Without the spaces, tabs and line ends around it.
    private static func trimmed(_ text: Substring) -> String {
        var bytes = text.utf8
        while let first = bytes.first, first == 0x20 || (9...13).contains(first) { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || (9...13).contains(last) { bytes.removeLast() }
        return HeaderText.clean(String(Substring(bytes)))
    }

    /// False: the rest is not wanted.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        length += UInt64(bytes.count)
        switch reception {
        case .collect(let limit):
            body.append(contentsOf: bytes.prefix(max(0, limit - body.count)))
            truncated = length > UInt64(limit)
        case .digest(let limit):
            if opening.count < Self.openingLimit {
                opening.append(contentsOf: bytes.prefix(Self.openingLimit - opening.count))
            }
            truncated = length > limit
            if !truncated { hash.update(bytes) }
        }
        return !truncated
    }

    func response(status: Int, url: String) -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, body: body, url: url)
        (response.truncated, response.length, response.opening) = (truncated, length, opening)
        if case .digest = reception, !truncated { response.digest = Hex.text(of: hash.digest()) }
        return response
    }
}
