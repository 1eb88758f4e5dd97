import Glibc
import PTPKit

/// Writes answers as PTP/IP packets, spoiled as asked.
struct ReplySender {
    private let socket: Socket
    /// Bytes in one data packet.
    private let part = 1 << 20

    init(_ socket: Socket) { self.socket = socket }

    /// False when the connection is to be closed now.
    func send(_ reply: VirtualCamera.Reply, to request: VirtualRequest) throws(PTPError) -> Bool {
        guard reply.fault == nil else { return try pieces(reply, to: request) }
        // What belongs together travels together.
        socket.gather(true)
        defer { socket.gather(false) }
        if case .part(.file(let path, let size), let offset, let count)? = reply.answer.payload, offset + count <= size
        {
            return try file(path, offset, count, reply.answer, request)
        }
        return try pieces(reply, to: request)
    }

    /// A file's bytes go from the disk's memory to the network's; what the file lacks of them is filled up.
    private func file(
        _ path: String, _ offset: UInt64, _ count: UInt64, _ answer: Answer, _ request: VirtualRequest
    ) throws(PTPError) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var head = IPPacket.startData(transaction: request.transaction, total: count)
        var sent: UInt64 = 0
        repeat {
            let size = Int(min(UInt64(part), count - sent)), last = sent + UInt64(size) == count
            try write(head + IPPacket.dataHead(last ? .endData : .data, transaction: request.transaction, count: size))
            let limit = Deadline.after(.seconds(30))
            let done =
                descriptor < 0 ? 0 : try socket.send(file: descriptor, from: offset + sent, count: size, by: limit)
            if done < size { try write([UInt8](repeating: 0xEE, count: size - done)) }
            (head, sent) = ([], sent + UInt64(size))
        } while sent < count
        try write(IPPacket.response(Response(answer.code, transaction: request.transaction, answer.parameters)))
        return true
    }

    /// Whatever else, and whatever is to be spoiled.
    private func pieces(_ reply: VirtualCamera.Reply, to request: VirtualRequest) throws(PTPError) -> Bool {
        let fault = reply.fault
        if case .noise = fault { try noise() }
        if case .flood(let count) = fault { try flood(count, request) }
        if case .stale(let count) = fault {
            for _ in 0..<count { try write(IPPacket.response(Response(.ok, transaction: request.transaction &- 1))) }
        }
        if let payload = reply.answer.payload, fault != .noData {
            guard try data(payload, request, fault) else { return false }
        }
        if case .noResponse = fault { return true }
        if case .endless = fault { return true }
        var response = Response(reply.answer.code, transaction: request.transaction, reply.answer.parameters)
        if case .refuseAfterData(let code) = fault { response.code = code }
        if case .wrongTransaction(let shift) = fault {
            response.transaction = response.transaction &+ UInt32(bitPattern: shift)
        }
        if case .crowded = fault { response.parameters = [UInt32](repeating: 7, count: 9) }
        let packet = IPPacket.response(response)
        if case .dribble = fault { try dribble(packet) } else { try write(packet) }
        return true
    }

    private func data(_ payload: Answer.Payload, _ request: VirtualRequest, _ fault: Fault.Kind?) throws(PTPError)
        -> Bool
    {
        var (total, announced) = (payload.count, payload.count)
        var limit = UInt64.max
        switch fault {
        case .short(let by): total -= min(total, by)
        case .long(let by): total += by
        case .announce(let bytes): announced = bytes
        case .drop(let after): limit = after
        default: break
        }
        var head = IPPacket.startData(transaction: request.transaction, total: announced)
        var sent: UInt64 = 0
        repeat {
            let count = Int(min(UInt64(part), total - sent, limit - sent))
            let last = sent + UInt64(count) == total && fault != .endless
            var bytes = payload.slice(at: sent, count: count)
            if bytes.count < count { bytes += [UInt8](repeating: 0xEE, count: count - bytes.count) }
            head += IPPacket.dataHead(last ? .endData : .data, transaction: request.transaction, count: count)
            if case .dribble = fault { try dribble(head + bytes) } else { try write(head, bytes) }
            head = []
            sent += UInt64(count)
            if sent >= limit { return false }
        } while sent < total
        return true
    }

    private func noise() throws(PTPError) {
        try write(IPPacket.event(PTPEvent(.devicePropChanged, [0x5001])))
        try write(IPPacket.bare(.ping))
        try write([12, 0, 0, 0, 0xFF, 0xFF, 0, 0, 1, 2, 3, 4])
    }

    private func flood(_ count: Int, _ request: VirtualRequest) throws(PTPError) {
        let one = IPPacket.dataHead(.data, transaction: request.transaction, count: 0), most = 4096
        let many = [UInt8]([[UInt8]](repeating: one, count: most).joined())
        for sent in stride(from: 0, to: count, by: most) {
            try write(Array(many.prefix(min(most, count - sent) * one.count)))
        }
    }

    private func dribble(_ bytes: [UInt8]) throws(PTPError) { for byte in bytes { try write([byte]) } }
    private func write(_ head: [UInt8], _ bytes: [UInt8]) throws(PTPError) {
        if bytes.count < 65_536 { return try write(head + bytes) }
        try write(head)
        try write(bytes)
    }
    private func write(_ bytes: [UInt8]) throws(PTPError) { try socket.write(bytes, by: .after(.seconds(30))) }
}
