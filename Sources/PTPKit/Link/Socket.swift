import Glibc
import Synchronization

/// A TCP connection with a deadline for every step.
///
/// IPv4 and IPv6; numbers or names.
public final class Socket: ByteStream {
    private let descriptor: Int32
    private let writing = Mutex(())
    private let ended = Atomic(false)

    /// Takes over a connected descriptor and closes it in the end.
    public init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { Glibc.close(descriptor) }

    /// Connects.
    ///
    /// `timedOut` when nobody answers, `absent` when refused or unreachable.
    public static func connect(host: String, port: UInt16, by deadline: Deadline) throws(PTPError) -> Socket {
        var failure = PTPError.absent(at: host, .unknownHost)
        for address in addresses(host, port) {
            do throws(PTPError) { return try connect(address, to: "\(host):\(port)", by: deadline) } catch {
                failure = error
            }
        }
        throw failure
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(PTPError) -> Int {
        while true {
            let count = Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            switch errno {
            case EAGAIN: try wait(Int16(POLLIN), by: deadline, "reading")
            case EINTR: continue
            default: throw .gone(reason(errno))
            }
        }
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) {
        let result = writing.withLock { _ in Result { () throws(PTPError) in try self.writeAll(bytes, by: deadline) } }
        try result.get()
    }

    private func writeAll(_ bytes: [UInt8], by deadline: Deadline) throws(PTPError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                let rest = UnsafeRawBufferPointer(rebasing: all[done...])
                return Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                done += count
                continue
            }
            switch errno {
            case EAGAIN: try wait(Int16(POLLOUT), by: deadline, "writing")
            case EINTR: continue
            default: throw .gone(reason(errno))
            }
        }
    }

    /// Sends up to `count` bytes of an open file from `offset` on, without taking them into this program's memory.
    ///
    /// Returns how many the file had. Not to be mixed with writes of others.
    public func send(file: Int32, from offset: UInt64, count: Int, by deadline: Deadline) throws(PTPError) -> Int {
        var position = off_t(clamping: offset), done = 0
        while done < count {
            let sent = sendfile(descriptor, file, &position, count - done)
            if sent == 0 { break }
            if sent > 0 {
                done += sent
                continue
            }
            switch errno {
            case EAGAIN: try wait(Int16(POLLOUT), by: deadline, "writing")
            case EINTR: continue
            default: throw .gone(reason(errno))
            }
        }
        return done
    }

    /// While true, the end of what was written waits for more, so that pieces travel together; false sends it.
    public func gather(_ isOn: Bool) {
        var on: Int32 = isOn ? 1 : 0
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    public func stop() {
        guard !ended.exchange(true, ordering: .relaxed) else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func wait(_ events: Int16, by deadline: Deadline, _ what: String) throws(PTPError) {
        guard try Self.ready(descriptor, events, by: deadline) else { throw .timedOut(what) }
    }
}

extension Socket {
    private struct Address { var family: Int32, bytes: [UInt8] }

    private static func addresses(_ host: String, _ port: UInt16) -> [Address] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [Address] = []
        var next = list
        while let info = next?.pointee, found.count < 8 {
            if let address = info.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
                found.append(Address(family: info.ai_family, bytes: Array(bytes)))
            }
            next = info.ai_next
        }
        return found
    }

    private static func connect(_ address: Address, to name: String, by deadline: Deadline) throws(PTPError) -> Socket {
        let descriptor = Glibc.socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .gone(reason(errno)) }
        let socket = Socket(adopting: descriptor)
        let result = address.bytes.withUnsafeBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            return Glibc.connect(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if result == 0 { return socket }
        guard errno == EINPROGRESS else { throw .absent(at: name, NoAnswer(errno)) }
        guard try ready(descriptor, Int16(POLLOUT), by: deadline) else { throw .timedOut("connecting to \(name)") }
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
        guard failure == 0 else { throw .absent(at: name, NoAnswer(failure)) }
        return socket
    }

    /// Waits for `events`; false when the deadline passed first.
    private static func ready(_ descriptor: Int32, _ events: Int16, by deadline: Deadline) throws(PTPError) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let count = poll(&entry, 1, deadline.milliseconds)
            if count > 0 { return true }
            if count == 0 { return false }
            if errno != EINTR { throw .gone(reason(errno)) }
        }
    }
}

func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

extension NoAnswer {
    fileprivate init(_ code: Int32) {
        switch code {
        case ECONNREFUSED: self = .refused
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: self = .unreachable(reason(code))
        default: self = .other(reason(code))
        }
    }
}
