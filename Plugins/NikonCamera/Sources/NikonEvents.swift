import PTPKit

/// The answers to Nikon's event operations.
enum NikonEvents {
    /// 0x90C7: u16 count, then code and one parameter each.
    static func plain(_ bytes: RawSpan) throws(PTPError) -> [PTPEvent] {
        guard bytes.byteCount > 0 else { return [] }
        var cursor = ByteCursor()
        let count = try Int(cursor.take(UInt16.self, from: bytes))
        guard count <= cursor.remaining(in: bytes) / 6 else { throw .truncated(at: cursor.offset) }
        var events: [PTPEvent] = []
        for _ in 0..<count {
            events.append(
                PTPEvent(
                    EventCode(try cursor.take(UInt16.self, from: bytes)), [try cursor.take(UInt32.self, from: bytes)]))
        }
        return events
    }

    /// 0x941C: u16 count and two bytes of nothing, then code, number of parameters (at most five) and the parameters.
    static func extended(_ bytes: RawSpan) throws(PTPError) -> [PTPEvent] {
        guard bytes.byteCount > 0 else { return [] }
        var cursor = ByteCursor()
        let count = try Int(cursor.take(UInt16.self, from: bytes))
        cursor.offset = min(4, bytes.byteCount)
        guard count <= cursor.remaining(in: bytes) / 4 else { throw .truncated(at: cursor.offset) }
        var events: [PTPEvent] = []
        for _ in 0..<count {
            let code = EventCode(try cursor.take(UInt16.self, from: bytes))
            let number = try Int(cursor.take(UInt16.self, from: bytes))
            guard number <= 5 else { throw .malformed("an event with \(number) parameters") }
            var parameters: [UInt32] = []
            for _ in 0..<number { parameters.append(try cursor.take(from: bytes)) }
            events.append(PTPEvent(code, parameters))
        }
        return events
    }
}
