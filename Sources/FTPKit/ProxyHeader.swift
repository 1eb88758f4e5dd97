import Glibc
import ServerKit

/// What a balancer says of a client before that one's first byte: the PROXY protocol, versions 1 and 2.
public enum ProxyHeader: Sendable, Equatable {
    /// More has to come before anything can be said.
    case incomplete
    /// Anything else, and what names no address of a client.
    case invalid
    /// Of `length` bytes. The client's address as `PeerAddress` writes it; nil where the balancer speaks for itself, to
    /// see whether somebody listens.
    case whole(client: String?, length: Int)

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let word = Array("PROXY ".utf8)
    /// Of version 1, as its specification says; what balancers add to version 2 is far below its limit.
    private static let longestLine = 107, longest = 2048

    /// Of the bytes that have come so far.
    public init(_ bytes: [UInt8]) {
        if bytes.starts(with: Self.signature.prefix(bytes.count)) {
            self = Self.binary(bytes)
        } else if bytes.starts(with: Self.word.prefix(bytes.count)) {
            self = Self.line(bytes)
        } else {
            self = .invalid
        }
    }

    private static func binary(_ bytes: [UInt8]) -> ProxyHeader {
        guard bytes.count >= 16 else { return .incomplete }
        let length = 16 + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard bytes[12] >> 4 == 2, length <= longest else { return .invalid }
        guard bytes.count >= length else { return .incomplete }
        switch (bytes[12] & 0x0F, bytes[13]) {
        case (0, _): return .whole(client: nil, length: length)
        case (1, 0x11) where length >= 28: return client(AF_INET, Array(bytes[16..<20]), length)
        case (1, 0x21) where length >= 52: return client(AF_INET6, Array(bytes[16..<32]), length)
        default: return .invalid
        }
    }

    private static func client(_ family: CInt, _ address: [UInt8], _ length: Int) -> ProxyHeader {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return .invalid }
        let end = text.firstIndex(of: 0) ?? text.endIndex
        let shown = String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .whole(client: PeerAddress.unmapped(shown), length: length)
    }

    /// `PROXY TCP4 192.0.2.7 198.51.100.1 56324 21`, and the end of the line.
    private static func line(_ bytes: [UInt8]) -> ProxyHeader {
        guard let end = bytes.prefix(longestLine).firstIndex(of: 0x0A) else {
            return bytes.count < longestLine ? .incomplete : .invalid
        }
        guard end > 0, bytes[end - 1] == 0x0D else { return .invalid }
        let words = bytes[..<(end - 1)].split(separator: 0x20, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        if words.count >= 2, words[1] == "UNKNOWN" { return .whole(client: nil, length: end + 1) }
        guard words.count == 6, words[4...].allSatisfy({ UInt16($0) != nil }) else { return .invalid }
        let family: CInt? = words[1] == "TCP4" ? AF_INET : words[1] == "TCP6" ? AF_INET6 : nil
        guard let family, let source = parsed(words[2], family), parsed(words[3], family) != nil else {
            return .invalid
        }
        return client(family, source, end + 1)
    }

    private static func parsed(_ text: String, _ family: CInt) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
