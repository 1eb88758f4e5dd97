public import PTPKit

/// The dialect's packets: containers as on USB, one behind the other on a TCP connection.
///
/// Events are asked for, so there is no second connection.
public final class FujiLink: CameraLink {
    public let address: String
    public let eventQueue: EventQueue
    public let stop: @Sendable () -> Void
    public let introduction: DeviceInfo?
    private let stream: any ByteStream
    private var buffer = StreamBuffer(capacity: 1 << 20)
    /// Payload of the data packet that is being read, still to come.
    private var pending: (left: UInt64, transaction: UInt32)?
    private var shown = 0
    private var broken: PTPError?
    private var isClosed = false

    /// Takes over a connection whose greetings have been exchanged; `model` is what the camera called itself.
    public init(_ address: String, model: String, stream: any ByteStream) {
        (self.address, self.stream) = (address, stream)
        let eventQueue = EventQueue()
        self.eventQueue = eventQueue
        stop = {
            stream.stop()
            eventQueue.end(.gone("the connection was closed"))
        }
        introduction = Self.introduce(model)
    }

    deinit { stop() }

    /// What every body of the dialect can do; some answer GetDeviceInfo with nothing.
    static func introduce(_ model: String) -> DeviceInfo {
        var info = DeviceInfo()
        info.vendorExtension = 0xE
        (info.manufacturer, info.model) = ("FUJIFILM", model)
        info.operations = [
            .getDeviceInfo, .openSession, .closeSession, .getObjectInfo, .getObject, .getThumb, .getPartialObject,
            .getDevicePropValue, .setDevicePropValue, .fujiCameraInfo,
        ]
        return info
    }

    public func send(
        _ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline
    ) throws(PTPError) {
        try usable()
        try stream.write(BulkContainer.command(operation, transaction: transaction), by: deadline)
        guard phase == .send else { return }
        try stream.write(BulkContainer.data(operation.code, transaction: transaction, data), by: deadline)
    }

    public func next(by deadline: Deadline) throws(PTPError) -> Inbound {
        try usable()
        do throws(PTPError) { return try inbound(by: deadline) } catch {
            if case .timedOut = error {
            } else {
                broken = .gone("the connection is out of step (\(error.description))")
                eventQueue.end(.gone("the connection is out of step"))
            }
            throw error
        }
    }

    public func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R {
        try buffer.peek(shown, body)
    }

    /// The dialect has no way to cancel: what is on its way is read to its end.
    public func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError) {}
    public func pollEvents(by deadline: Deadline) throws(PTPError) { if let ended = eventQueue.ended { throw ended } }
    public func reset() throws(PTPError) -> Bool { false }

    /// Says goodbye, so that the camera's screen does not wait for us.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        if broken == nil, eventQueue.ended == nil {
            try? stream.write(FujiHandshake.goodbye, by: .after(.milliseconds(500)))
        }
        stop()
    }

    private func usable() throws(PTPError) {
        buffer.drop(shown)
        shown = 0
        if let broken { throw broken }
    }

    private func inbound(by deadline: Deadline) throws(PTPError) -> Inbound {
        if let pending { return try data(pending, by: deadline) }
        for _ in 0..<16 {
            try buffer.fill(8, from: stream, by: deadline)
            if try buffer.peek(8, { bytes throws(PTPError) in bytes.copied }) == FujiHandshake.goodbye {
                throw .gone("the camera ended the connection")
            }
            try buffer.fill(BulkHeader.size, from: stream, by: deadline)
            let header = try buffer.peek(BulkHeader.size) { bytes throws(PTPError) in try BulkHeader(bytes) }
            if let inbound = try packet(header, by: deadline) { return inbound }
        }
        throw .malformed("16 packets in a row that belong to nothing")
    }

    /// One packet; nil when it is none of the transaction's business.
    private func packet(_ header: BulkHeader, by deadline: Deadline) throws(PTPError) -> Inbound? {
        switch header.kind {
        case .data where header.code == 0 && header.length == UInt32(FujiHandshake.answerSize):
            // Another answer to our greeting has the look of data without an operation.
            try buffer.fill(Int(header.length), from: stream, by: deadline)
            buffer.drop(Int(header.length))
            return nil
        case .data:
            guard let payload = header.payload else { throw .malformed("data without a length") }
            buffer.drop(BulkHeader.size)
            pending = (payload, header.transaction)
            return .dataBegins(transaction: header.transaction, code: OperationCode(header.code), total: payload)
        case .response, .event:
            try buffer.fill(Int(header.length), from: stream, by: deadline)
            defer { buffer.drop(Int(header.length)) }
            let parameters = try buffer.peek(Int(header.length)) { bytes throws(PTPError) in
                try BulkContainer.parameters(of: header, in: bytes)
            }
            if header.kind == .response {
                return .response(Response(ResponseCode(header.code), transaction: header.transaction, parameters))
            }
            eventQueue.post(PTPEvent(EventCode(header.code), transaction: header.transaction, parameters))
            return nil
        case .command: throw .malformed("a command from the camera")
        }
    }

    private func data(_ phase: (left: UInt64, transaction: UInt32), by deadline: Deadline) throws(PTPError) -> Inbound {
        guard phase.left > 0 else {
            pending = nil
            return .dataEnds(transaction: phase.transaction)
        }
        try buffer.fill(1, from: stream, by: deadline)
        shown = Int(min(phase.left, UInt64(buffer.count)))
        pending = (phase.left - UInt64(shown), phase.transaction)
        return .data(transaction: phase.transaction, count: shown)
    }
}
