/// What comes in during a transaction, whatever the transport.
public enum Inbound: Sendable, Hashable {
    /// A data phase begins; `total` is nil where the sender does not know it.
    case dataBegins(transaction: UInt32, code: OperationCode?, total: UInt64?)
    /// `count` bytes of it are in the link's buffer until the next call.
    case data(transaction: UInt32, count: Int)
    case dataEnds(transaction: UInt32)
    case response(Response)
    /// The camera gives up the data phase.
    case cancelled(transaction: UInt32)
}

/// One way to talk to a camera, be it USB pipes, PTP/IP or memory.
///
/// Synchronous, blocking up to the deadline it is given; used by one thread at a time.
public protocol CameraLink: AnyObject {
    /// Where the camera is, for messages.
    var address: String { get }
    /// Where events go. The same for the life of the link.
    var eventQueue: EventQueue { get }
    /// Ends every wait at once, from any thread; what is under way then fails with `gone`.
    var stop: @Sendable () -> Void { get }
    /// What the handshake has told about the camera, for dialects in which DeviceInfo cannot be asked for at first.
    /// Default: nil.
    var introduction: DeviceInfo? { get }
    /// What names the body in the handshake; empty where the transport tells nothing of the kind. Default: empty.
    var guid: [UInt8] { get }
    /// Sends a request. `data` is the whole of an outgoing data phase.
    func send(_ operation: Operation, transaction: UInt32, phase: DataPhase, data: [UInt8], by deadline: Deadline)
        throws(PTPError)
    /// What comes next.
    func next(by deadline: Deadline) throws(PTPError) -> Inbound
    /// The bytes of the last `data`.
    func payload<R>(_ body: (RawSpan) throws(PTPError) -> R) throws(PTPError) -> R
    /// Asks the camera to give up a transaction. What it still sends must be drained by the caller.
    func cancel(transaction: UInt32, by deadline: Deadline) throws(PTPError)
    /// Fetches events that need asking for, waiting at most until `deadline`; they go to the mailbox. Never called
    /// within a transaction.
    func pollEvents(by deadline: Deadline) throws(PTPError)
    /// Brings the transport back to a clean start; the session is over afterwards. False where the transport cannot.
    func reset() throws(PTPError) -> Bool
    /// Ends the connection. Safe to call twice.
    func close()
}

extension CameraLink {
    public var introduction: DeviceInfo? { nil }
    public var guid: [UInt8] { [] }
}

/// A moment after which waiting ends.
public struct Deadline: Sendable, Hashable {
    public var instant: ContinuousClock.Instant

    public init(_ instant: ContinuousClock.Instant) { self.instant = instant }
    public static func after(_ duration: Duration) -> Deadline { Deadline(.now + duration) }

    public var left: Duration { max(.zero, instant - .now) }
    public var hasPassed: Bool { ContinuousClock.now >= instant }
    /// Whole milliseconds for `poll`, rounded up so that a short rest is not a busy loop.
    public var milliseconds: Int32 {
        let left = left.components
        return Int32(clamping: left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
    /// The earlier of this and `duration` from now.
    public func within(_ duration: Duration) -> Deadline { Deadline(min(instant, .now + duration)) }
}
