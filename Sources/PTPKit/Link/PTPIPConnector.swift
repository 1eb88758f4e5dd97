import Glibc

/// Opens a PTP/IP camera: two connections and their handshake.
public struct PTPIPConnector: Sendable {
    public static let defaultPort: UInt16 = 15740

    public var host: String
    public var port: UInt16
    /// Where the event connection goes; the same port on real bodies.
    public var eventPort: UInt16
    public var identity: InitiatorIdentity
    /// For each TCP connect, and for each answer of the handshake.
    ///
    /// The first meeting waits for a person who confirms on the camera.
    public var connectLimit: Duration = .seconds(3), answerLimit: Duration = .seconds(30)

    public init(host: String, port: UInt16 = defaultPort, eventPort: UInt16? = nil, identity: InitiatorIdentity) {
        (self.host, self.port, self.eventPort, self.identity) = (host, port, eventPort ?? port, identity)
    }

    /// Connects.
    ///
    /// `denied` when the camera does not know us, `busy` when it has another initiator.
    public func open() throws(PTPError) -> sending PTPIPLink {
        let command = try Socket.connect(host: host, port: port, by: .after(connectLimit))
        do throws(PTPError) {
            let greeting = try Self.greet(command, identity, by: .after(answerLimit))
            let events = try connectEvents()
            try Self.join(events, greeting.connection, by: .after(connectLimit))
            return PTPIPLink("\(host):\(port)", greeting: greeting, command: command, events: events)
        } catch {
            command.stop()
            throw error
        }
    }

    /// Some bodies open their event port a moment late: a refusal is tried again.
    private func connectEvents() throws(PTPError) -> Socket {
        for _ in 0..<5 {
            do throws(PTPError) {
                return try Socket.connect(host: host, port: eventPort, by: .after(connectLimit))
            } catch {
                guard error.mayPassSoon else { throw error }
                usleep(100_000)
            }
        }
        return try Socket.connect(host: host, port: eventPort, by: .after(connectLimit))
    }

    /// Sends who we are and reads who the camera is.
    public static func greet(
        _ stream: some ByteStream, _ identity: InitiatorIdentity, by deadline: Deadline
    ) throws(PTPError) -> InitCommandAck {
        try stream.write(IPPacket.initCommandRequest(identity), by: deadline)
        return try answer(.initCommandAck, from: stream, by: deadline) { body throws(PTPError) in
            try InitCommandAck(body)
        }
    }

    /// Joins the event connection to the command connection.
    public static func join(_ stream: some ByteStream, _ connection: UInt32, by deadline: Deadline) throws(PTPError) {
        try stream.write(IPPacket.initEventRequest(connection: connection), by: deadline)
        try answer(.initEventAck, from: stream, by: deadline) { _ throws(PTPError) in }
    }

    private static func answer<R>(
        _ kind: IPKind, from stream: some ByteStream, by deadline: Deadline, _ body: (RawSpan) throws(PTPError) -> R
    ) throws(PTPError) -> R {
        var buffer = StreamBuffer(capacity: 4096)
        for _ in 0..<8 {
            try buffer.fill(IPPacket.headSize, from: stream, by: deadline)
            let head = try buffer.peek(IPPacket.headSize) { bytes throws(PTPError) in try IPHead(bytes) }
            guard head.length <= 4096 else { throw .malformed("a packet of \(head.length) bytes in the handshake") }
            try buffer.fill(Int(head.length), from: stream, by: deadline)
            defer { buffer.drop(Int(head.length)) }
            let range = IPPacket.headSize..<Int(head.length)
            if head.kind == kind {
                return try buffer.peek(Int(head.length)) { bytes throws(PTPError) in try body(bytes.extracting(range)) }
            }
            if head.kind == .initFail {
                throw try buffer.peek(Int(head.length)) { bytes throws(PTPError) in refusal(bytes.extracting(range)) }
            }
            if head.kind == .ping { try stream.write(IPPacket.bare(.pong), by: deadline) }
        }
        throw .malformed("no answer to the greeting among eight packets")
    }

    /// The reason may be missing or cut short.
    private static func refusal(_ body: RawSpan) -> PTPError {
        var cursor = ByteCursor()
        switch try? cursor.take(UInt32.self, from: body) {
        case 1: return .denied("it does not know this computer")
        case 2: return .busy("it is connected to another one")
        default: return .denied("it refused the connection")
        }
    }
}

extension PTPError {
    /// True for what a body does for a moment after another connection has ended: it refuses the next one, or takes it
    /// and hangs up.
    public var mayPassSoon: Bool {
        switch self {
        case .absent(_, .refused), .gone: true
        default: false
        }
    }
}
