/// Who we are to cameras on the network.
///
/// Bodies pair by these, so both must stay the same from run to run.
public struct InitiatorIdentity: Sendable, Hashable {
    /// Sixteen bytes, unique to this installation.
    public var guid: [UInt8]
    /// Shown on the camera; at most 39 UTF-16 units of it are sent.
    public var name: String

    /// A GUID of another length is padded with zeros or cut.
    public init(guid: [UInt8], name: String) {
        self.guid = Array((guid + [UInt8](repeating: 0, count: 16)).prefix(16))
        self.name = name
    }
}

/// The camera's answer to our greeting.
public struct InitCommandAck: Sendable, Hashable {
    public var connection: UInt32
    public var guid: [UInt8]
    public var name: String

    /// `body` is what follows the packet's head.
    ///
    /// Name and version may be missing; the name may lack its NUL.
    public init(_ body: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        connection = try cursor.take(from: body)
        guid = try cursor.bytes(16, from: body)
        name = try cursor.utf16(Self.nameUnits(cursor, body), from: body)
    }

    /// Units up to the NUL or, where there is none, to the end of the packet.
    private static func nameUnits(_ start: ByteCursor, _ body: RawSpan) -> Int {
        var cursor = start
        let units = start.remaining(in: body) / 2
        for index in 0..<units {
            guard let unit: UInt16 = try? cursor.take(from: body) else { return index }
            if unit == 0 { return index + 1 }
        }
        return units
    }
}

extension Response {
    /// The body of an operation response packet.
    public init(ip body: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        code = ResponseCode(try cursor.take(UInt16.self, from: body))
        transaction = try cursor.take(from: body)
        parameters = try cursor.rest(limit: 5, from: body)
    }
}

extension PTPEvent {
    /// The body of an event packet.
    public init(ip body: RawSpan) throws(PTPError) {
        var cursor = ByteCursor()
        code = EventCode(try cursor.take(UInt16.self, from: body))
        transaction = try cursor.take(from: body)
        parameters = try cursor.rest(limit: 5, from: body)
    }
}

extension ByteCursor {
    /// All u32 that are left, at most `limit`.
    mutating func rest(limit: Int, from bytes: RawSpan) throws(PTPError) -> [UInt32] {
        var values: [UInt32] = []
        while values.count < limit, remaining(in: bytes) >= 4 { values.append(try take(from: bytes)) }
        return values
    }
}
