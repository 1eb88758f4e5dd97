import Glibc

/// Frames over a socket, for one thread at a time.
public final class FrameChannel {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var used = 0

    /// Takes over a connected socket and closes it in the end.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    /// Sends a whole frame.
    ///
    /// Blocks while the other side does not read; `ended` when it is gone.
    public func send(_ frame: Frame) throws(WireError) {
        let bytes = frame.encoded
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { done += count } else if errno != EINTR { throw .ended }
        }
    }

    /// The next frame.
    ///
    /// `timedOut` when it is not whole within `limit`; nil waits for ever. A frame longer than `Frame.limit` is
    /// `malformed`.
    public func receive(within limit: Duration? = nil) throws(WireError) -> Frame {
        let deadline = limit.map { ContinuousClock.now + $0 }
        try fill(Frame.headSize, by: deadline)
        let length = (0..<4).reduce(0) { $0 | Int(buffer[used + $1]) << (8 * $1) }
        guard (1...Frame.limit).contains(length) else { throw .malformed }
        try fill(4 + length, by: deadline)
        let start = used + Frame.headSize
        let frame = Frame(buffer[used + 4], Array(buffer[start..<used + 4 + length]))
        used += 4 + length
        if used == buffer.count { (buffer, used) = ([], 0) }
        return frame
    }

    private func fill(_ wanted: Int, by deadline: ContinuousClock.Instant?) throws(WireError) {
        while buffer.count - used < wanted {
            if used > 0 {
                buffer.removeFirst(used)
                used = 0
            }
            try wait(by: deadline)
            let room = max(64 << 10, wanted - buffer.count)
            let part = [UInt8](unsafeUninitializedCapacity: room) { part, count in
                count = max(0, recv(descriptor, part.baseAddress, room, 0))
            }
            guard !part.isEmpty else { throw .ended }
            buffer += part
        }
    }

    private func wait(by deadline: ContinuousClock.Instant?) throws(WireError) {
        while true {
            var limit: Int32 = -1
            if let deadline {
                let left = (deadline - .now).components
                limit = Int32(clamping: max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
                if deadline <= .now { throw .timedOut }
            }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&poller, 1, limit)
            if count > 0 { return }
            if count == 0 { throw .timedOut }
            if errno != EINTR { throw .ended }
        }
    }
}
