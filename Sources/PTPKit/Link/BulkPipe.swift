/// The three endpoints and the control pipe of a USB still-image device, as the USB library gives them.
///
/// Blocks up to each time-out.
public protocol BulkPipe: AnyObject {
    /// Bus and address, for messages.
    var address: String { get }
    /// Largest packet of the bulk endpoints, in bytes: a transfer ends with a shorter one.
    var packetSize: Int { get }
    /// Ends every wait, from any thread.
    var stop: @Sendable () -> Void { get }
    /// One transfer out; an empty one is a zero-length packet.
    func write(_ bytes: [UInt8], timeout: Duration) throws(PipeError)
    /// One transfer in: ends with a short packet or when the buffer, a multiple of `packetSize`, is full.
    func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Duration) throws(PipeError) -> Int
    /// What the interrupt endpoint has; nil when it stays silent, or when there is no such endpoint.
    func readEvent(timeout: Duration) throws(PipeError) -> [UInt8]?
    func clearHalt(_ direction: BulkDirection) throws(PipeError)
    /// A class request to the interface (PIMA 15740 §D.5); `data` is sent, or `expecting` bytes are read.
    func control(_ request: BulkControl, sending data: [UInt8], expecting: Int, timeout: Duration) throws(PipeError)
        -> [UInt8]
    /// Releases the device. Safe to call twice.
    func close()
}

public enum BulkDirection: Sendable, Hashable { case receive, send }

public enum BulkControl: UInt8, Sendable, Hashable { case cancel = 0x64, extendedEventData, deviceReset, deviceStatus }

/// How a USB transfer fails.
public enum PipeError: Error, Sendable, Hashable {
    case stalled, timedOut, gone, overflow
    case busy(String), denied(String), other(String)

    public func explained(_ doing: String) -> PTPError {
        switch self {
        case .stalled: .malformed("it stalled while \(doing)")
        case .timedOut: .timedOut(doing)
        case .gone: .gone("unplugged or switched off")
        case .overflow: .malformed("it sent more than the bus allows while \(doing)")
        case .busy(let who): .busy(who)
        case .denied(let why): .denied(why)
        case .other(let what): .gone("\(what) while \(doing)")
        }
    }
}
