/// Lower-case hexadecimal.
public enum Hex {
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` writes, either case; nil when it is not hexadecimal.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for i in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[i], let low = digits[i + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}

/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    public static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = 0
            for i in 0..<3 { bits = bits << 8 | (i < group.count ? Int(group[start + i]) : 0) }
            for i in 0..<4 { text.append(i <= group.count ? alphabet[bits >> (18 - 6 * i) & 63] : UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` writes; the URL alphabet and missing padding are understood.
    ///
    /// Nil when it is not Base64.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = [], bits = 0, count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            let plain =
                byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
            guard let value = alphabet.firstIndex(of: plain) else { return nil }
            (bits, count) = ((bits << 6 | value) & 0xFFFFFF, count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xFF))
            }
        }
        return bytes
    }
}

/// Percent-encoding (RFC 3986): everything but unreserved characters, as the bytes that the name has on disk.
public enum Percent {
    public static func encode(_ text: String) -> String { encode(bytes: PathBytes.of(text)) }

    private static func encode(bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// What `text` stands for; nil when an escape is broken.
    ///
    /// Bytes that are not UTF-8 become U+FFFD: for a file's name, see ``ListedName``.
    public static func decode(_ text: some StringProtocol) -> String? {
        bytes(text).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes that `text` stands for; nil when an escape is broken.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = [], rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else { bytes.append(byte); continue }
            guard let decoded = Hex.bytes(String(decoding: rest.prefix(2), as: UTF8.self)), decoded.count == 1 else {
                return nil
            }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// The one spelling that signatures are made of: unreserved characters bare, all else encoded with capital digits.
    ///
    /// What is encoded already stays so; `text` is one component or one side of a query's pair.
    public static func canonical(_ text: String) -> String {
        var bytes: [UInt8] = [], rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let decoded = Hex.bytes(String(decoding: rest.prefix(2), as: UTF8.self)),
                decoded.count == 1
            {
                bytes += decoded
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return encode(bytes: bytes)
    }

    /// The same for a whole path; its separators stay.
    public static func canonical(path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { canonical(String($0)) }.joined(
            separator: "/")
    }

    /// Encodes the parts of a path and keeps its separators.
    public static func encode(path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { encode(String($0)) }.joined(separator: "/")
    }
}

/// Text made fit for one header line.
public enum HeaderText {
    /// A token as RFC 9110 §5.6.2 wants it.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Headers that say where a request goes or ends, lower-cased: nobody's to set but the transport's (RFC 9110 §7,
    /// RFC 9112 §6).
    public static let framing: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "expect", "upgrade", "trailer", "te",
    ]

    /// Printable bytes and tabs only.
    static func isValue(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

    /// Control characters, line breaks above all, become spaces: a name from outside never starts a header of its own.
    public static func clean(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
