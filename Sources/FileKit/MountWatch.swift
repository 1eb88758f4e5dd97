import FilmgateCore
import Glibc

/// Tells when something is mounted or taken away, without ever looking by itself: proc(5), the kernel raises POLLPRI on
/// mountinfo.
public enum MountWatch {
    /// A word for each change, several at nearly the same time as one, for as long as the stream is held.
    ///
    /// Nil where the kernel gives no such file.
    public static func changes(_ file: String = "/proc/self/mountinfo") -> AsyncStream<Void>? {
        let table = withCPath(file) { open($0, O_RDONLY | O_CLOEXEC) }
        guard table >= 0 else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            close(table)
            return nil
        }
        let (stop, wake) = (ends[0], ends[1])
        let (stream, door) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        door.onTermination = { _ in close(wake) }
        BlockingThread.run {
            wait(table, stop, door)
            close(table)
            close(stop)
        }
        return stream
    }

    /// Until the other end of `stop` is closed.
    private static func wait(_ table: Int32, _ stop: Int32, _ door: AsyncStream<Void>.Continuation) {
        while true {
            var both = [pollfd(fd: table, events: Int16(POLLPRI), revents: 0), pollfd(fd: stop, events: 0, revents: 0)]
            let count = poll(&both, 2, -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, both[1].revents == 0 else { return }
            door.yield()
        }
    }
}
