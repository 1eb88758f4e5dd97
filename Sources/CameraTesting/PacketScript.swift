import PTPKit
import VirtualCamera

/// What a camera might send, in any number, length and order, made from the bytes that choose it: the same bytes, the
/// same packets.
///
/// Unlike random bytes, most of it has the shape of packets, and some of it is right, so that whoever reads it gets
/// far; and a single choice repeats a packet many thousand times, which no input of a fuzzer is long enough for.
public struct PacketScript {
    private var choices: ArraySlice<UInt8>
    /// The transaction that whoever reads may be waiting for.
    private var turn: UInt32 = 0
    /// Bytes in all, however often packets are repeated.
    private static let limit = 2 << 20

    private init(_ choices: [UInt8]) { self.choices = choices[...] }

    /// What comes in on the command connection of PTP/IP.
    public static func stream(_ choices: [UInt8]) -> [UInt8] {
        var script = PacketScript(choices), bytes: [UInt8] = []
        while !script.choices.isEmpty, bytes.count < limit {
            let packet = script.packet()
            script.repeats(packet.count) { _ in bytes += packet }
        }
        return bytes
    }

    /// What comes in on the bulk pipe of a USB device, transfer by transfer; joined, they are the stream of a dialect
    /// that sends containers over TCP.
    public static func transfers(_ choices: [UInt8]) -> [[UInt8]] {
        var script = PacketScript(choices), transfers: [[UInt8]] = [], count = 0
        while !script.choices.isEmpty, count < limit {
            let some = script.containers()
            script.repeats(some.reduce(0) { $0 + $1.count } + 1) { _ in
                transfers += some
                count += some.reduce(1) { $0 + $1.count }
            }
        }
        return transfers
    }

    /// A script from a number: the same number, the same choices.
    public static func choices(_ seed: UInt64) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        return (0..<(16 + next() % 200)).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
    }

    // MARK: Choosing

    private mutating func byte() -> UInt8 { choices.popFirst() ?? 0 }

    /// Mostly once; one time in eight, up to 65,536 times.
    private mutating func repeats(_ size: Int, _ body: (Int) -> Void) {
        let choice = byte()
        let times = choice < 224 ? 1 : 1 << (Int(choice) - 224).quotientAndRemainder(dividingBy: 17).remainder
        for index in 0..<min(times, Self.limit / max(1, size)) { body(index) }
    }

    /// Numbers at which lengths and counts go wrong, and small ones.
    private mutating func number() -> UInt32 {
        let known: [UInt32] = [
            0, 1, 7, 8, 11, 12, 13, 14, 20, 38, 4096, 65_536, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF3, 0xFFFF_FFFF,
        ]
        let choice = Int(byte())
        return choice < known.count * 8 ? known[choice / 8] : UInt32(choice)
    }

    /// The one that is waited for, one beside it, or any.
    private mutating func transaction() -> UInt32 {
        switch byte() % 8 {
        case 0: turn &- 1
        case 1: turn &+ 1
        case 2: number()
        default: turn
        }
    }

    private mutating func payload() -> [UInt8] {
        let count = Int(byte())
        return count < 64 ? [] : [UInt8](repeating: UInt8(count), count: count % 2 == 0 ? count : count * 40)
    }

    private mutating func code() -> UInt16 {
        [0x2001, 0x2001, 0x2002, 0x2019, 0x2009, 0x201E, 0x4002, 0xC101][Int(byte() % 8)]
    }

    private mutating func parameters() -> [UInt32] { (0..<byte() % 7).map { _ in number() } }

    /// The data that opens a session, or anything.
    private mutating func answer() -> [UInt8] { byte() % 2 == 0 ? StandardPersonality().info.encoded : payload() }

    // MARK: PTP/IP

    private mutating func packet() -> [UInt8] {
        switch byte() % 10 {
        case 0: return IPPacket.startData(transaction: transaction(), total: UInt64(number()))
        case 1: return data(.data)
        case 2: return data(.endData)
        case 3: return IPPacket.response(Response(ResponseCode(code()), transaction: transaction(), parameters()))
        case 4: return IPPacket.event(PTPEvent(EventCode(code()), transaction: transaction(), parameters()))
        case 5: return byte() % 2 == 0 ? IPPacket.bare(.ping) : IPPacket.cancel(transaction: transaction())
        case 6: return header(UInt32(byte() % 20), number()) + payload()
        default: return goodAnswer()
        }
    }

    /// A piece whose length is true, or is not.
    private mutating func data(_ kind: IPKind) -> [UInt8] {
        let payload = payload()
        let count = byte() % 8 == 0 ? Int(number()) : payload.count
        return IPPacket.dataHead(kind, transaction: transaction(), count: count) + payload
    }

    private func header(_ kind: UInt32, _ length: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(length)
        writer.put(kind)
        return writer.bytes
    }

    private mutating func goodAnswer() -> [UInt8] {
        defer { turn += 1 }
        let end = IPPacket.response(Response(.ok, transaction: turn))
        guard turn > 0 else { return end }
        let data = answer()
        return IPPacket.startData(transaction: turn, total: UInt64(data.count))
            + IPPacket.dataHead(.endData, transaction: turn, count: data.count) + data + end
    }

    // MARK: USB

    private mutating func containers() -> [[UInt8]] {
        switch byte() % 8 {
        case 0: return [[]]
        case 1: return [container(2, number()) + payload()]
        case 2:
            return [BulkContainer.response(Response(ResponseCode(code()), transaction: transaction(), parameters()))]
        case 3: return [BulkContainer.event(PTPEvent(EventCode(code()), transaction: transaction(), parameters()))]
        case 4: return [container(UInt16(byte() % 6), number()) + payload()]
        case 5: return [payload()]
        default:
            defer { turn += 1 }
            let end = BulkContainer.response(Response(.ok, transaction: turn))
            return turn == 0 ? [end] : [BulkContainer.data(.getDeviceInfo, transaction: turn, answer()), end]
        }
    }

    private mutating func container(_ kind: UInt16, _ length: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(length)
        writer.put(kind)
        writer.put(byte() % 2 == 0 ? OperationCode.getDeviceInfo.rawValue : code())
        writer.put(transaction())
        return writer.bytes
    }
}
