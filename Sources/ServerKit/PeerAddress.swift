import Glibc
package import NIOCore

/// A machine's address as text.
///
/// An IPv4 machine that reached an IPv6 socket (`::ffff:192.0.2.1`) is written as the IPv4 machine that it is.
package enum PeerAddress {
    package static func text(_ address: SocketAddress?) -> String? { address?.ipAddress.map(unmapped) }

    package static func unmapped(_ text: String) -> String {
        guard text.lowercased().hasPrefix("::ffff:"), text.utf8.contains(0x2E) else { return text }
        return String(text.dropFirst(7))
    }

    /// Where to listen for, or to call, a machine that is written like this.
    package static func place(_ text: String, port: Int) throws -> SocketAddress {
        try SocketAddress(ipAddress: unmapped(text), port: port)
    }

    /// The same address with another port; a mapped one becomes an IPv4 address, all others keep their scope.
    package static func plain(_ address: SocketAddress) throws -> SocketAddress {
        guard let text = address.ipAddress, unmapped(text) != text else { return address }
        return try place(text, port: 0)
    }

    /// What one client has to itself: an IPv4 address, or the /64 of an IPv6 one, out of which a machine takes as many
    /// as it likes.
    package static func network(_ text: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let bare = text.prefix { $0 != "%" }
        guard text.utf8.contains(0x3A), inet_pton(AF_INET6, String(bare), &bytes) == 1 else { return text }
        return bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "/64"
    }
}
