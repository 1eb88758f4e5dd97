import FilmgateCore
import Glibc
import Synchronization

/// A clock that can be waited on; tests bring one whose time passes only by waiting.
public struct LimiterClock: Sendable {
    /// Time since some moment; never goes back.
    var now: @Sendable () -> Duration
    /// Blocks the calling thread.
    var wait: @Sendable (Duration) -> Void

    public init(now: @escaping @Sendable () -> Duration, wait: @escaping @Sendable (Duration) -> Void) {
        (self.now, self.wait) = (now, wait)
    }

    public static let system: LimiterClock = {
        let start = ContinuousClock.now
        return LimiterClock {
            ContinuousClock.now - start
        } wait: {
            usleep(UInt32(max(0, $0.inSeconds) * 1_000_000) + 1)
        }
    }()
}

/// A bandwidth limit shared by all workers of a target: a bucket that fills at the limit and holds a quarter of a
/// second's worth.
final class BandwidthLimiter: Sendable {
    private struct Bucket { var tokens: Double, filled: Duration }
    private let rate: Double, clock: LimiterClock
    private let bucket: Mutex<Bucket>

    init(bytesPerSecond: UInt64, clock: LimiterClock = .system) {
        (rate, self.clock) = (Double(max(1, bytesPerSecond)), clock)
        bucket = Mutex(Bucket(tokens: rate / 4, filled: clock.now()))
    }

    /// What may be granted at once when nothing was taken for a while.
    var burst: Double { max(1, rate / 4) }

    /// Waits, blocking, until some of `count` bytes may go, and says how many.
    ///
    /// Only for a worker's own thread.
    func take(upTo count: Int, _ left: UInt64, stop: StopFlag) -> Int {
        let want = min(Double(count), max(1, rate / 8), Double(left))
        if want < 1 { return count }
        while !stop.isRaised {
            let missing = grant(want)
            if missing <= 0 { break }
            clock.wait(.seconds(min(0.1, missing / rate)))
        }
        return Int(want)
    }

    /// Takes `want` when it is there; else says how much is missing.
    private func grant(_ want: Double) -> Double {
        bucket.withLock { bucket in
            let now = clock.now()
            bucket.tokens = min(burst, bucket.tokens + max(0, (now - bucket.filled).inSeconds) * rate)
            bucket.filled = now
            if bucket.tokens >= want { bucket.tokens -= want; return 0 }
            return want - bucket.tokens
        }
    }
}
