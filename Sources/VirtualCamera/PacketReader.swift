import PTPKit

/// Reads an initiator's packets, data phases included.
struct PacketReader: ~Copyable {
    private let socket: Socket
    private var buffer = StreamBuffer(capacity: 1 << 20)

    init(_ socket: Socket) { self.socket = socket }

    /// The next packet and its body; nil when the initiator has ended.
    mutating func next(limit: Duration) throws(PTPError) -> (IPKind?, [UInt8])? {
        let deadline = Deadline.after(limit)
        do throws(PTPError) { try buffer.fill(IPPacket.headSize, from: socket, by: deadline) } catch {
            if case .gone = error { return nil }
            throw error
        }
        let head = try buffer.peek(IPPacket.headSize) { bytes throws(PTPError) in try IPHead(bytes) }
        guard head.length <= 1 << 20 else { throw .malformed("a packet of \(head.length) bytes") }
        try buffer.fill(Int(head.length), from: socket, by: deadline)
        let body = try buffer.peek(Int(head.length)) { bytes throws(PTPError) in
            bytes.extracting(IPPacket.headSize..<Int(head.length)).copied
        }
        buffer.drop(Int(head.length))
        return (head.kind, body)
    }

    /// The next request with the data that comes with it; nil when the initiator has ended.
    mutating func request() throws(PTPError) -> VirtualRequest? {
        while let (kind, body) = try next(limit: .seconds(3600)) {
            switch kind {
            case .operationRequest:
                var cursor = ByteCursor()
                let span = body.span.bytes
                let phase: UInt32 = try cursor.take(from: span)
                let code = OperationCode(try cursor.take(UInt16.self, from: span))
                let transaction: UInt32 = try cursor.take(from: span)
                var parameters: [UInt32] = []
                while cursor.remaining(in: span) >= 4 { parameters.append(try cursor.take(from: span)) }
                let data = phase == 2 ? try incoming() : []
                return VirtualRequest(Operation(code, parameters), transaction: transaction, data: data)
            case .ping: try socket.write(IPPacket.bare(.pong), by: .after(.seconds(2)))
            default: continue
            }
        }
        return nil
    }

    private mutating func incoming() throws(PTPError) -> [UInt8] {
        var data: [UInt8] = []
        while let (kind, body) = try next(limit: .seconds(30)) {
            if kind == .data || kind == .endData { data += body.dropFirst(4) }
            guard data.count <= 16 << 20 else { throw .malformed("too much data") }
            if kind == .endData { return data }
        }
        throw .gone("no end of data")
    }
}
