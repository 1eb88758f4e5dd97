import Glibc

/// A connected socket between the program and the process that decodes pictures; whole messages of known length go over
/// it.
public final class PreviewStream: Sendable {
    public enum Failure: Error, Sendable, Hashable {
        case malformed
        /// The other side ended.
        case ended
        /// Nothing moved for as long as was set.
        case timedOut
    }
    private let descriptor: Int32

    /// Takes over the socket and closes it in the end.
    /// - Parameter patience: seconds for which nothing may move; 0 waits for ever.
    public init(_ descriptor: Int32, patience: Int = 0) {
        self.descriptor = descriptor
        guard patience > 0 else { return }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(descriptor) }

    /// Blocks until the other side has taken all of it.
    public func send(_ bytes: [UInt8]) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { done += count } else if count == 0 || errno != EINTR { throw Self.failure() }
        }
    }

    /// Blocks until exactly so many bytes are there.
    public func receive(_ count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count), done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { all in
                let rest = UnsafeMutableRawBufferPointer(rebasing: all[done...])
                return recv(descriptor, rest.baseAddress, rest.count, 0)
            }
            if got == 0 { throw .ended }
            if got > 0 { done += got } else if errno != EINTR { throw Self.failure() }
        }
        return bytes
    }

    /// Whoever waits here is told that the other side ended.
    public func shut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func failure() -> Failure { errno == EAGAIN || errno == EWOULDBLOCK ? .timedOut : .ended }
}
