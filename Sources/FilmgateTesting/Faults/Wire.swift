import Glibc

/// Loopback sockets.
enum Socket {
    struct Failure: Error {}

    /// `wanted`: 0 for any free port.
    static func listen(_ wanted: Int = 0) throws -> (descriptor: CInt, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(UInt16(wanted)), yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard descriptor >= 0, bound else {
            close(descriptor)
            throw Failure()
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// `host`: the last number of 127.0.0.x.
    static func connect(_ port: Int, host: UInt32 = 1) -> CInt? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(UInt16(port), host)
        let done = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if done { return descriptor }
        close(descriptor)
        return nil
    }

    private static func loopback(_ port: UInt16, _ host: UInt32 = 1) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0000 + host).bigEndian
        return address
    }
}

/// One connection's bytes, blocking.
struct Wire {
    private let descriptor: CInt
    private var pending: [UInt8] = []

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Up to the empty line; nil at the end of the connection.
    mutating func readHead() -> String? {
        while true {
            if let end = pending.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: pending[..<end.lowerBound], as: UTF8.self)
                pending.removeSubrange(..<end.upperBound)
                return head
            }
            guard pending.count < 65_536, let more = receive() else { return nil }
            pending += more
        }
    }

    /// Reads the body, or its first `limit` bytes.
    ///
    /// False when the sender ended before.
    mutating func readBody(_ seen: inout FaultServer.Seen, upTo limit: Int = .max) -> Bool {
        takeBody(&seen, upTo: limit) { _ in true }
    }

    /// Sends the body on as it comes.
    mutating func passBody(_ seen: inout FaultServer.Seen, to other: inout Wire) -> Bool {
        takeBody(&seen, upTo: .max) { other.send($0) }
    }

    private mutating func takeBody(_ seen: inout FaultServer.Seen, upTo limit: Int, _ use: ([UInt8]) -> Bool) -> Bool {
        let wanted = min(seen.length, limit)
        while seen.received < wanted {
            if pending.isEmpty {
                guard let more = receive() else { return false }
                pending = more
            }
            let part = Array(pending.prefix(wanted - seen.received))
            pending.removeFirst(part.count)
            seen.received += part.count
            seen.body += part.prefix(max(0, (1 << 20) - seen.body.count))
            seen.file.update(part)
            if !use(part) { return false }
        }
        return true
    }

    private func receive() -> [UInt8]? {
        let part = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var got = -1
            repeat { got = recv(descriptor, buffer.baseAddress, buffer.count, 0) } while got < 0 && errno == EINTR
            count = max(0, got)
        }
        return part.isEmpty ? nil : part
    }

    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while let more = receive() { all += more }
        return all
    }

    func send(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let sent = bytes[offset...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent < 0 { if errno == EINTR { continue } else { return false } }
            offset += sent
        }
        return true
    }

    func answer(_ status: Int, _ headers: [(String, String)], _ body: String, to method: String) -> Bool {
        var text = "HTTP/1.1 \(status) Status\r\n"
        if !headers.contains(where: { $0.0.lowercased() == "content-length" }) {
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return send(Array((text + "\r\n" + (method == "HEAD" ? "" : body)).utf8))
    }

    /// Closing will send a reset instead of an orderly end.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    func waitForEnd() { while receive() != nil {} }

    func waitWithoutReading(until stopped: () -> Bool) {
        var watch = pollfd(fd: descriptor, events: 0, revents: 0)
        while !stopped(), watch.revents & Int16(POLLHUP | POLLERR) == 0 { poll(&watch, 1, 50) }
    }
}
