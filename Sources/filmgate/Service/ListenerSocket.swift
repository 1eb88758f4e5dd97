import Dispatch
import Glibc
import Synchronization

/// A listening socket and the thread that takes its connections, until it is shut.
///
/// Connections that break and descriptors that have run out are no end: what waits is taken when there is room again.
final class ListenerSocket: Sendable {
    /// Microseconds before the next try.
    private static let pause: UInt32 = 100_000
    private let descriptor: Int32
    private let isShut = Atomic(false)

    init(owning descriptor: Int32) { self.descriptor = descriptor }

    /// Only when its thread has let go of it: the number may be somebody else's then.
    deinit { close(descriptor) }

    /// `take` owns what it is given, and keeps the next connection waiting.
    func open(_ label: String, _ take: @escaping @Sendable (Int32) -> Void) {
        DispatchQueue(label: label).async {
            while !self.isShut.load(ordering: .relaxed) {
                let client = accept(self.descriptor, nil, nil)
                if client >= 0 {
                    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                    take(client)
                } else if Self.isOver(errno) {
                    return
                }
            }
        }
    }

    /// What accept(2) failed with: true when it will never work again; else it has waited where waiting helps.
    private static func isOver(_ code: Int32) -> Bool {
        switch code {
        case EINTR, ECONNABORTED: return false
        case EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP, EFAULT: return true
        default:
            usleep(pause)
            return false
        }
    }

    func shut() {
        isShut.store(true, ordering: .relaxed)
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
