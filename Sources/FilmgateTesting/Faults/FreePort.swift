import Glibc
import Synchronization

/// Ports for servers that are started later, by another program, or once more at the same place.
///
/// A port that the system has handed out and taken back may be a connection's own end the next moment: these lie below
/// the range that Linux takes such ends from (`ip_local_port_range`, from 32,768), and none is given twice.
public enum FreePort {
    private static let range = 10_000..<20_000
    private static let following = Mutex(Int(getpid()) &* 97 % range.count)

    /// A port of 127.0.0.1 that nobody listens at; another one with every call.
    ///
    /// Does not block.
    public static func next() -> Int {
        while true {
            let port = following.withLock { number in
                number = (number + 1) % range.count
                return range.lowerBound + number
            }
            guard let found = try? Socket.listen(port) else { continue }
            close(found.descriptor)
            return port
        }
    }
}
