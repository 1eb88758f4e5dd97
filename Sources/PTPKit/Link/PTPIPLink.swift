/// PTP over TCP (CIPA DC-005): requests, data and responses on one connection, events on another.
///
/// Pings are answered on whichever connection they come; events on the wrong one are taken; packets of unknown kinds
/// are skipped.
public final class PTPIPLink: CameraLink {
    public let address: String
    public let eventQueue: EventQueue
    public let stop: @Sendable () -> Void
    /// What the camera calls itself in the handshake.
    public let greeting: InitCommandAck
    /// All zeros, or all ones, name nobody.
    public var guid: [UInt8] {
        greeting.guid.allSatisfy { $0 == 0 } || greeting.guid.allSatisfy { $0 == 0xFF } ? [] : greeting.guid
    }
    private let command: any ByteStream
    private let events: any ByteStream
    private var buffer = StreamBuffer(capacity: 1 << 20)
    /// Payload of the packet that is being read, still to come; and the transaction and kind it belongs to.
    private var pending: (left: Int, transaction: UInt32, last: Bool) = (0, 0, false)
    /// Bytes of the buffer that the last `data` told about.
    private var shown = 0
    private var broken: PTPError?
    /// Packets in a row that may mean nothing.
    private static let emptyLimit = 256

    /// Takes over two connections whose handshake is done.
    ///
    /// Starts reading events.
    public init(_ address: String, greeting: InitCommandAck, command: any ByteStream, events: any ByteStream) {
        (self.address, self.greeting, self.command, self.events) = (address, greeting, command, events)
        let eventQueue = EventQueue()
        self.eventQueue = eventQueue
        stop = {
            command.stop()
            events.stop()
            eventQueue.end(.gone("the connection was closed"))
        }
        EventReader.start(on: events, to: eventQueue)
    }

    deinit { stop() }

    public func send(
        _ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline
    ) throws(PTPError) {
        try usable()
        try command.write(IPPacket.request(operation, transaction: transaction, phase: phase), by: deadline)
        guard phase == .send else { return }
        var packet = IPPacket.startData(transaction: transaction, total: UInt64(data.count))
        packet += IPPacket.dataHead(.endData, transaction: transaction, count: data.count)
        packet += data
        try command.write(packet, by: deadline)
    }

    public func next(by deadline: Deadline) throws(PTPError) -> Inbound {
        try usable()
        do throws(PTPError) { return try inbound(by: deadline) } catch {
            // Behind a bad length nothing can be trusted; after a time-out the stream is still in step and can go on.
            if case .timedOut = error {} else { broken = .gone("the connection is out of step (\(error.description))") }
            throw error
        }
    }

    public func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R {
        try buffer.peek(shown, body)
    }

    public func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError) {
        try events.write(IPPacket.cancel(transaction: transaction), by: deadline)
    }

    public func pollEvents(by deadline: Deadline) throws(PTPError) {
        if let ended = eventQueue.ended { throw ended }
    }

    public func reset() throws(PTPError) -> Bool { false }

    public func close() {
        stop()
    }

    private func usable() throws(PTPError) {
        buffer.drop(shown)
        shown = 0
        if let broken { throw broken }
    }

    /// The next thing that a packet means.
    ///
    /// Every packet counts, whatever it is: an empty piece of data means as little as an unknown packet, and the sender
    /// decides how many there are.
    private func inbound(by deadline: Deadline) throws(PTPError) -> Inbound {
        for count in 0..<Self.emptyLimit {
            if pending.left > 0 { return try morePayload(by: deadline) }
            if pending.last {
                pending.last = false
                return .dataEnds(transaction: pending.transaction)
            }
            // What has been sent is always there to be read, so reading alone never runs into the deadline.
            if count > 0, deadline.hasPassed { throw .timedOut("an answer among \(count) packets without meaning") }
            try buffer.fill(IPPacket.headSize, from: command, by: deadline)
            let head = try buffer.peek(IPPacket.headSize) { bytes throws(PTPError) in try IPHead(bytes) }
            if let inbound = try packet(head, by: deadline) { return inbound }
        }
        throw .malformed("\(Self.emptyLimit) packets in a row that mean nothing")
    }

    /// Reads one packet, of data only its head; nil when it is none of the transaction's business, and for data.
    private func packet(_ head: IPHead, by deadline: Deadline) throws(PTPError) -> Inbound? {
        if head.kind == .data || head.kind == .endData {
            try beginData(head, by: deadline)
            return nil
        }
        try buffer.fill(Int(head.length), from: command, by: deadline)
        defer { buffer.drop(Int(head.length)) }
        return try buffer.peek(Int(head.length)) { bytes throws(PTPError) in
            try small(head.kind, bytes.extracting(IPPacket.headSize..<Int(head.length)), by: deadline)
        }
    }

    private func small(_ kind: IPKind?, _ body: RawSpan, by deadline: Deadline) throws(PTPError) -> Inbound? {
        var cursor = ByteCursor()
        switch kind {
        case .operationResponse: return .response(try Response(ip: body))
        case .startData:
            let transaction: UInt32 = try cursor.take(from: body), total: UInt64 = try cursor.take(from: body)
            return .dataBegins(transaction: transaction, code: nil, total: total == IPPacket.unknownTotal ? nil : total)
        case .cancel: return .cancelled(transaction: try cursor.take(from: body))
        case .event: eventQueue.post(try PTPEvent(ip: body))
        case .ping:
            eventQueue.notePing()
            try command.write(IPPacket.bare(.pong), by: deadline)
        case .initFail: throw .busy("it ended the connection")
        default: break
        }
        return nil
    }

    private func beginData(_ head: IPHead, by deadline: Deadline) throws(PTPError) {
        try buffer.fill(12, from: command, by: deadline)
        let transaction = try buffer.peek(12) { bytes throws(PTPError) in
            var cursor = ByteCursor(at: 8)
            return try cursor.take(UInt32.self, from: bytes)
        }
        buffer.drop(12)
        pending = (Int(head.length) - 12, transaction, head.kind == .endData)
    }

    private func morePayload(by deadline: Deadline) throws(PTPError) -> Inbound {
        try buffer.fill(1, from: command, by: deadline)
        shown = min(pending.left, buffer.count)
        pending.left -= shown
        return .data(transaction: pending.transaction, count: shown)
    }
}
