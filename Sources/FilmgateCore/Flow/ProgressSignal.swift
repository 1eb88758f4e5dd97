import Synchronization

/// Hears that bytes of deliveries move, so that a file that takes long is told from one that stands still.
///
/// The engine sets it for the task that delivers; whatever moves bytes in that task, or for it in a `BlockingPool`,
/// tells.
public final class ProgressSignal: Sendable {
    @TaskLocal public static var current: ProgressSignal?

    private let moved = Mutex<ContinuousClock.Instant?>(nil)

    public init() {}

    /// When bytes moved last; nil before the first.
    public var last: ContinuousClock.Instant? { moved.withLock(\.self) }

    /// Bytes moved now; cheap, any thread.
    public func note() {
        let now = ContinuousClock.now
        moved.withLock { $0 = now }
    }
}
