import Glibc
import Testing

/// Takes connections, and never says a word.
final class SilentServer: Sendable {
    private let socket: CInt
    let port: UInt16

    /// `port`: absent, any that is free.
    init(at address: String = "127.0.0.1", port: UInt16 = 0) throws {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        (place.sin_family, place.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        place.sin_addr.s_addr = inet_addr(address)
        let socket = socket
        let isListening = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(socket, place, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, place, &length) == 0
            }
        }
        self.port = UInt16(bigEndian: place.sin_port)
        try #require(isListening)
    }

    deinit { close(socket) }
}
