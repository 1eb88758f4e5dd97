import Glibc

/// Where datagrams go: a multicast group, or one machine.
public struct DatagramEndpoint: Sendable, Hashable {
    public var address: IPv4, port: UInt16
    public init(_ address: IPv4, _ port: UInt16) { (self.address, self.port) = (address, port) }
    public static let ssdp = Self(IPv4(239, 255, 255, 250), 1900)
    public static let mdns = Self(IPv4(224, 0, 0, 251), 5353)
    var isMulticast: Bool { address.value >> 28 == 14 }
}

/// Asks by UDP and collects what comes back.
public enum Datagrams {
    /// More senders than any place has cameras and televisions; larger answers are nobody's we look for.
    static let limit = 256, size = 9000

    /// Sends `message` through every network and hands each answer, with its sender, to `take` until `deadline`.
    ///
    /// Blocks. Says nothing where there is no network: then nothing answers.
    public static func ask(
        _ message: [UInt8], _ endpoint: DatagramEndpoint, from networks: [LocalNetwork], by deadline: Deadline,
        _ take: (RawSpan, IPv4) -> Void
    ) {
        let sources = endpoint.isMulticast ? networks.map(\.own) : [IPv4(0)]
        let sockets = sources.prefix(16).compactMap(open)
        defer { for socket in sockets { close(socket) } }
        for socket in sockets { send(message, to: endpoint, through: socket) }
        var left = limit
        while left > 0, !deadline.hasPassed, !sockets.isEmpty {
            var pollers = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&pollers, nfds_t(pollers.count), deadline.milliseconds) > 0 else { continue }
            for poller in pollers where poller.revents != 0 {
                left -= 1
                receive(poller.fd, take)
            }
        }
    }

    /// A socket bound to one of our addresses: answers come back to it, and only from there.
    private static func open(_ source: IPv4) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        var hops: UInt8 = 2
        setsockopt(socket, Int32(IPPROTO_IP), IP_MULTICAST_TTL, &hops, 1)
        var own = in_addr(s_addr: source.value.bigEndian)
        if source.value != 0 {
            setsockopt(socket, Int32(IPPROTO_IP), IP_MULTICAST_IF, &own, socklen_t(MemoryLayout<in_addr>.size))
        }
        let bound = withAddress(DatagramEndpoint(source, 0)) { bind(socket, $0, $1) }
        guard bound == 0 else {
            close(socket)
            return nil
        }
        return socket
    }

    private static func send(_ message: [UInt8], to endpoint: DatagramEndpoint, through socket: Int32) {
        _ = withAddress(endpoint) { sendto(socket, message, message.count, Int32(MSG_NOSIGNAL), $0, $1) }
    }

    private static func receive(_ socket: Int32, _ take: (RawSpan, IPv4) -> Void) {
        var sender = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var buffer = [UInt8](repeating: 0, count: size)
        let count = withUnsafeMutablePointer(to: &sender) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(socket, &buffer, size, Int32(MSG_DONTWAIT), $0, &length)
            }
        }
        guard count > 0 else { return }
        let bytes = Array(buffer.prefix(count))
        take(bytes.span.bytes, IPv4(UInt32(bigEndian: sender.sin_addr.s_addr)))
    }

    private static func withAddress<R>(
        _ endpoint: DatagramEndpoint, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = endpoint.port.bigEndian
        address.sin_addr.s_addr = endpoint.address.value.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
