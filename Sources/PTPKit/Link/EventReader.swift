import FilmgateCore

/// Reads the event connection on a thread of its own, so that pings are answered while a large object comes in on the
/// other one.
enum EventReader {
    static func start(on stream: any ByteStream, to eventQueue: EventQueue) {
        BlockingThread.run { eventQueue.end(run(stream, eventQueue)) }
    }

    /// Until the connection ends; says why it did.
    private static func run(_ stream: some ByteStream, _ eventQueue: EventQueue) -> PTPError {
        var buffer = StreamBuffer(capacity: 4096)
        while true {
            do throws(PTPError) {
                try buffer.fill(IPPacket.headSize, from: stream, by: .after(.seconds(3600)))
                let head = try buffer.peek(IPPacket.headSize) { bytes throws(PTPError) in try IPHead(bytes) }
                guard head.length <= 4096 else { return .malformed("event packet of \(head.length) bytes") }
                // A packet that has begun must end soon; between packets silence is normal.
                try buffer.fill(Int(head.length), from: stream, by: .after(.seconds(10)))
                try take(head, &buffer, stream, eventQueue)
            } catch {
                if case .timedOut = error, buffer.count == 0 { continue }
                return error
            }
        }
    }

    private static func take(
        _ head: IPHead, _ buffer: inout StreamBuffer, _ stream: some ByteStream, _ eventQueue: EventQueue
    ) throws(PTPError) {
        let length = Int(head.length)
        defer { buffer.drop(length) }
        switch head.kind {
        case .event:
            eventQueue.post(
                try buffer.peek(length) { bytes throws(PTPError) in
                    try PTPEvent(ip: bytes.extracting(IPPacket.headSize..<length))
                })
        case .ping:
            eventQueue.notePing()
            try stream.write(IPPacket.bare(.pong), by: .after(.seconds(5)))
        default: break
        }
    }
}
