import Glibc

/// Lines over a connected socket; blocks.
///
/// Closes it in the end.
final class LineStream: Sendable {
    let descriptor: Int32
    /// No line is longer: a request is a command line, an answer one line of output.
    static let longest = 4 << 20

    /// Milliseconds after which a silent other side counts as gone; −1 = never.
    private let patience: Int32

    /// A side that stops reading is given up after half a minute.
    init(owning descriptor: Int32, patience: Int32 = -1) {
        (self.descriptor, self.patience) = (descriptor, patience)
        // A `timeval`, whose own initializer optimised builds of this module do not find.
        let limit = [30, 0]
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// False when the other side is gone.
    @discardableResult func send(_ line: String) -> Bool {
        var text = line + "\n"
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }

    /// Calls `body` with each line until it says false or the other side closes.
    func lines(_ body: (String) -> Bool) {
        var pending: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 16 << 10)
        while pending.count < Self.longest {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if patience >= 0, poll(&waiting, 1, patience) <= 0 { return }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            pending += chunk[..<count]
            while let end = pending.firstIndex(of: 0x0A) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                if !body(line) { return }
            }
        }
    }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
