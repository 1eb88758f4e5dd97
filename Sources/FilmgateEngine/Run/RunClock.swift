import FilmgateCore

/// The one clock of a run: what time it is, and a call when a time is over.
///
/// Nothing else in a run asks for the time or sleeps, so that a test can say what time it is.
protocol RunClock: Sendable {
    var now: Moment { get }
    /// Calls `ring` once, after `time`; the key takes that back.
    func set(after time: Duration, _ ring: @escaping @Sendable () -> Void) -> UInt64
    func forget(_ key: UInt64)
}

extension RunClock {
    /// Returns when the time is over or the task is cancelled.
    func sleep(for time: Duration) async {
        let (ends, end) = AsyncStream<Never>.makeStream()
        let key = set(after: time) { end.finish() }
        for await _ in ends {}
        forget(key)
    }
}

/// A moment by both clocks: what waits goes by the one, the rows of the ledger have the other.
struct Moment: Sendable {
    var instant: ContinuousClock.Instant
    /// Nanoseconds since 1970.
    var wall: Int64
}
