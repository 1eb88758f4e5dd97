/// The text that a recording is kept as: one line for each thing said, numbers in hexadecimal, lengths in decimal.
extension Recording {
    static let title = "filmgate recording 1"

    /// Whether a file that begins so is a recording.
    public static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: title.utf8) }
    /// No recording of a session is larger.
    public static let limit = 64 << 20

    public var text: String {
        var lines = [Self.title]
        if let usb { lines.append("usb \(hex(UInt64(usb.vendor), 4)) \(hex(UInt64(usb.product), 4))") }
        for item in items {
            switch item {
            case .event(let event): lines.append(Self.line("event", event.code.rawValue, event.parameters))
            case .exchange(let exchange): lines += Self.lines(exchange)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ exchange: Exchange) -> [String] {
        var lines = [line("ask", exchange.operation.code.rawValue, exchange.operation.parameters)]
        if let sent = exchange.sent { lines.append("send " + digits(sent)) }
        let announced = exchange.announced.map(String.init) ?? "-"
        switch exchange.payload {
        case .bytes(let bytes): lines.append("data \(announced) " + digits(bytes))
        case .blank(let count): lines.append("file \(announced) \(count)")
        case nil: break
        }
        if let response = exchange.response { lines.append(line("answer", response.rawValue, exchange.parameters)) }
        if let failure = exchange.failure { lines.append("fail " + failure) }
        return lines
    }

    private static func line(_ word: String, _ code: UInt16, _ parameters: [UInt32]) -> String {
        ([word, hex(UInt64(code), 4)] + parameters.map { hex(UInt64($0), 8) }).joined(separator: " ")
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "-" : bytes.map { hex(UInt64($0), 2) }.joined()
    }

    /// Reads a recording; `malformed` with the number of the line that cannot be read.
    public init(text: String) throws(PTPError) {
        self.init()
        guard text.utf8.count <= Self.limit else { throw .malformed("a recording of \(text.utf8.count) bytes") }
        // By scalars: an end of line that came through another system is one character with its return.
        let lines = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }.map { line in
            String(line.last == "\r" ? line.dropLast() : line)
        }
        guard lines.first == Self.title else { throw .malformed("no recording") }
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let words = line.split(separator: " ")
            guard take(words) else { throw .malformed("line \(index + 1) of the recording") }
        }
    }

    private mutating func take(_ words: [Substring]) -> Bool {
        switch words.first {
        case "usb":
            guard words.count == 3, let vendor = UInt16(words[1], radix: 16), let product = UInt16(words[2], radix: 16)
            else {
                return false
            }
            usb = USBIdentity(vendor: vendor, product: product)
        case "event":
            guard let (code, parameters) = Self.coded(words) else { return false }
            items.append(.event(PTPEvent(EventCode(code), parameters)))
        case "ask":
            guard let (code, parameters) = Self.coded(words) else { return false }
            items.append(.exchange(Exchange(Operation(OperationCode(code), parameters))))
        default: return take(more: words)
        }
        return true
    }

    /// A line that belongs to the question before it.
    private mutating func take(more words: [Substring]) -> Bool {
        guard case .exchange(var exchange) = items.last, let word = words.first, words.count >= 2 else { return false }
        switch word {
        case "send":
            guard let bytes = Self.bytes(words[1]) else { return false }
            exchange.sent = bytes
        case "data", "file":
            guard words.count == 3, words[1] == "-" || UInt64(words[1]) != nil else { return false }
            let payload = word == "data" ? Self.bytes(words[2]).map(Payload.bytes) : UInt64(words[2]).map(Payload.blank)
            guard let payload else { return false }
            (exchange.announced, exchange.payload) = (UInt64(words[1]), payload)
        case "answer":
            guard let (code, parameters) = Self.coded(words) else { return false }
            (exchange.response, exchange.parameters) = (ResponseCode(code), parameters)
        case "fail":
            guard words.count == 2, words[1].utf8.allSatisfy({ $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }) else {
                return false
            }
            exchange.failure = String(words[1])
        default: return false
        }
        items[items.count - 1] = .exchange(exchange)
        return true
    }

    private static func coded(_ words: [Substring]) -> (UInt16, [UInt32])? {
        guard words.count >= 2, words.count <= 7, let code = UInt16(words[1], radix: 16) else { return nil }
        let parameters = words.dropFirst(2).compactMap { UInt32($0, radix: 16) }
        return parameters.count == words.count - 2 ? (code, parameters) : nil
    }

    private static func bytes(_ digits: Substring) -> [UInt8]? {
        if digits == "-" { return [] }
        var bytes: [UInt8] = [], high: UInt8?
        bytes.reserveCapacity(digits.utf8.count / 2)
        for character in digits.utf8 {
            let value: UInt8
            switch character {
            case 0x30...0x39: value = character - 0x30
            case 0x41...0x46: value = character - 0x37
            default: return nil
            }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return high == nil ? bytes : nil
    }
}
