public import HTTPKit
import Synchronization

/// Time that passes only when somebody waits: what a bandwidth limit costs, without costing it.
public final class WaitedTime: Sendable {
    private let passed = Mutex(Duration.zero)

    public init() {}

    public var seconds: Double {
        let passed = passed.withLock { $0 }
        return Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    }

    public var clock: LimiterClock {
        LimiterClock(now: { self.passed.withLock { $0 } }, wait: { time in self.passed.withLock { $0 += time } })
    }
}
