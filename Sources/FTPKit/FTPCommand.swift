import FileKit

/// One line of the control connection: a verb, and what follows it.
public struct FTPCommand: Sendable, Hashable {
    /// The word that the line begins with, and all that follows the space behind it, byte for byte.
    public var verb: String, argument: String

    /// Telnet's interrupts (RFC 959 §4.1.3 on ABOR) are taken out; the verb is made upper case.
    public init(_ line: [UInt8]) {
        var bytes: [UInt8] = []
        var rest = line[...]
        while let byte = rest.popFirst() {
            guard byte == 0xFF, let next = rest.first, next >= 0xF0 else {
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst()
            if next == 0xFF { bytes.append(0xFF) }
        }
        // Where the network loses the urgent byte, half of an interrupt is left before the verb.
        bytes = Array(bytes.drop { $0 >= 0xF0 })
        let cut = bytes.firstIndex(of: 0x20) ?? bytes.endIndex
        verb = String(decoding: bytes[..<cut], as: UTF8.self).uppercased()
        argument = String(pathBytes: Array(bytes[cut...].dropFirst()))
    }

    /// `h1,h2,h3,h4,p1,p2` of PORT.
    public var hostPort: (host: String, port: Int)? {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { UInt8($0) }
        guard numbers.count == 6, !numbers.contains(nil) else { return nil }
        let bytes = numbers.compactMap { $0 }
        return (bytes[..<4].map(String.init).joined(separator: "."), Int(bytes[4]) << 8 | Int(bytes[5]))
    }

    /// `|1|host|port|` of EPRT (RFC 2428).
    public var extendedPort: (host: String, port: Int)? {
        guard let mark = argument.first else { return nil }
        let parts = argument.split(separator: mark, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[1] == "1" || parts[1] == "2", let port = UInt16(parts[3]) else { return nil }
        return (String(parts[2]), Int(port))
    }
}
