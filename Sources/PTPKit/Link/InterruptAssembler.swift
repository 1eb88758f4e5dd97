/// Puts events together from the pieces of an interrupt endpoint, which may be as small as eight bytes.
///
/// Garbage is dropped.
public struct InterruptAssembler: Sendable {
    private var bytes: [UInt8] = []

    public init() {}

    /// The events that `piece` completes.
    public mutating func take(_ piece: [UInt8]) -> [PTPEvent] {
        bytes += piece.prefix(1024)
        var events: [PTPEvent] = []
        while bytes.count >= BulkHeader.size {
            let current = bytes
            guard let header = try? BulkHeader(current.span.bytes), header.kind == .event else {
                bytes = []
                break
            }
            guard current.count >= Int(header.length),
                let parameters = try? BulkContainer.parameters(of: header, in: current.span.bytes)
            else { break }
            events.append(PTPEvent(EventCode(header.code), transaction: header.transaction, parameters))
            bytes.removeFirst(Int(header.length))
        }
        return events
    }
}
