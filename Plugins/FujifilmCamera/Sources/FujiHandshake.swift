import Glibc
public import PTPKit

/// The dialect's handshake: one packet of fixed size each way.
public enum FujiHandshake {
    static let magic: UInt32 = 0x8F53_E4F2
    static let requestSize = 82, answerSize = 68
    /// Sent at the end by either side: a packet without room for anything.
    static let goodbye: [UInt8] = [8, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]

    static func request(_ identity: InitiatorIdentity) -> [UInt8] {
        var writer = ByteWriter(capacity: requestSize)
        writer.put(UInt32(requestSize))
        writer.put(UInt32(1))
        writer.put(magic)
        writer.put(contentsOf: identity.guid)
        writer.put(contentsOf: text(identity.name, bytes: 54))
        return writer.bytes
    }

    static func answer(model: String, guid: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: answerSize)
        writer.put(UInt32(answerSize))
        writer.put(UInt32(2))
        writer.put(UInt32(1))
        writer.put(contentsOf: guid)
        writer.put(contentsOf: text(model, bytes: 40))
        return writer.bytes
    }

    /// UTF-16 with a closing NUL, filled up with zeros.
    private static func text(_ text: String, bytes: Int) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes)
        writer.put(terminated: text, limit: bytes / 2 - 1)
        return writer.bytes + [UInt8](repeating: 0, count: max(0, bytes - writer.bytes.count))
    }

    /// Says who we are; returns what the camera calls itself.
    ///
    /// `busy` when it refuses, which may pass.
    public static func exchange(
        _ stream: some ByteStream, _ identity: InitiatorIdentity, by deadline: Deadline
    ) throws(PTPError) -> String {
        try stream.write(request(identity), by: deadline)
        var buffer = StreamBuffer(capacity: 4096)
        try buffer.fill(8, from: stream, by: deadline)
        let (length, kind) = try buffer.peek(8) { bytes throws(PTPError) in
            var cursor = ByteCursor()
            return (try cursor.take(UInt32.self, from: bytes), try cursor.take(UInt32.self, from: bytes))
        }
        if kind == 5 { throw .busy("it refused the connection") }
        guard kind == 2, (28...1024).contains(length) else {
            throw .malformed("a greeting of type \(kind) with \(length) bytes")
        }
        try buffer.fill(Int(length), from: stream, by: deadline)
        return try buffer.peek(Int(length)) { bytes throws(PTPError) in try name(bytes) }
    }

    /// The text behind the GUID; a body may leave it out or not end it.
    static func name(_ packet: RawSpan) throws(PTPError) -> String {
        var cursor = ByteCursor(at: 28)
        return try cursor.utf16(min(64, cursor.remaining(in: packet) / 2), from: packet)
    }
}

enum FujiPause {
    /// Blocks the thread, which is one for that.
    static func wait(_ duration: Duration) {
        usleep(
            UInt32(
                clamping: duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000)
        )
    }
}
