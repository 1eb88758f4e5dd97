/// How a make's cameras differ from the standard, as data.
public struct Quirks: Sendable, Hashable {
    /// How objects can be read in parts.
    public enum PartialReads: Sendable, Hashable {
        /// By the standard and the 64-bit operation, where the camera lists them.
        case standard
        /// Listed or not, they do not work: whole objects only.
        case none
    }
    /// How the camera tells about new objects.
    public enum NewsStyle: Sendable, Hashable {
        /// By events on their own channel.
        case events
        /// By an operation of the make's, asked every `from` at first and ever more rarely up to `upTo` while nothing
        /// happens.
        case polling(from: Duration, upTo: Duration)
        /// Not at all: the listing is compared with the one before.
        case listing(every: Duration)
    }
    var asksForNews: Bool { if case .listing = news { false } else { true } }

    /// Bytes per partial read.
    public var chunk: UInt32 = 1 << 20
    public var partial = PartialReads.standard
    public var news = NewsStyle.events
    /// A whole transaction without much data must end within this time; silence in the middle of one may last this
    /// long.
    public var answer: Duration = .seconds(30), silence: Duration = .seconds(20)
    /// Bytes per second below which a data phase counts as stuck.
    public var slowest: UInt64 = 32 << 10
    /// Answers that mean "ask again", and for how long we do.
    public var busy: Set<ResponseCode> = [.deviceBusy], patience: Duration = .seconds(15)
    /// One request for a folder's properties in place of one for each object, where the camera lists the operation.
    public var bulkListing = false
    /// Answers with an object's size in 64 bits, where the body lists it: a make's own way beyond 4 GiB.
    public var sizeOperation: OperationCode?
    /// Whether it may be asked for its own small picture of a file that is still to be read, where it lists that.
    public var previews = true
    /// A new object's size is believed when it has not changed for this long.
    public var settle: Duration = .milliseconds(60)
    /// False for bodies that answer nothing any more after CloseSession until they are switched off.
    public var closesSession = true
    /// After as much silence the camera is spoken to: so that it stays awake, and so that we notice when it is gone.
    public var keepAlive: Duration? = .seconds(15)

    public init() {}

    public static let standard = Quirks()

    /// A copy with some values changed: `.standard.with { $0.chunk = 4 << 20 }`.
    public func with(_ change: (inout Quirks) -> Void) -> Quirks {
        var copy = self
        change(&copy)
        return copy
    }

    /// How long a transaction that moves `bytes` may last in all.
    func limit(for bytes: UInt64) -> Duration { answer + .seconds(Int64(clamping: bytes / max(1, slowest))) }
}
