import FilmgateCore
import Glibc
public import PTPKit
import Synchronization

/// Answers searches on loopback as devices on a network do: one datagram for each question.
public final class Announcer: Sendable {
    public let port: UInt16
    private let descriptor: Int32
    private let isStopped = Atomic(false)
    private let heard = Mutex<[[UInt8]]>([])

    /// `answer` makes the answers to a question; several are sent one by one.
    public init(_ answer: @escaping @Sendable ([UInt8]) -> [[UInt8]]) throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = IPv4(127, 0, 0, 1).value.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let own = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(own, $0, length) == 0 && getsockname(own, $0, &length) == 0
            }
        }
        try expect(isBound, "no port for an announcer")
        port = UInt16(bigEndian: address.sin_port)
        BlockingThread.run { [weak self] in
            while let self, !isStopped.load(ordering: .relaxed) { self.serve(answer) }
            close(own)
        }
    }

    public var endpoint: DatagramEndpoint { DatagramEndpoint(IPv4(127, 0, 0, 1), port) }
    public var questions: [[UInt8]] { heard.withLock { $0 } }
    public func stop() { isStopped.store(true, ordering: .relaxed) }

    private func serve(_ answer: ([UInt8]) -> [[UInt8]]) {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, 50) > 0 else { return }
        var sender = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var buffer = [UInt8](repeating: 0, count: 9000)
        withUnsafeMutablePointer(to: &sender) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
                let count = recvfrom(descriptor, &buffer, buffer.count, 0, sender, &length)
                guard count > 0 else { return }
                let question = Array(buffer.prefix(count))
                heard.withLock { $0.append(question) }
                for reply in answer(question) { _ = sendto(descriptor, reply, reply.count, 0, sender, length) }
            }
        }
    }
}

/// Answers of multicast DNS, byte by byte.
public enum DNSAnswer {
    public static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    public static func record(_ owner: [UInt8], _ kind: UInt16, _ data: [UInt8]) -> [UInt8] {
        owner + word(kind) + word(1) + [0, 0, 0, 120] + word(UInt16(data.count)) + data
    }

    public static func message(_ records: [[UInt8]]) -> [UInt8] {
        [0, 0, 0x84, 0, 0, 0] + word(UInt16(records.count)) + [0, 0, 0, 0] + records.flatMap(\.self)
    }

    /// What a camera says that offers PTP/IP at `address` and `port`.
    public static func camera(_ label: String, at address: IPv4, port: UInt16) -> [UInt8] {
        let instance = "\(label)._ptp._tcp.local", host = "\(label).local"
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: address.value >> UInt32($0)) }
        return message([
            record(name("_ptp._tcp.local"), 12, name(instance)),
            record(name(instance), 33, [0, 0, 0, 0] + word(port) + name(host)), record(name(host), 1, bytes),
        ])
    }

    private static func word(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)] }
}
