/// The kinds of packet of PTP/IP (CIPA DC-005 §2.3).
public enum IPKind: UInt32, Sendable, CaseIterable {
    case initCommandRequest = 1, initCommandAck, initEventRequest, initEventAck, initFail, operationRequest,
        operationResponse, event,
        startData, data, cancel, endData, ping, pong

    /// The lengths that a packet of this kind can have, its eight-byte head included.
    public var lengths: ClosedRange<UInt32> {
        switch self {
        case .initCommandRequest, .initCommandAck: 28...4096
        case .initEventRequest: 12...12
        case .initEventAck, .ping, .pong: 8...64
        case .initFail: 8...64
        case .operationRequest: 18...38
        // One parameter more than the standard allows is tolerated, because a body was seen sending it.
        case .operationResponse, .event: 14...38
        case .startData: 20...20
        case .data, .endData: 12...UInt32.max
        case .cancel: 12...12
        }
    }
}

/// Packets of PTP/IP as bytes.
public enum IPPacket {
    public static let headSize = 8
    public static let version: UInt32 = 0x0001_0000
    /// Announced total of a data phase whose size the sender does not know.
    public static let unknownTotal = UInt64.max

    public static func initCommandRequest(_ identity: InitiatorIdentity) -> [UInt8] {
        packet(.initCommandRequest) { writer in
            writer.put(contentsOf: identity.guid)
            writer.put(terminated: identity.name)
            writer.put(version)
        }
    }

    public static func initCommandAck(connection: UInt32, guid: [UInt8], name: String) -> [UInt8] {
        packet(.initCommandAck) { writer in
            writer.put(connection)
            writer.put(contentsOf: guid)
            writer.put(terminated: name)
            writer.put(version)
        }
    }

    public static func initEventRequest(connection: UInt32) -> [UInt8] {
        packet(.initEventRequest) { $0.put(connection) }
    }
    public static func initFail(_ reason: UInt32) -> [UInt8] { packet(.initFail) { $0.put(reason) } }
    public static func cancel(transaction: UInt32) -> [UInt8] { packet(.cancel) { $0.put(transaction) } }
    public static func bare(_ kind: IPKind) -> [UInt8] { packet(kind) { _ in } }

    public static func request(_ operation: Operation, transaction: UInt32, phase: DataPhase) -> [UInt8] {
        packet(.operationRequest) { writer in
            writer.put(UInt32(phase == .send ? 2 : 1))
            writer.put(operation.code.rawValue)
            writer.put(transaction)
            for parameter in operation.parameters { writer.put(parameter) }
        }
    }

    public static func response(_ response: Response) -> [UInt8] {
        packet(.operationResponse) { coded(&$0, response.code.rawValue, response.transaction, response.parameters) }
    }

    public static func event(_ event: PTPEvent) -> [UInt8] {
        packet(.event) { coded(&$0, event.code.rawValue, event.transaction, event.parameters) }
    }

    public static func startData(transaction: UInt32, total: UInt64) -> [UInt8] {
        packet(.startData) { writer in
            writer.put(transaction)
            writer.put(total)
        }
    }

    /// The head of a data packet that carries `count` bytes; they follow it on the wire.
    public static func dataHead(_ kind: IPKind, transaction: UInt32, count: Int) -> [UInt8] {
        var writer = ByteWriter(capacity: 12)
        writer.put(UInt32(truncatingIfNeeded: count + 12))
        writer.put(kind.rawValue)
        writer.put(transaction)
        return writer.bytes
    }

    private static func coded(_ writer: inout ByteWriter, _ code: UInt16, _ transaction: UInt32, _ parameters: [UInt32])
    {
        writer.put(code)
        writer.put(transaction)
        for parameter in parameters { writer.put(parameter) }
    }

    private static func packet(_ kind: IPKind, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt32(0))
        writer.put(kind.rawValue)
        body(&writer)
        writer.patch(UInt32(writer.bytes.count), at: 0)
        return writer.bytes
    }
}

/// The first eight bytes of a packet, checked.
public struct IPHead: Sendable, Hashable {
    /// Nil for a kind that nobody knows; such a packet is skipped.
    public var kind: IPKind?
    public var length: UInt32

    public init(_ bytes: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        length = try cursor.take(from: bytes)
        let number: UInt32 = try cursor.take(from: bytes)
        kind = IPKind(rawValue: number)
        let allowed = kind?.lengths ?? 8...65_536
        guard allowed.contains(length) else { throw .malformed("packet of type \(number) with \(length) bytes") }
    }

    public var body: Int { Int(length) - IPPacket.headSize }
}
