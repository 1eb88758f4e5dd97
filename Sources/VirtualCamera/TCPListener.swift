import FilmgateCore
import Glibc
public import PTPKit
import Synchronization

/// Listens on a TCP port of this machine and hands every connection to a thread of its own.
public final class TCPListener: Sendable {
    /// The port that was given, or chosen by the system when that was 0.
    public let port: UInt16
    private let descriptor: Int32
    private let stopped = Mutex(false)
    private let open = Mutex<[ObjectIdentifier: Socket]>([:])

    /// `address` is an IPv4 number; the default is reachable from this machine alone.
    ///
    /// `busy` when the port is taken.
    public init(address: String = "127.0.0.1", port: UInt16 = 0) throws(PTPError) {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard opened >= 0 else { throw .gone("no socket") }
        descriptor = opened
        var on: Int32 = 1
        setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &place.sin_addr) == 1 else {
            Glibc.close(opened)
            throw .denied("\(address) is no IPv4 address")
        }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(opened, address, size) == 0 && listen(opened, 16) == 0 && getsockname(opened, address, &size) == 0
            }
        }
        guard bound else {
            Glibc.close(opened)
            throw .busy("port \(port) cannot be opened on \(address)")
        }
        self.port = UInt16(bigEndian: place.sin_port)
    }

    deinit { Glibc.close(descriptor) }

    /// Accepts until `stop`; `serve` runs on a thread of its own for each connection.
    public func start(_ serve: @escaping @Sendable (Socket) -> Void) {
        BlockingThread.run { self.accept(serve) }
    }

    private func accept(_ serve: @escaping @Sendable (Socket) -> Void) {
        while !stopped.withLock({ $0 }) {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let socket = Socket(adopting: connection)
            open.withLock { $0[ObjectIdentifier(socket)] = socket }
            if stopped.withLock({ $0 }) { socket.stop() }
            BlockingThread.run {
                serve(socket)
                socket.stop()
                self.open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(socket)) }
            }
        }
    }

    /// Closes the port and every connection.
    ///
    /// Safe to call twice.
    public func stop() {
        guard
            !stopped.withLock({ was in
                defer { was = true }; return was
            })
        else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
        closeConnections()
    }

    /// Closes every connection and keeps listening: what a camera out of reach looks like.
    public func closeConnections() { for socket in open.withLock({ Array($0.values) }) { socket.stop() } }
}
