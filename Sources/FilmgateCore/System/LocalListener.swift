import Glibc
import Synchronization

/// A socket of this machine at which clients are waited for.
package final class LocalListener: Sendable {
    package struct Failure: Error {
        package let code: CInt
        package var reason: String { String(cString: strerror(code)) }
    }

    /// Microseconds before the next try.
    private static let pause: UInt32 = 100_000
    package let descriptor: CInt
    private let isShut = Atomic(false)

    /// At an IPv4 address in dotted form; port 0 is any that is free.
    package init(host: String, port: UInt16) throws(Failure) {
        descriptor = try Self.bound(AF_INET) { descriptor in
            var address = sockaddr_in(), yes: CInt = 1
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr(host)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }

    /// At a path, to which `bind` binds the socket that it is given; false where it could not.
    package init(path bind: (CInt) -> Bool) throws(Failure) { descriptor = try Self.bound(AF_UNIX, bind) }

    /// Only when its thread has let go of it: the number may be somebody else's then.
    deinit { close(descriptor) }

    private static func bound(_ family: CInt, _ bind: (CInt) -> Bool) throws(Failure) -> CInt {
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, bind(descriptor), listen(descriptor, 128) == 0 else {
            let failure = Failure(code: errno)
            if descriptor >= 0 { close(descriptor) }
            throw failure
        }
        return descriptor
    }

    /// Zero for one at a path.
    package var port: Int {
        var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return code == 0 && address.sin_family == sa_family_t(AF_INET) ? Int(UInt16(bigEndian: address.sin_port)) : 0
    }

    /// The next client, which the caller closes; nil, with the reason in `errno`, where none could be taken.
    package func next() -> CInt? {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return nil }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return client
    }

    /// Takes clients on a thread of its own until it is shut; `take` owns what it is given, and keeps the next one
    /// waiting.
    ///
    /// Connections that break and descriptors that have run out are no end: what waits is taken when there is room
    /// again.
    package func open(_ take: @escaping @Sendable (CInt) -> Void) {
        BlockingThread.run {
            while !self.isShut.load(ordering: .relaxed) {
                if let client = self.next() { take(client) } else if Self.isOver(errno) { return }
            }
        }
    }

    /// What accept(2) failed with: true when it will never work again; else it has waited where waiting helps.
    private static func isOver(_ code: CInt) -> Bool {
        switch code {
        case EINTR, ECONNABORTED: return false
        case EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP, EFAULT: return true
        default:
            usleep(pause)
            return false
        }
    }

    package func shut() {
        isShut.store(true, ordering: .relaxed)
        shutdown(descriptor, CInt(SHUT_RDWR))
    }
}
