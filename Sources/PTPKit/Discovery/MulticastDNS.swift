/// One question and its answers in multicast DNS (RFC 6762, RFC 6763, messages of RFC 1035 §4).
public enum MulticastDNS {
    /// The service by which cameras announce PTP/IP.
    public static let service = ["_ptp", "_tcp", "local"]

    /// "Who offers this?", answered to us alone.
    public static func question(_ labels: [String] = service) -> [UInt8] {
        var writer: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in labels {
            let bytes = Array(label.utf8.prefix(63))
            writer.append(UInt8(bytes.count))
            writer += bytes
        }
        // The end of the name, type PTR, class IN with the bit that asks for a unicast answer.
        return writer + [0, 0, 12, 0x80, 1]
    }

    /// What somebody offers.
    public struct Offer: Sendable, Hashable {
        public var name: String, port: UInt16
        /// Nil where the message does not say; then its sender is meant.
        public var address: IPv4?
    }

    /// Offers of the service in an answer; none for anything else.
    ///
    /// Names are compared case-insensitively.
    public static func offers(_ bytes: RawSpan, of labels: [String] = service) -> [Offer] {
        guard let message = try? DNSMessage(bytes) else { return [] }
        let wanted = labels.joined(separator: ".").lowercased()
        var instances: [String] = []
        for case .pointer(let owner, let target) in message.records
        where owner.lowercased() == wanted && !instances.contains(target) {
            instances.append(target)
        }
        var offers: [Offer] = []
        for case .service(let owner, let host, let port) in message.records
        where instances.contains(owner) || owner.lowercased().hasSuffix("." + wanted) {
            var address: IPv4?
            for case .address(let name, let value) in message.records where name.lowercased() == host.lowercased() {
                address = address ?? value
            }
            let offer = Offer(name: owner, port: port, address: address)
            if port > 0, !offers.contains(offer) { offers.append(offer) }
        }
        return offers
    }
}

/// A DNS message, bounds-checked; only the kinds of record that are needed.
struct DNSMessage {
    enum Record {
        case pointer(owner: String, target: String)
        case service(owner: String, host: String, port: UInt16)
        case address(owner: String, IPv4)
    }
    private(set) var records: [Record] = []

    /// `malformed` and `truncated` as the bytes go; more than 128 records are nobody's we look for.
    init(_ bytes: RawSpan) throws(PTPError) {
        var reader = Reader(bytes.withUnsafeBytes { Array($0) })
        _ = try reader.word()
        guard try reader.word() & 0x8000 != 0 else { throw .malformed("a question") }
        let questions = try reader.word(), counts = (try reader.word(), try reader.word(), try reader.word())
        let total = Int(counts.0) + Int(counts.1) + Int(counts.2)
        guard questions <= 16, total <= 128 else { throw .malformed("\(total) records") }
        for _ in 0..<questions {
            _ = try reader.name()
            _ = (try reader.word(), try reader.word())
        }
        for _ in 0..<total { if let record = try reader.record() { records.append(record) } }
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var offset = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func byte() throws(PTPError) -> UInt8 {
            guard offset < bytes.count else { throw .truncated(at: offset) }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func word() throws(PTPError) -> UInt16 { UInt16(try byte()) << 8 | UInt16(try byte()) }

        /// A name; pointers only lead backwards, so that every name ends.
        mutating func name() throws(PTPError) -> String {
            var labels: [String] = [], end: Int?, earliest = offset, length = 0
            while true {
                let count = try byte()
                if count == 0 { break }
                if count & 0xC0 == 0xC0 {
                    let target = Int(count & 0x3F) << 8 | Int(try byte())
                    guard target < earliest else { throw .malformed("a name that leads forward") }
                    end = end ?? offset
                    (offset, earliest) = (target, target)
                    continue
                }
                length += Int(count) + 1
                guard count & 0xC0 == 0, length <= 255, offset + Int(count) <= bytes.count else {
                    throw .malformed("a name too long")
                }
                labels.append(String(decoding: bytes[offset..<offset + Int(count)], as: UTF8.self))
                offset += Int(count)
            }
            offset = end ?? offset
            return labels.joined(separator: ".")
        }

        mutating func record() throws(PTPError) -> Record? {
            let owner = try name(), kind = try word()
            // Class, and four bytes for how long it may be kept.
            _ = (try word(), try word(), try word())
            let next = Int(try word()) + offset
            guard next <= bytes.count else { throw .truncated(at: bytes.count) }
            defer { offset = next }
            switch kind {
            case 12: return .pointer(owner: owner, target: try name())
            case 33:
                _ = (try word(), try word())
                let port = try word()
                return .service(owner: owner, host: try name(), port: port)
            case 1 where next - offset == 4:
                return .address(owner: owner, IPv4(try byte(), try byte(), try byte(), try byte()))
            default: return nil
            }
        }
    }
}
