import Glibc

/// One machine, or a network of them: `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`.
package struct PeerRange: Sendable, Hashable {
    /// As an IPv6 address; those of IPv4 are mapped ones.
    private let bytes: [UInt8], length: Int

    /// Nil for anything else, also for a network with bits of a machine.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let bytes = Self.bytes(of: parts[0]) else { return nil }
        let isShort = Self.isMapped(bytes) && !parts[0].contains(":"), most = isShort ? 32 : 128
        var length = most
        if parts.count == 2 {
            guard let given = Int(parts[1]), String(given) == parts[1], (0...most).contains(given) else { return nil }
            length = given
        }
        self.bytes = bytes
        self.length = isShort ? length + 96 : length
        guard Self.masked(bytes, self.length) == bytes else { return nil }
    }

    /// `address` as `PeerAddress` writes it.
    func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(of: String(address.prefix { $0 != "%" })) else { return false }
        return Self.masked(other, length) == bytes
    }

    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }

    private static func bytes(of address: String) -> [UInt8]? {
        var long = [UInt8](repeating: 0, count: 16), short = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET6, address, &long) == 1 { return long }
        guard inet_pton(AF_INET, address, &short) == 1 else { return nil }
        return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + short
    }

    private static func masked(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let bits = min(8, max(0, length - index * 8))
            return bits == 0 ? 0 : byte & UInt8(truncatingIfNeeded: 0xFF << (8 - bits))
        }
    }
}
