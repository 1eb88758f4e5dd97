import Synchronization

/// A clock that only moves when told to.
final class TestClock: Sendable {
    private let seconds = Mutex(0)
    private let start = ContinuousClock.now

    var instant: ContinuousClock.Instant { start + .seconds(seconds.withLock { $0 }) }
    /// Wall time, beginning somewhere in 2026.
    var unix: Int { 1_790_000_000 + seconds.withLock { $0 } }
    func advance(_ by: Int) { seconds.withLock { $0 += by } }
}

/// On or off, from anywhere.
final class Switch: Sendable {
    private let state = Mutex(false)
    var isOn: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
